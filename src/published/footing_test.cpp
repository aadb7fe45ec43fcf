#include "published/footing.hpp"

#include <cmath>
#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/columns.hpp"
#include "published/importers.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kPublished = TOKENJOULE_SOURCE_DIR "/../shared/data/inferencemax";

PublishedSet set_of(std::string_view rows) {
  PublishedSet set;
  read_published("rows.json", rows, set);
  finish(set);
  return set;
}

Footing footing(PublishedSet& set, FootingOptions options = {}) {
  return footing_of(set, all_of(set), options);
}

constexpr std::string_view kH200 =
    R"([{"hw":"h200-dgxc","model":"x/DeepSeek-R1","tp":8,"isl":1000,"osl":800,"conc":4,
"tput_per_gpu":100,"output_tput_per_gpu":40,"input_tput_per_gpu":60,"mean_intvty":20}])";

TEST(Footing, ProvisionedEnergyIsWattsOverThroughput) {
  auto set = set_of(kH200);
  const auto made = footing(set);
  ASSERT_EQ(made.figures.size(), 1U);
  const PublishedFigure& figure = made.figures[0];
  EXPECT_EQ(figure.kind, EnergyKind::provisioned);
  EXPECT_EQ(figure.gpu_w, 1370.0);  // the latest of the table
  EXPECT_EQ(figure.limit_source, LimitSource::catalogue);
  EXPECT_DOUBLE_EQ(*figure.j_total, 13.70);   // 1370 / 100
  EXPECT_DOUBLE_EQ(*figure.j_output, 34.25);  // 1370 / 40
  EXPECT_DOUBLE_EQ(*figure.j_input, 1370.0 / 60);
  EXPECT_DOUBLE_EQ(*figure.wh_query, 6.85);  // 13.7 * 1800 / 3600
  EXPECT_EQ(figure.j_answer, std::nullopt);  // real lengths are not in the record
}

TEST(Footing, WattsHaveADayAndSeveralDaysGiveALineEach) {
  auto set = set_of(kH200);
  FootingOptions options;
  options.days = {"2026-07-13", "2026-07-14"};
  const auto made = footing(set, options);
  ASSERT_EQ(made.figures.size(), 2U);
  EXPECT_EQ(made.figures[0].gpu_w, 1730.0);
  EXPECT_EQ(made.figures[1].gpu_w, 1370.0);
}

TEST(Footing, AnOptionBeatsTheTable) {
  auto set = set_of(kH200);
  FootingOptions options;
  options.watts = {{"NVIDIA H200", 1000}, {"b200", 5}};
  const auto made = footing(set, options);
  EXPECT_EQ(made.figures.at(0).gpu_w, 1000.0);
  EXPECT_EQ(made.figures.at(0).limit_source, LimitSource::option);
  EXPECT_EQ(made.unmatched_watts, std::vector<std::string>{"b200"});
}

TEST(Footing, WattsThatNobodyKnowsAreARefusalAndNoZero) {
  auto set = set_of(R"([{"hw":"950dt","tp":16,"isl":1,"osl":1,"conc":1,"tput_per_gpu":100}])");
  const auto made = footing(set);
  EXPECT_TRUE(made.figures.empty());
  ASSERT_EQ(made.refusals.size(), 1U);
  EXPECT_NE(made.refusals[0].why.find("950dt"), std::string::npos);
  FootingOptions options;
  options.watts = {{"950DT", 900}};
  EXPECT_DOUBLE_EQ(*footing(set, options).figures.at(0).j_total, 9);
}

TEST(Footing, ADisaggregatedRowIsChargedForAllItsGpus) {
  auto set =
      set_of(R"([{"hw":"gb200","disagg":true,"is_multinode":true,"prefill_tp":4,"decode_tp":16,
"num_prefill_gpu":8,"num_decode_gpu":16,"isl":1024,"osl":1024,"conc":9,"tput_per_gpu":6000,
"output_tput_per_gpu":4500,"input_tput_per_gpu":9000}])");
  const auto made = footing(set);
  // 24 GPUs of 1870 W; 16 * 4500 = 72 000 output tokens a second: 44 880 / 72 000 J.
  EXPECT_NEAR(*made.figures.at(0).j_output, 44880.0 / 72000, 1e-12);
  EXPECT_NEAR(*made.figures.at(0).j_total, 1870.0 / 6000, 1e-12);
}

TEST(Footing, ACeilingComesFromTheSubmissionBeforeTheCatalogue) {
  auto set = set_of(kH200);
  FootingOptions options;
  options.kinds = {EnergyKind::ceiling};
  EXPECT_DOUBLE_EQ(*footing(set, options).figures.at(0).j_output, 17.5);  // 700 / 40
  set.rows[0].stated_gpu_limit_w = 500;
  const auto stated = footing(set, options).figures.at(0);
  EXPECT_DOUBLE_EQ(*stated.j_output, 12.5);
  EXPECT_EQ(stated.limit_source, LimitSource::submission);
  options.watts = {{"h200", 400}};
  EXPECT_DOUBLE_EQ(*footing(set, options).figures.at(0).j_output, 10);
}

TEST(Footing, ACeilingCarriesThePublishedShareOfTheLimit) {
  auto set = set_of(R"([{"hw":"b200","tp":1,"isl":1,"osl":1,"conc":1,"tput_per_gpu":100}])");
  FootingOptions options;
  options.kinds = {EnergyKind::ceiling};
  EXPECT_EQ(footing(set, options).figures.at(0).measured_share, 0.75);
}

TEST(Footing, AShareAchievedAddsAModelledFigure) {
  auto set = set_of(kH200);
  FootingOptions options;
  options.achieved = 0.5;
  const auto made = footing(set, options);
  ASSERT_EQ(made.figures.size(), 2U);
  EXPECT_EQ(made.figures[1].kind, EnergyKind::modelled);
  EXPECT_DOUBLE_EQ(*made.figures[1].j_total, 27.4);
  EXPECT_EQ(made.figures[1].system_w, made.figures[0].system_w);
}

TEST(Footing, MeasuredPowerOfTheSecondSchemaIsTakenAsPublished) {
  auto set = set_of(R"([{"hw":"b200","tp":8,"isl":8192,"osl":1024,"conc":64,"tput_per_gpu":1449.62,
"avg_power_w":645.911,"avg_total_gpu_power_w":5167.287,"joules_per_output_token":4.016292,
"joules_per_total_token":0.445573,"joules_per_successful_query":3702.061148,"power_valid":1,
"power_metric_schema_version":2}])");
  const auto figure = footing(set).figures.at(0);
  EXPECT_EQ(figure.kind, EnergyKind::measured_gpu);
  EXPECT_EQ(figure.j_output, 4.016292);
  EXPECT_EQ(figure.j_answer, 3702.061148);
  EXPECT_EQ(figure.basis, "GPU boards, measured");
}

TEST(Footing, JoulesOfOnePartOnlyAreNotTaken) {
  auto set =
      set_of(R"([{"hw":"mi355x","disagg":true,"is_multinode":true,"prefill_tp":4,"decode_tp":8,
"num_prefill_gpu":4,"num_decode_gpu":8,"isl":8192,"osl":1024,"conc":1,"tput_per_gpu":100,
"output_tput_per_gpu":20,"input_tput_per_gpu":260,"avg_power_w":500,"joules_per_output_token":1.5,
"joules_per_input_token":9,"joules_per_total_token":5}])");
  const auto figure = footing(set).figures.at(0);
  EXPECT_DOUBLE_EQ(*figure.j_output, 37.5);  // 5 J * 12 * 100 tokens/s / (8 * 20 tokens/s)
  EXPECT_EQ(figure.j_total, 5.0);
  EXPECT_EQ(figure.basis,
            "GPU boards, measured; not verified; mean of the cluster, prefill and decode GPUs "
            "alike");
}

TEST(Footing, PowerThatIsNotValidOrOfAnUnknownSchemaIsRefused) {
  auto set =
      set_of(R"([{"hw":"b200","tp":8,"conc":1,"tput_per_gpu":1,"avg_power_w":600,"power_valid":0},
{"hw":"b200","tp":8,"conc":2,"tput_per_gpu":1,"avg_power_w":600,"power_metric_schema_version":3}])");
  FootingOptions options;
  options.kinds = {EnergyKind::measured_gpu};
  const auto made = footing(set, options);
  EXPECT_TRUE(made.figures.empty());
  EXPECT_EQ(made.refusals.size(), 2U);
}

TEST(Footing, TheRateOfAUserIsTheMeanElseTheMedian) {
  auto set = set_of(R"([{"hw":"b200","tput_per_gpu":1,"mean_intvty":20,"median_intvty":21},
{"hw":"b200","conc":2,"tput_per_gpu":1,"median_intvty":21}])");
  EXPECT_EQ(user_rate(set.rows[0])->tokens_per_s, 20);
  EXPECT_FALSE(user_rate(set.rows[0])->is_median);
  EXPECT_TRUE(user_rate(set.rows[1])->is_median);
}

TEST(GpuCatalogueTest, NamesAreMatchedWordByWord) {
  const auto& catalogue = GpuCatalogue::embedded();
  const auto name = [&](std::string_view text) {
    const auto* gpu = catalogue.find(text);
    return gpu == nullptr ? std::string("none") : gpu->gpu;
  };
  EXPECT_EQ(name("NVIDIA H200-NVL-141GB"), "h200-nvl");
  EXPECT_EQ(name("NVIDIA H200-SXM-141GB"), "h200");
  EXPECT_EQ(name("NVIDIA H200-SXM-141GB-CTS"), "h200-cts");
  EXPECT_EQ(name("NVIDIA RTX PRO 6000 Blackwell Server Edition"), "rtx-pro-6000-server");
  EXPECT_EQ(name("NVIDIA GB200"), "gb200");
  EXPECT_EQ(name("AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)"), "mi355x-1000w");
  EXPECT_EQ(name("NVIDIA RTX PRO 4500 Blackwell"), "none");
  EXPECT_EQ(name(""), "none");
}

TEST(GpuCatalogueTest, OfSeveralCableModesTheHighestLimitCounts) {
  EXPECT_EQ(GpuCatalogue::embedded().find("rtx6000pro")->limit_w, 600.0);
}

TEST(GpuCatalogueTest, AGpuWhoseLimitNobodyKnowsIsThereWithoutOne) {
  EXPECT_EQ(GpuCatalogue::embedded().find("MS-Intel Arc Pro B60 Dual 48G Turbo")->limit_w,
            std::nullopt);
}

TEST(GpuCatalogueTest, EveryRowHasASourceAndADateOrSaysThatItHasNone) {
  ASSERT_GT(GpuCatalogue::embedded().gpus().size(), 30U);
  for (const auto& gpu : GpuCatalogue::embedded().gpus())
    EXPECT_FALSE(gpu.source.empty()) << gpu.gpu;
}

TEST(PowerTableTest, EveryRowHasWattsADayAndASource) {
  ASSERT_EQ(PowerTable::embedded().rows().size(), 19U);
  for (const auto& row : PowerTable::embedded().rows()) {
    EXPECT_FALSE(row.source.empty() || row.from.empty()) << row.gpu;
    EXPECT_NE(GpuCatalogue::embedded().find(row.gpu), nullptr) << row.gpu;
  }
}

TEST(PowerTableTest, PlaceholdersAndTypingErrorsAreRefused) {
  EXPECT_FALSE(PowerTable::parse("gpu,watts\nrtx5090,9990\n"));
  EXPECT_FALSE(PowerTable::parse("gpu,watts\nh200,\n"));
  EXPECT_FALSE(PowerTable::parse("gpu,power\nh200,700\n"));
  const auto no_day = PowerTable::parse("gpu,watts,from\nh200,700,2026-02-31\n");
  ASSERT_FALSE(no_day);
  EXPECT_NE(no_day.error().message.find("2026-02-31"), std::string::npos);
  EXPECT_FALSE(PowerTable::parse("gpu,watts,from,until\nh200,700,2026-02-02,2026-02-01\n"));
  const auto shifted = PowerTable::parse("gpu,watts\nh200,700,x\n");
  ASSERT_FALSE(shifted);
  EXPECT_EQ(shifted.error().message, "line 2 has 3 cells, the first row 2");
}

/// Rows of a post of January 2026 that have an official row of 2025-12-15: as it printed them.
struct Printed {
  std::string_view hardware, framework, precision;
  double isl, conc, gpus;
  bool dp_attention;
  double tput_per_gpu;  ///< of the official row, rounded to 0.01
  std::string_view wh, minutes;
};

constexpr Printed kPrinted[] = {
    {"h200", "trt", "fp8", 8192, 64, 8, true, 1332.59, "3.32", "1.00"},
    {"h200", "sglang", "fp8", 8192, 64, 8, false, 1307.59, "3.39", "1.02"},
    {"b200", "trt", "fp8", 8192, 64, 8, false, 1637.75, "3.39", "1.02"},
    {"b200", "sglang", "fp8", 8192, 64, 8, false, 1484.99, "3.74", "1.12"},
    {"b200", "sglang", "fp4", 8192, 128, 4, false, 4429.49, "1.25", "0.38"},
    {"b200", "sglang", "fp8", 1024, 64, 8, false, 370.84, "15.0", "4.49"},
    {"h200", "sglang", "fp8", 1024, 64, 8, false, 279.29, "15.9", "4.76"},
    {"h200", "trt", "fp8", 1024, 64, 8, false, 272.02, "16.3", "4.88"},
    {"b200", "trt", "fp8", 1024, 64, 8, false, 340.61, "16.3", "4.89"},
    {"b200", "trt", "fp4", 1024, 256, 4, true, 2036.84, "2.73", "0.82"},
    {"b200", "sglang", "fp4", 1024, 128, 4, false, 1169.02, "4.75", "1.43"},
    {"b200", "trt", "fp4", 1024, 128, 4, false, 1159.55, "4.79", "1.44"},
};

/// Two decimals below 10 Wh, else one, as the post prints.
std::string as_printed(double wh) {
  return wh < 10 ? fmt::format("{:.2f}", wh) : fmt::format("{:.1f}", wh);
}

std::string minutes_of(const PublishedResult& row, const PublishedFigure& figure) {
  const auto cell = column_of({"ps5", 200}).at({&row, &figure});
  return fmt::format("{:.2f}", std::get<double>(cell.value));
}

FootingOptions of_december() {
  FootingOptions options;
  options.days = {"2025-12-15"};
  options.kinds = {EnergyKind::provisioned};
  return options;
}

TEST(PostOfJanuary2026, TwelveRowsComeOutToThePrintedDigit) {
  for (const Printed& printed : kPrinted) {
    auto set = set_of(fmt::format(
        R"([{{"hw":"{}","framework":"{}","precision":"{}","isl":{},"osl":{},"conc":{},"tp":{},
"tput_per_gpu":{}}}])",
        printed.hardware, printed.framework, printed.precision, printed.isl, 9216 - printed.isl,
        printed.conc, printed.gpus, printed.tput_per_gpu));
    const auto figure = footing(set, of_december()).figures.at(0);
    EXPECT_EQ(as_printed(*figure.wh_query), printed.wh)
        << printed.framework << printed.tput_per_gpu;
    EXPECT_EQ(minutes_of(set.rows[0], figure), printed.minutes) << printed.tput_per_gpu;
  }
}

TEST(PostOfJanuary2026, TheOfficialRowsOfThatDayGiveThem) {
  if (!std::filesystem::exists(kPublished)) GTEST_SKIP() << "the published files are not here";
  PublishedSet set;
  for (const auto* file : {"api_rows/benchmarks-history.json", "api_rows/benchmarks.json"})
    read_published(file, bytes_of(kPublished / file), set);
  finish(set);
  EXPECT_EQ(set.rows.size(), 1667U);
  const auto made = footing(set, of_december());
  for (const Printed& printed : kPrinted) {
    int found = 0;
    for (const PublishedFigure& figure : made.figures) {
      const PublishedResult& row = set.rows[figure.row];
      const bool same = row.date == "2025-12-15" && row.hardware == printed.hardware &&
                        row.framework == printed.framework && row.precision == printed.precision &&
                        row.nominal_input_len == printed.isl && row.concurrency == printed.conc &&
                        row.nominal_output_len == 9216 - printed.isl && row.gpus == printed.gpus &&
                        row.speculation == "none" &&
                        row.decode.dp_attention.value_or(false) == printed.dp_attention;
      if (!same) continue;
      ++found;
      EXPECT_EQ(as_printed(*figure.wh_query), printed.wh);
      EXPECT_EQ(minutes_of(row, figure), printed.minutes);
    }
    EXPECT_EQ(found, 1) << printed.framework << ' ' << printed.tput_per_gpu;
  }
}

/// Wh and minutes as printed in all 27 rows of the post's tables.
constexpr std::pair<double, double> kWhAndMinutes[] = {
    {0.96, 0.29}, {3.13, 0.94}, {3.32, 1.00}, {3.39, 1.02}, {3.39, 1.02}, {3.74, 1.12},
    {0.63, 0.19}, {0.93, 0.28}, {1.25, 0.38}, {1.67, 0.50}, {15.0, 4.49}, {15.9, 4.76},
    {16.3, 4.88}, {16.3, 4.89}, {2.73, 0.82}, {4.31, 1.29}, {4.75, 1.43}, {4.79, 1.44},
    {0.11, 0.03}, {0.11, 0.03}, {0.11, 0.03}, {0.14, 0.04}, {0.20, 0.06}, {0.49, 0.15},
    {0.55, 0.16}, {0.55, 0.17}, {0.61, 0.18}};

TEST(PostOfJanuary2026, MinutesOfAConsoleAgreeOnAllRowsWithinTheRoundingOfTheWh) {
  static_assert(std::size(kWhAndMinutes) == 27);
  const Column column = column_of(comparator_in("ps5").value());
  for (const auto& [wh, minutes] : kWhAndMinutes) {
    const double half = wh < 10 ? 0.005 : 0.05;
    PublishedResult row;
    PublishedFigure low;
    PublishedFigure high;
    low.wh_query = wh - half;
    high.wh_query = wh + half;
    const double least = std::get<double>(column.at({&row, &low}).value);
    const double most = std::get<double>(column.at({&row, &high}).value);
    EXPECT_LE(least - 0.005, minutes) << wh;
    EXPECT_GE(most + 0.005, minutes) << wh;
  }
}

std::size_t figures_of(std::string_view name, std::string_view rows, EnergyKind kind) {
  PublishedSet set;
  read_published(std::string(name), rows, set);
  finish(set);
  FootingOptions options;
  options.kinds = {kind};
  return footing(set, options).figures.size();
}

TEST(Footing, ANumberThatCannotBeGivesNoFigureAndNeverZero) {
  const auto csv = [](std::string_view gpus, std::string_view limit, std::string_view measured) {
    return fmt::format(
        "model,gpu,gpus,isl,osl,tok_s,gpu_limit_w,measured_gpu_w\nm,h200,{},1024,1024,10000,{},{}"
        "\n",
        gpus, limit, measured);
  };
  const auto ceilings = [&](std::string_view gpus, std::string_view limit) {
    return figures_of("x.csv", csv(gpus, limit, ""), EnergyKind::ceiling);
  };
  EXPECT_EQ(ceilings("8", "700"), 1U);
  EXPECT_EQ(ceilings("8", "0"), 0U);
  EXPECT_EQ(ceilings("8", "-5"), 0U);
  EXPECT_EQ(ceilings("8", "5000000"), 0U);
  EXPECT_EQ(ceilings("0", "700"), 0U);
  const auto measured = [&](std::string_view watts) {
    return figures_of("x.csv", csv("8", "", watts), EnergyKind::measured_gpu);
  };
  EXPECT_EQ(measured("600"), 1U);
  EXPECT_EQ(measured("0"), 0U);
  EXPECT_EQ(measured("-5"), 0U);
  EXPECT_EQ(measured("40000000"), 0U);
}

}  // namespace
}  // namespace tokenjoule
