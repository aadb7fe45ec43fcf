#include "engines/prometheus_text.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The page of a text that must be one.
PrometheusPage page_of(const std::string& text, std::string_view content_type = {}) {
  auto page = prometheus_page(text, content_type);
  EXPECT_TRUE(page.has_value()) << (page ? "" : page.error().message);
  return page ? std::move(*page) : PrometheusPage{};
}

/// The value of the only sample of that name; NaN if there is not exactly one.
double value_of(const PrometheusPage& page, std::string_view name) {
  const auto samples = page.samples_named(name);
  return samples.size() == 1 ? samples[0]->value : std::nan("");
}

int samples_on(const PrometheusPage& page) {
  int count = 0;
  for (const auto& family : page.families) count += static_cast<int>(family.samples.size());
  return count;
}

TEST(PrometheusPage, ReadsNameLabelsValueTypeAndHelp) {
  const auto page = page_of(
      "# HELP vllm:generation_tokens_total Number of \\\\ tokens\\nprocessed.\n"
      "# TYPE vllm:generation_tokens_total counter\n"
      "vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"} 416300.0\n");
  ASSERT_EQ(page.families.size(), 1u);
  const PrometheusFamily& family = page.families[0];
  EXPECT_EQ(family.name, "vllm:generation_tokens_total");
  EXPECT_EQ(family.type, "counter");
  EXPECT_EQ(family.help, "Number of \\ tokens\nprocessed.");
  ASSERT_EQ(family.samples.size(), 1u);
  EXPECT_EQ(family.samples[0].label("model_name"), "m");
  EXPECT_EQ(family.samples[0].label("engine"), "0");
  EXPECT_EQ(family.samples[0].label("pid"), std::nullopt);
  EXPECT_EQ(family.samples[0].value, 416300.0);
  EXPECT_FALSE(page.truncated);
}

TEST(PrometheusPage, TakesEscapesBlanksTabsTrailingCommaAndTimestamps) {
  const auto page = page_of(
      "a{path=\"C:\\\\x\",say=\"\\\"hi\\\"\",nl=\"1\\n2\",odd=\"a,b=c}{\",empty=\"\"} 1 "
      "1791234567890\n"
      "b{x=\"1\",} 2\n"
      "c{ x = \"1\" , y = \"2\" } 3\n"
      "d{x=\"1\"}\t \t4\n"
      "  e 5\n"
      "f{} 6\n");
  EXPECT_EQ(page.lines_refused, 0) << page.first_refused;
  const auto* a = page.samples_named("a").at(0);
  EXPECT_EQ(a->label("path"), "C:\\x");
  EXPECT_EQ(a->label("say"), "\"hi\"");
  EXPECT_EQ(a->label("nl"), "1\n2");
  EXPECT_EQ(a->label("odd"), "a,b=c}{");
  EXPECT_EQ(a->label("empty"), "");
  for (const auto& [name, value] :
       {std::pair{"a", 1.0}, {"b", 2.0}, {"c", 3.0}, {"d", 4.0}, {"e", 5.0}, {"f", 6.0}}) {
    EXPECT_EQ(value_of(page, name), value) << name;
  }
}

TEST(PrometheusPage, TakesEveryWayToWriteANumber) {
  const auto page = page_of(
      "big 1.4513840128e+010\nexp 1.7560473e+07\nplus +3\nneg -4e-05\nlong 123456789012345678\n"
      "nan NaN\npinf +Inf\ninf Inf\nninf -Inf\n");
  EXPECT_EQ(value_of(page, "big"), 14513840128.0);
  EXPECT_EQ(value_of(page, "exp"), 17560473.0);
  EXPECT_EQ(value_of(page, "plus"), 3.0);
  EXPECT_EQ(value_of(page, "neg"), -0.00004);
  EXPECT_EQ(value_of(page, "long"), 123456789012345678.0);
  EXPECT_TRUE(std::isnan(page.samples_named("nan").at(0)->value));
  EXPECT_TRUE(std::isinf(value_of(page, "pinf")) && value_of(page, "pinf") > 0);
  EXPECT_TRUE(std::isinf(value_of(page, "inf")) && value_of(page, "inf") > 0);
  EXPECT_TRUE(std::isinf(value_of(page, "ninf")) && value_of(page, "ninf") < 0);
}

TEST(PrometheusPage, SamplesOfHistogramsAndSuffixedCountersStandInTheirFamily) {
  const auto page = page_of(
      "# TYPE h histogram\nh_sum 2\nh_count 1\nh_bucket{x=\"1\",le=\"+Inf\"} 1\n"
      "# TYPE t counter\nt_total 7\nt_created 1\n"
      "# TYPE sized_created gauge\nsized_created 5\n"
      "# TYPE iteration_tokens_total histogram\niteration_tokens_total_sum 9\n");
  EXPECT_EQ(page.family("h")->samples.size(), 3u);
  EXPECT_EQ(page.family("t")->samples.size(), 2u);
  EXPECT_EQ(page.family("sized_created")->samples.size(), 1u);
  EXPECT_EQ(page.family("iteration_tokens_total")->samples.size(), 1u);
  EXPECT_EQ(page.families.size(), 4u);
}

TEST(PrometheusPage, ReadsOpenMetricsWithExemplarsUnitsAndStampsInSeconds) {
  const auto page = page_of(
      "# TYPE acc counter\n# UNIT acc requests\n"
      "acc_total{code=\"200\"} 17 1791234567.123 # {trace_id=\"K\"} 0.67 1791234566.9\n"
      "acc_bucket{le=\"0.1\"} 8 # {} 0.054\n# EOF\n",
      "application/openmetrics-text; version=1.0.0");
  EXPECT_EQ(page.lines_refused, 0) << page.first_refused;
  EXPECT_FALSE(page.truncated);
  EXPECT_EQ(value_of(page, "acc_total"), 17.0);
  EXPECT_EQ(value_of(page, "acc_bucket"), 8.0);
}

TEST(PrometheusPage, OpenMetricsWithoutItsEndIsTruncatedAndNothingMayFollowTheEnd) {
  EXPECT_TRUE(page_of("a 1\n", "application/openmetrics-text").truncated);
  EXPECT_FALSE(page_of("a 1\n", "text/plain").truncated);
  EXPECT_FALSE(page_of("a 1\n# EOF").truncated);
  const auto page = page_of("a 1\n# EOF\nb 2\n");
  EXPECT_EQ(page.lines_refused, 1);
  EXPECT_EQ(page.first_refused, "b 2");
}

TEST(PrometheusPage, TakesQuotedNamesOfPrometheus3) {
  const auto page = page_of(
      "# TYPE \"llm.tokens.total\" counter\n"
      "{\"llm.tokens.total\",\"gen_ai.model\"=\"m\",kind=\"output\"} 7\n"
      "plain_total{\"quoted label\"=\"x\"} 9\n");
  EXPECT_EQ(page.lines_refused, 0) << page.first_refused;
  EXPECT_EQ(page.family("llm.tokens.total")->type, "counter");
  EXPECT_EQ(page.samples_named("llm.tokens.total").at(0)->label("gen_ai.model"), "m");
  EXPECT_EQ(page.samples_named("plain_total").at(0)->label("quoted label"), "x");
}

TEST(PrometheusPage, ALineThatCannotBeReadIsCountedAndTheFirstIsKept) {
  const auto page = page_of(
      "good 1\nno_value{a=\"b\"}\nopen{a=\"b 9\nbare{a=b} 9\nhex 0x1p-2\nscore 1_000\nwords not a "
      "number\n"
      "escape{a=\"\\q\"} 1\n9name 1\ntwo 1 2 3\n{} 1\ncrlf 3\r\n");
  EXPECT_EQ(page.lines_refused, 10);
  EXPECT_EQ(page.first_refused, "no_value{a=\"b\"}");
  EXPECT_EQ(samples_on(page), 2);
  EXPECT_EQ(value_of(page, "crlf"), 3.0);
}

TEST(PrometheusPage, ALastLineWithoutAnEndIsDroppedAndFlagged) {
  const auto page = page_of("a 1\nb 123");
  EXPECT_TRUE(page.truncated);
  EXPECT_EQ(samples_on(page), 1);
}

TEST(PrometheusPage, AnotherKindOfAnswerIsAnErrorThatQuotesIt) {
  for (const auto& [body, start] : {std::pair{"", "nothing instead"},
                                    {"<!doctype html><html>502</html>", "HTML instead"},
                                    {"{\"detail\":\"Not Found\"}\n", "JSON instead"},
                                    {"[]", "JSON instead"},
                                    {"404 page not found\n", "other text instead"},
                                    {"\"quoted\"\n", "other text instead"}}) {
    const auto page = prometheus_page(body);
    ASSERT_FALSE(page.has_value()) << body;
    EXPECT_EQ(page.error().kind, ErrorKind::missing);
    EXPECT_EQ(page.error().message.find(start), 0u) << page.error().message;
  }
}

TEST(PrometheusPage, APageWrappedInAJsonStringIsUnwrapped) {
  const auto page = page_of("\"# TYPE a counter\\na 41233\\n\"");
  EXPECT_EQ(value_of(page, "a"), 41233.0);
}

TEST(PrometheusPage, APageOfManyFamiliesIsReadInOnePass) {
  std::string text;
  constexpr int kFamilies = 100'000;
  for (int i = 0; i < kFamilies; ++i) {
    text += "# TYPE m" + std::to_string(i) + " counter\nm" + std::to_string(i) + " 1\n";
  }
  EXPECT_EQ(page_of(text).families.size(),
            std::size_t{kFamilies});  // quadratic work would time out
}

/// The text of a file that lies beside the checkout; skips the test where there is none.
#define TEXT_OF_FILE_OR_SKIP(variable, name)                                                    \
  const std::string variable = bytes_of(TOKENJOULE_SOURCE_DIR "/../shared/data/metrics/" name); \
  if (variable.empty()) GTEST_SKIP() << "the sample page " name " is not on this machine"

TEST(PrometheusPageFile, EdgeCasesOfTextFormat) {
  TEXT_OF_FILE_OR_SKIP(text, "edgecases-text-0.0.4.prom");
  const auto page = page_of(text, "text/plain; version=0.0.4");
  EXPECT_EQ(page.lines_refused, 0) << page.first_refused;
  EXPECT_EQ(page.samples_named("esc_total").size(), 4u);
  EXPECT_EQ(page.samples_named("esc_total")[0]->label("utf8"), "模型-é");
  EXPECT_EQ(value_of(page, "notype_exp010"), 14513840128.0);
  EXPECT_EQ(page.samples_named("vllm:generation_tokens_total").size(), 2u);
  EXPECT_EQ(page.family("rpc_duration_seconds")->samples.size(), 4u);
  EXPECT_EQ(page.family("h")->samples.size(), 5u);
}

TEST(PrometheusPageFile, EdgeCasesOfOpenMetrics) {
  TEXT_OF_FILE_OR_SKIP(text, "edgecases-openmetrics-1.0.prom");
  const auto page = page_of(text, "application/openmetrics-text; version=1.0.0");
  EXPECT_EQ(page.lines_refused, 0) << page.first_refused;
  EXPECT_FALSE(page.truncated);
  EXPECT_EQ(page.family("acc_requests")->samples.size(), 2u);
  EXPECT_EQ(page.family("gh")->samples.size(), 4u);
  EXPECT_EQ(page.family("build")->samples.size(), 1u);
}

TEST(PrometheusPageFile, EdgeCasesOfQuotedNames) {
  TEXT_OF_FILE_OR_SKIP(text, "edgecases-text-1.0.0-utf8-names.prom");
  const auto page = page_of(text);
  EXPECT_EQ(page.lines_refused, 0) << page.first_refused;
  EXPECT_EQ(page.samples_named("llm.tokens.total").size(), 2u);
}

TEST(PrometheusPageFile, EdgeCasesOfMalformedText) {
  TEXT_OF_FILE_OR_SKIP(text, "edgecases-malformed.prom");
  const auto page = page_of(text);
  // Seven broken samples, one second TYPE, one line of HTML, one of JSON.
  EXPECT_EQ(page.lines_refused, 10);
  EXPECT_EQ(page.first_refused, "broken_no_value{a=\"b\"}");
  EXPECT_TRUE(page.truncated);
  EXPECT_EQ(samples_on(page), 5);
}

TEST(PrometheusPageFile, TheCorpusOfTheFuzzTargetIsReadWithoutAFault) {
  const std::filesystem::path corpus = TOKENJOULE_SOURCE_DIR "/tests/fuzz/corpus/prometheus_text";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    const auto page = prometheus_page(bytes_of(entry.path()));
    EXPECT_TRUE(page || !page.error().message.empty()) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 5);
}

}  // namespace
}  // namespace tokenjoule
