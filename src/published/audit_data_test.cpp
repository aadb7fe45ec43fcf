// The audit on results as they were published: counts that were also worked out by another program.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "published/audit_rules.hpp"
#include "published/importers.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kPublished = TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax";

bool absent() { return !std::filesystem::exists(kPublished); }

PublishedSet set_of(const std::vector<std::filesystem::path>& files) {
  PublishedSet set;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    read_published(path.string(), bytes, set);
  }
  finish(set);
  return set;
}

PublishedSet set_of_folder(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPublished / name))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return set_of(files);
}

/// "R10 note": how many findings.
std::map<std::string, int> counts_of(const PublishedSet& set) {
  std::map<std::string, int> counts;
  for (const AuditFinding& finding : audit(set, {}))
    ++counts[std::string(finding.rule->code) + ' ' + std::string(name_of(finding.severity))];
  return counts;
}

std::vector<AuditFinding> findings_of(const PublishedSet& set, std::string_view code) {
  return audit(set, {{audit_rule_named(code)}, {}});
}

double value_of(const AuditFinding& finding, std::string_view name) {
  for (const AuditValue& value : finding.shown_values()) {
    if (value.name == name) return value.value;
  }
  return -1;
}

TEST(AuditOfOfficialRows, FindsWhatIsKnownOfThem) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of_folder("api_rows");
  ASSERT_EQ(set.rows.size(), 1667U);
  EXPECT_EQ(set.duplicates, 230U);
  auto counts = counts_of(set);
  EXPECT_EQ(counts["R04-std note"], 435);
  EXPECT_EQ(counts["R10 note"], 363);
  EXPECT_EQ(counts["R10 warning"], 0);
  EXPECT_EQ(counts["R11 note"], 8);
  EXPECT_EQ(counts["R20 fact"], 1285 + 282);  // exact and near
  EXPECT_EQ(counts["R20 note"], 72);
  EXPECT_EQ(counts["R20 warning"], 26);
  EXPECT_EQ(counts["R33 note"], 31);
  EXPECT_EQ(counts["R42 warning"], 4);
}

TEST(AuditOfOfficialRows, CallsNoneAnErrorButTheServerThatStalled) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of_folder("api_rows");
  int errors = 0;
  for (const AuditFinding& finding : audit(set, {})) {
    if (finding.severity != AuditSeverity::error) continue;
    ++errors;
    const PublishedResult& row = set.rows[*finding.row];
    EXPECT_EQ(finding.rule->code, "R15");
    EXPECT_EQ(row.framework, "atom");
    EXPECT_EQ(row.concurrency, 512.0);
    EXPECT_NEAR(value_of(finding, "occupied_share"), 0.024, 0.0005);
  }
  EXPECT_EQ(errors, 1);
}

TEST(AuditOfOfficialRows, KnowsHowManyRequestsAStreamMostOfThemHad) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of_folder("api_rows");
  std::map<double, int> by_count;
  int near = 0;
  for (const AuditFinding& finding : findings_of(set, "R20")) {
    const double count = value_of(finding, "requests_per_stream");
    if (count > 0) ++by_count[count];
    if (finding.severity == AuditSeverity::fact && count < 0) ++near;
  }
  EXPECT_EQ(by_count,
            (std::map<double, int>{{5, 50}, {8, 27}, {10, 1071}, {16, 2}, {20, 64}, {50, 71}}));
  EXPECT_EQ(near, 282);
}

TEST(AuditOfOfficialRows, FindsEnergyThatIsOfTheDecodeGpusAlone) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of_folder("api_rows");
  const auto findings = findings_of(set, "R30");
  EXPECT_EQ(findings.size(), 6U);
  for (const AuditFinding& finding : findings) {
    EXPECT_EQ(set.rows[*finding.row].framework, "mori-sglang");
    EXPECT_EQ(finding.severity, AuditSeverity::warning);
    EXPECT_LT(value_of(finding, "ratio"), 6.1);
    EXPECT_NEAR(value_of(finding, "expected"), 9, 0.15);
  }
  const auto powered = findings_of(set, "R12");
  ASSERT_EQ(powered.size(), 1U);
  EXPECT_NEAR(value_of(powered[0], "boards_by_gpus"), 4.0 / 3, 0.001);
}

TEST(AuditOfOfficialRows, FindsDaysOnWhichAServerWasNotItself) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of_folder("api_rows");
  int h200 = 0;
  int b300 = 0;
  for (const AuditFinding& finding : findings_of(set, "R43")) {
    const PublishedResult& row = set.rows[*finding.row];
    const double share = value_of(finding, "total_per_gpu") / value_of(finding, "median");
    if (row.gpu == "h200" && row.concurrency == 64.0 && row.date == "2026-05-13") {
      ++h200;
      EXPECT_NEAR(share, 0.22, 0.005);
    }
    if (row.gpu == "b300" && row.concurrency == 128.0) {
      ++b300;
      EXPECT_NEAR(share, 0.21, 0.005);
    }
  }
  EXPECT_EQ(h200, 1);
  EXPECT_EQ(b300, 2);
}

TEST(AuditOfPowerRows, FindsTheQueriesThatFailed) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of({kPublished / "derived/powerx_v2_rows.json"});
  ASSERT_EQ(set.rows.size(), 9U);
  auto counts = counts_of(set);
  EXPECT_EQ(counts["R12 warning"], 0);
  EXPECT_EQ(counts["R30 error"] + counts["R30 warning"], 0);
  const auto findings = findings_of(set, "R22");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(value_of(findings[0], "queries"), 81'613);
  EXPECT_EQ(value_of(findings[0], "planned"), 81'920);
}

TEST(AuditOfThirdPartyRuns, FindsSeedsIdleGpusAndSecondsUnderMilliseconds) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  auto raw = counts_of(set_of_folder("raw_nebius_h200"));
  EXPECT_EQ(raw["R20 fact"], 14);
  EXPECT_EQ(raw["R13 warning"], 1);  // two of eight GPUs worked
  auto site = counts_of(set_of_folder("site_csv"));
  EXPECT_EQ(site["R07 warning"], 21);
  EXPECT_EQ(site["R20 fact"], 20);
  EXPECT_EQ(site["R20 note"], 1);     // gpt-oss tp4 c16: 1.0165 in place of 1.0106
  EXPECT_EQ(site["R42 warning"], 1);  // the same row: 725 between 825 and 2 118
}

TEST(AuditOfOddRuns, FindsTotalFailuresPlaceholdersAndAnswersThatEndedEarly) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  auto counts = counts_of(set_of_folder("repo_runs"));
  EXPECT_EQ(counts["R01 error"], 1);
  EXPECT_EQ(counts["R02 error"], 3);    // mock results
  EXPECT_EQ(counts["R06 error"], 1);    // 640 of 640 failed
  EXPECT_EQ(counts["R08 warning"], 3);  // of a GPU that nobody knows
  EXPECT_EQ(counts["R13 warning"], 5);  // power of 8 GPUs, a model on 4
  EXPECT_EQ(counts["R45 error"], 5);    // 147 to 184 tokens of 1 024
  EXPECT_EQ(counts["R45 warning"], 8);  // half of 1 024
}

TEST(AuditOfAgents, KeepsThemApart) {
  if (absent()) GTEST_SKIP() << "the published files are not here";
  auto counts = counts_of(set_of_folder("agentic"));
  EXPECT_EQ(counts["R46 note"], 35);
  EXPECT_EQ(counts["R01 error"], 1);  // a row without a single success
  EXPECT_EQ(counts["R04 error"], 0);
}

}  // namespace
}  // namespace tokenjoule
