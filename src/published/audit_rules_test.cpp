#include "published/audit_rules.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

// 40 requests of InferenceX's seed with 8192/1024 (294 050 and 36 805 tokens) in 50 s on 8 GPUs of
// 500 W: 200 kJ. 4 streams * 0.96 are 3.84 requests in flight: 40 / 50 s * 4.8 s.
PublishedResult inferencex_row() {
  PublishedResult row;
  row.source = PublishedSource::inferencex;
  row.hardware = row.gpu = "b200";
  row.framework = "trt";
  row.model = "dsr1";
  row.precision = "fp8";
  row.speculation = "none";
  row.scenario = "fixed";
  row.date = "2026-09-01";
  row.disaggregated = row.multinode = false;
  row.gpus = row.whole.tensor = 8;
  row.concurrency = 4;
  row.nominal_input_len = 8192;
  row.nominal_output_len = 1024;
  row.system = {330855.0 / 50, 294050.0 / 50, 36805.0 / 50};
  row.per_gpu = {330855.0 / 400, 294050.0 / 400, 36805.0 / 400};
  row.ttft = {0.2, 0.19, 0.22, 0.25, 0.3, 0.02};
  row.tpot = {4.6 / 919.125, 0.005, 0.0051, 0.0052, 0.0053, 0.0001};
  row.e2e = {4.8, 4.8, 5.0, 5.1, 5.2, 0.1};
  row.interactivity = {919.125 / 4.6, 200, 1 / 0.0051, 1 / 0.0052, 1 / 0.0053, {}};
  row.energy.schema_version = 2;
  row.energy.valid = true;
  row.energy.gpu_mean_w = 500;
  row.energy.all_gpus_mean_w = 4000;
  row.energy.all_gpus_j = 200'000;
  row.energy.j_per_query = 5000;
  row.energy.j_per_input_token = 200'000 / 294050.0;
  row.energy.j_per_output_token = 200'000 / 36805.0;
  row.energy.j_per_total_token = 200'000 / 330855.0;
  return row;
}

// llama2-70b, Interactive, 8 cards of 600 W.
PublishedResult mlperf_row() {
  PublishedResult row;
  row.source = PublishedSource::mlperf;
  row.attribution.round = "v6.0";
  row.attribution.id = "6.0-0021";
  row.attribution.platform = "XE7740";
  row.attribution.division = "closed";
  row.model = "llama2-70b-99";
  row.scenario = "Interactive";
  row.hardware = "NVIDIA H200-NVL-141GB (x8)";
  row.gpu = "h200-nvl";
  row.gpus = 8;
  row.stated_gpu_limit_w = 600;
  row.system.output = 16'343.8;
  row.mean_output_len = 291.3;
  row.ttft.p99 = 0.2786;
  row.tpot.p99 = 0.0381;
  row.energy.wall_mean_w = 4500;  // below 8 * 600 W
  return row;
}

// 500 W, 5 000 tokens/s: 0.1 J a token, 50 J an answer of 500.
PublishedResult mlenergy_row() {
  PublishedResult row;
  row.source = PublishedSource::mlenergy;
  row.model = "Qwen/Qwen3-32B";
  row.scenario = "lm-arena-chat";
  row.hardware = "B200";
  row.gpu = "b200";
  row.gpus = 1;
  row.batch_limit = 384;
  row.mean_batch = 370;
  row.system.output = 5000;
  row.mean_output_len = 500;
  row.energy.all_gpus_mean_w = 500;
  row.energy.j_per_output_token = 0.1;
  row.energy.j_per_query = 50;
  return row;
}

PublishedSet set_of(std::vector<PublishedResult> rows) {
  PublishedSet set;
  set.files = {{"rows.json", "inferencex"}, {"power.csv", "inferencex"}};
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i].origin.row = i;
  set.rows = std::move(rows);
  return set;
}

using Rows = std::vector<PublishedResult>;

/// What breaks each rule, on rows that break none.
struct Sample {
  std::string_view code;
  PublishedResult (*sound)();
  void (*breaks)(Rows& rows);
};

void repeat(Rows& rows, const std::function<void(PublishedResult&)>& change) {
  rows.push_back(rows.front());
  change(rows.back());
}

void days_of(Rows& rows, double last_rate) {
  const std::string_view days[] = {"2026-09-02", "2026-09-03", "2026-09-04", "2026-09-05"};
  for (const auto day : days) repeat(rows, [&](auto& row) { row.date = day; });
  rows.back().per_gpu.total = last_rate;
}

constexpr Sample kSamples[] = {
    {"R01", inferencex_row, [](Rows& r) { r[0].concurrency = 0; }},
    {"R02", inferencex_row, [](Rows& r) { r[0].ttft.median = 0; }},
    {"R03", inferencex_row, [](Rows& r) { *r[0].per_gpu.input += 1; }},
    {"R04", inferencex_row, [](Rows& r) { r[0].interactivity.median = 190; }},
    {"R04-std", inferencex_row, [](Rows& r) { r[0].interactivity.deviation = 10'000; }},
    {"R05", inferencex_row, [](Rows& r) { r[0].ttft.p90 = 0.18; }},
    {"R06", inferencex_row,
     [](Rows& r) {
       r[0].prompts = 40;
       r[0].completed = 39;
       r[0].duration_s = 50;
     }},
    {"R07", inferencex_row, [](Rows& r) { r[0].mark(RowFlag::seconds_under_ms); }},
    {"R08", inferencex_row, [](Rows& r) { r[0].gpu = "950dt"; }},
    {"R10", inferencex_row,
     [](Rows& r) {
       r[0].whole.expert = 8;
       r[0].prefill.gpus = 64;
     }},
    {"R11", inferencex_row,
     [](Rows& r) {
       r[0].disaggregated = true;
       r[0].prefill = {4, 8};
       r[0].decode = {4, 8};
     }},
    {"R12", inferencex_row, [](Rows& r) { r[0].energy.all_gpus_mean_w = 16'000.0 / 3; }},
    {"R13", inferencex_row, [](Rows& r) { r[0].energy.idle_gpus = 6; }},
    {"R14", inferencex_row, [](Rows& r) { r[0].energy.all_gpus_mean_w = 8000; }},
    {"R15", inferencex_row, [](Rows& r) { r[0].e2e.mean = 2.4; }},
    {"R20", inferencex_row, [](Rows& r) { *r[0].system.input *= 1.03; }},
    {"R21", inferencex_row, [](Rows& r) { r[0].ttft.mean = 0.3; }},
    {"R22", inferencex_row, [](Rows& r) { r[0].energy.j_per_query = 200'000.0 / 39; }},
    {"R30", inferencex_row, [](Rows& r) { *r[0].energy.j_per_output_token *= 0.6; }},
    {"R31", inferencex_row, [](Rows& r) { r[0].energy.gpu_mean_w = 1100; }},
    {"R32", inferencex_row, [](Rows& r) { r[0].energy.gpu_mean_w = 100; }},
    {"R33", inferencex_row, [](Rows& r) { r[0].energy.schema_version.reset(); }},
    {"R40", inferencex_row, [](Rows& r) { r[0].per_gpu.total = 30'000; }},  // 0.49 of 4 500 TFLOPS
    {"R41", inferencex_row, [](Rows& r) { r[0].interactivity.mean = 2000; }},  // 8 * 8 TB / 37 GB
    {"R42", inferencex_row,
     [](Rows& r) {
       repeat(r, [](auto& row) {
         row.concurrency = 8;
         *row.per_gpu.total *= 0.94;
       });
     }},
    {"R43", inferencex_row, [](Rows& r) { days_of(r, 0.5 * *r[0].per_gpu.total); }},
    {"R44", inferencex_row,
     [](Rows& r) { repeat(r, [](auto& row) { *row.per_gpu.total *= 1.01; }); }},
    {"R45", inferencex_row, [](Rows& r) { r[0].mean_output_len = 500; }},
    {"R46", inferencex_row, [](Rows& r) { r[0].nominal_input_len.reset(); }},
    {"R47", inferencex_row,
     [](Rows& r) {
       r[0].gpu = "gb300";
       r[0].framework = "dynamo-trt";
       r[0].speculation = "mtp";
       r[0].attribution.url = "https://example.org/actions/runs/21726915223/attempts/1";
     }},
    {"R48", mlperf_row, [](Rows& r) { r.push_back(inferencex_row()); }},
    {"M01", mlperf_row, [](Rows& r) { r[0].mark(RowFlag::inferred); }},
    {"M02", mlperf_row, [](Rows& r) { r[0].hardware = "AMD Instinct MI355X (x7)"; }},
    {"M03", mlperf_row, [](Rows& r) { r[0].system.output.reset(); }},
    {"M04", mlperf_row, [](Rows& r) { r[0].stated_gpu_limit_w.reset(); }},
    {"M05", mlperf_row, [](Rows& r) { r[0].mean_output_len = 264; }},  // 0.9 * 294.45 = 265.0
    {"M06", mlperf_row, [](Rows& r) { r[0].ttft.p99 = 0.46; }},
    {"M07", mlperf_row, [](Rows& r) { r[0].energy.wall_mean_w = 6153; }},
    {"M08", mlperf_row,
     [](Rows& r) { repeat(r, [](auto& row) { row.model = "llama2-70b-99.9"; }); }},
    {"M09", mlperf_row,
     [](Rows& r) {
       r[0].unknown.push_back({"errors", "2"});
     }},
    {"E01", mlenergy_row, [](Rows& r) { r[0].energy.all_gpus_mean_w = 510; }},
    {"E02", mlenergy_row, [](Rows& r) { r[0].energy.j_per_query = 51; }},
    {"E03", mlenergy_row, [](Rows& r) { r[0].mean_batch = 300; }},
    {"E04", mlenergy_row, [](Rows& r) { r[0].energy.all_gpus_mean_w = 1100; }},
    {"E05", mlenergy_row,
     [](Rows& r) {
       repeat(r, [](auto& row) {
         row.batch_limit = 512;
         row.energy.j_per_output_token = 0.106;
       });
     }},
};

std::vector<AuditFinding> findings_of(const PublishedSet& set, std::string_view code) {
  const AuditRule* const rule = audit_rule_named(code);
  return rule != nullptr ? audit(set, {{rule}, {}}) : std::vector<AuditFinding>();
}

bool says_something(const AuditFinding& finding) {
  return finding.severity != AuditSeverity::fact || finding.rule->severities == "fact" ||
         finding.rule->code == "M07";
}

TEST(AuditRules, EachIsBrokenByItsSampleAndKeptByTheSoundRow) {
  for (const AuditRule& rule : audit_rules()) {
    if (rule.code == "R34" || rule.code == "M10") continue;  // of files, not of rows: below
    const auto* const sample = std::find_if(std::begin(kSamples), std::end(kSamples),
                                            [&](const Sample& s) { return s.code == rule.code; });
    ASSERT_NE(sample, std::end(kSamples)) << rule.code;
    Rows rows = {sample->sound()};
    const PublishedSet sound = set_of(rows);
    for (const AuditFinding& finding : findings_of(sound, rule.code))
      EXPECT_FALSE(says_something(finding)) << rule.code << ": " << finding.words;
    sample->breaks(rows);
    const PublishedSet broken = set_of(std::move(rows));
    const auto findings = findings_of(broken, rule.code);
    EXPECT_EQ(std::count_if(findings.begin(), findings.end(), says_something), 1) << rule.code;
    for (const AuditFinding& finding : findings) {
      EXPECT_EQ(finding.rule, &rule);
      EXPECT_FALSE(finding.words.empty()) << rule.code;
      EXPECT_NE(rule.severities.find(name_of(finding.severity)), std::string_view::npos)
          << rule.code;
    }
  }
}

TEST(AuditRules, ASoundRowOfEachPublicationHasNothingAgainstIt) {
  for (const auto row : {inferencex_row, mlperf_row, mlenergy_row}) {
    const PublishedSet set = set_of({row()});
    for (const AuditFinding& finding : audit(set, {}))
      EXPECT_EQ(finding.severity, AuditSeverity::fact) << finding.rule->code << finding.words;
  }
}

TEST(AuditRules, EachHasACodeAName_ASourceAndWordsOfItsOwn) {
  std::set<std::string_view> codes, names;
  for (const AuditRule& rule : audit_rules()) {
    EXPECT_TRUE(codes.insert(rule.code).second) << rule.code;
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.what.empty() || rule.source.empty() || rule.severities.empty()) << rule.code;
    EXPECT_TRUE(rule.of_row != nullptr || rule.of_set != nullptr) << rule.code;
    EXPECT_EQ(audit_rule_named(lower_case(rule.code)), &rule);
    EXPECT_EQ(audit_rule_named(rule.name), &rule);
  }
  EXPECT_EQ(audit_rule_named("R09"), nullptr);
}

TEST(Audit, ARowThatCouldNotBeReadIsAnErrorAndAPowerLogThatCouldNotAWarning) {
  PublishedSet set = set_of({inferencex_row()});
  set.problems.push_back({0, 7, "cut off"});
  set.problems.push_back({1, std::nullopt, "a gap of 4 s"});
  set.sidecars.push_back({1, "power_log", ""});
  const auto unread = findings_of(set, "R01");
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_EQ(unread[0].severity, AuditSeverity::error);
  EXPECT_EQ(unread[0].unread->row, 7U);
  EXPECT_EQ(unread[0].words, "cut off");
  const auto telemetry = findings_of(set, "R34");
  ASSERT_EQ(telemetry.size(), 1U);
  EXPECT_EQ(telemetry[0].severity, AuditSeverity::warning);
  EXPECT_EQ(telemetry[0].unread->file, 1U);
  set.problems.clear();
  EXPECT_TRUE(findings_of(set, "R34").empty());
}

TEST(Audit, ComparesWithAllRowsButSpeaksOfThoseAskedForOnly) {
  Rows rows = {inferencex_row()};
  repeat(rows, [](auto& row) {
    row.concurrency = 8;
    *row.per_gpu.total *= 0.9;
  });
  const PublishedSet set = set_of(std::move(rows));
  const AuditRule* const monotone = audit_rule_named("monotone");
  EXPECT_EQ(audit(set, {{monotone}, {1}}).size(), 1U);
  EXPECT_EQ(audit(set, {{monotone}, {0}}).size(), 0U);
}

AuditSeverity worst(const PublishedResult& row, std::string_view code) {
  const PublishedSet set = set_of({row});
  AuditSeverity worst = AuditSeverity::fact;
  for (const AuditFinding& finding : findings_of(set, code))
    worst = std::max(worst, finding.severity);
  return worst;
}

TEST(Audit, FailedRequestsAreANoteThenAWarningThenAnError) {
  PublishedResult row = inferencex_row();
  row.duration_s = 50;
  row.prompts = 1000;
  row.completed = 995;
  EXPECT_EQ(worst(row, "R06"), AuditSeverity::note);
  row.completed = 980;
  EXPECT_EQ(worst(row, "R06"), AuditSeverity::warning);
  row.completed = 940;
  EXPECT_EQ(worst(row, "R06"), AuditSeverity::error);
  row.completed = 1001;
  EXPECT_EQ(worst(row, "R06"), AuditSeverity::error);
}

TEST(Audit, QueriesThatTheEnergyIsSharedByShowHowManyFailed) {
  // 10 * 8 192 = 81 920 requests planned; the energy was shared by 81 613: 307 failed.
  PublishedResult row = inferencex_row();
  row.concurrency = 8192;
  row.energy.all_gpus_j = 81'613'000;
  row.energy.j_per_query = 1000;
  const PublishedSet set = set_of({row});
  const auto findings = findings_of(set, "R22");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, AuditSeverity::note);
  EXPECT_EQ(findings[0].values[0].value, 81'613);
  EXPECT_EQ(findings[0].values[1].value, 81'920);
  EXPECT_NEAR(findings[0].values[2].value, 307.0 / 81'920, 1e-12);
}

TEST(Audit, EnergyOfTheDecodeGpusAloneIsAWarningWhereNoSchemaSaysWhose) {
  PublishedResult row = inferencex_row();
  row.disaggregated = true;
  row.energy.schema_version.reset();
  row.energy.j_per_output_token = 28.5;  // 28.5 / 5.11 = 5.6; all energy would give 9.0
  row.energy.j_per_total_token = 5.11;
  EXPECT_EQ(worst(row, "R30"), AuditSeverity::warning);
  row.energy.schema_version = 2;
  EXPECT_EQ(worst(row, "R30"), AuditSeverity::error);
}

TEST(Audit, ThreeQuartersOfTheGpusAreNotAllThatWerePowered) {
  // 12 GPUs by the layout, 16 boards in the energy: 4 / 3.
  PublishedResult row = inferencex_row();
  row.energy.all_gpus_mean_w.reset();
  row.energy.j_per_total_token = 4.0 / 3 * 500 / *row.per_gpu.total;
  const PublishedSet set = set_of({row});
  const auto findings = findings_of(set, "R12");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NEAR(findings[0].values[0].value, 4.0 / 3, 1e-12);
}

TEST(Audit, AServerThatStallsHasNearlyNothingInFlight) {
  PublishedResult row = inferencex_row();
  row.e2e.mean = 0.12;  // 40 / 50 s * 0.12 s = 0.096 of 4 streams: 0.024
  EXPECT_EQ(worst(row, "R15"), AuditSeverity::error);
  row.e2e.mean = 4.2;  // 0.84
  EXPECT_EQ(worst(row, "R15"), AuditSeverity::warning);
  row.e2e.mean.reset();  // the median alone shows less
  row.e2e.median = 4.2;
  EXPECT_EQ(worst(row, "R15"), AuditSeverity::fact);
}

TEST(Audit, TheSeedGivesRequestsAndMeanLengthsOfARowThatHasNeither) {
  const PublishedSet set = set_of({inferencex_row()});
  const auto findings = findings_of(set, "R20");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, AuditSeverity::fact);
  EXPECT_EQ(findings[0].values[0].value, 10);  // a stream
  EXPECT_EQ(findings[0].values[1].value, 40);
  EXPECT_EQ(findings[0].values[2].value, 294050.0 / 40);
  EXPECT_EQ(findings[0].values[3].value, 36805.0 / 40);
}

TEST(Audit, FileNamesAreHeldAgainstASingleRow) {
  PublishedResult row = inferencex_row();
  const auto named = [&](std::string name) {
    PublishedSet set = set_of({row});
    set.files[0].name = std::move(name);
    return findings_of(set, "R08").size();
  };
  EXPECT_EQ(named("agg_dsr1_8k1k_fp8_trt_tp8-ep1_conc4_b200.json"), 0U);
  EXPECT_EQ(named("dsr1_conc8.json"), 1U);
  EXPECT_EQ(named("gptoss_conc4.json"), 1U);
  EXPECT_EQ(named("dsr1_1k1k_tp4.json"), 2U);  // prompt length and parallelism
}

}  // namespace
}  // namespace tokenjoule
