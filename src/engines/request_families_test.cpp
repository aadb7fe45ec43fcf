#include "engines/request_families.hpp"

#include <gtest/gtest.h>

#include "engines/dialect.hpp"

namespace tokenjoule {
namespace {

PrometheusPage page_of(const std::string& text) {
  const auto page = prometheus_page(text + "\n");
  EXPECT_TRUE(page.has_value());
  return page ? *page : PrometheusPage();
}

std::string vllm_page() {
  std::string text;
  for (const char* engine : {"0", "1"}) {
    const std::string labels = "engine=\"" + std::string(engine) + "\"";
    for (const char* reason : {"stop 3", "length 2", "abort 1"}) {
      const std::string row(reason);
      const auto blank = row.find(' ');
      text += "vllm:request_success_total{" + labels + ",finished_reason=\"" +
              row.substr(0, blank) + "\"}" + row.substr(blank) + "\n";
    }
    for (const char* bucket : {"le=\"100.0\"} 2", "le=\"200.0\"} 5", "le=\"+Inf\"} 6"}) {
      text += "vllm:request_prompt_tokens_bucket{" + labels + "," + bucket + "\n";
    }
    text += "vllm:request_prompt_tokens_sum{" + labels + "} 900\n";
    text += "vllm:request_prompt_tokens_count{" + labels + "} 6\n";
  }
  return text;
}

RequestFamilies families_of(const PrometheusPage& page, const char* engine) {
  return request_families_on(page, dialect_named(engine)->counters_on(page));
}

TEST(RequestFamilies, AreThoseThatThePageHas) {
  const PrometheusPage page = page_of(vllm_page());
  const RequestFamilies families = families_of(page, "vllm");
  EXPECT_EQ(families.finished, "vllm:request_success_total");
  EXPECT_EQ(families.finished_label, "finished_reason");
  EXPECT_EQ(families.lengths.at(RequestLength::prompt_tokens), "vllm:request_prompt_tokens");
  EXPECT_EQ(families.lengths.count(RequestLength::output_tokens), 0u);
}

TEST(RequestFamilies, AddUpTheEnginesOfAPage) {
  const PrometheusPage page = page_of(vllm_page());
  const RequestFamilies families = families_of(page, "vllm");
  const auto finished = finished_on(page, families);
  EXPECT_EQ(finished, (std::map<std::string, double>{{"stop", 6}, {"length", 4}, {"abort", 2}}));
  const auto lengths = lengths_on(page, families);
  const LengthHistogram& prompts = lengths.at(RequestLength::prompt_tokens);
  EXPECT_EQ(prompts.count, 12);
  EXPECT_EQ(prompts.sum, 1800);
  EXPECT_EQ(prompts.buckets, (std::vector<std::pair<double, double>>{{100, 4}, {200, 10}}));
}

TEST(RequestFamilies, ARuleForGoodEndsOnlyStillHasAllEndsByReason) {
  const PrometheusPage page = page_of(
      "lmdeploy:request_success_total{finished_reason=\"ResponseType.FINISH\"} 7\n"
      "lmdeploy:request_success_total{finished_reason=\"ResponseType.CANCEL\"} 2\n"
      "lmdeploy:generation_tokens_total 70");
  const RequestFamilies families = families_of(page, "lmdeploy");
  EXPECT_EQ(families.finished_label, "finished_reason");
  EXPECT_EQ(finished_on(page, families).at("ResponseType.CANCEL"), 2);
}

TEST(RequestFamilies, AHistogramThatIsNotWholeIsLeftOut) {
  const std::string head = "tgi_request_generated_tokens_";
  const std::string whole = head + "bucket{le=\"10\"} 2\n" + head + "bucket{le=\"+Inf\"} 3\n" +
                            head + "sum 40\n" + head + "count 3";
  EXPECT_EQ(families_of(page_of(whole), "tgi").lengths.size(), 1u);
  const std::string without_end = head + "bucket{le=\"10\"} 2\n" + head + "sum 40";
  EXPECT_TRUE(families_of(page_of(without_end), "tgi").lengths.empty());
  const std::string falling =
      head + "bucket{le=\"10\"} 4\n" + head + "bucket{le=\"+Inf\"} 3\n" + head + "sum 40";
  EXPECT_TRUE(families_of(page_of(falling), "tgi").lengths.empty());
  const std::string no_sum = head + "bucket{le=\"10\"} 2\n" + head + "bucket{le=\"+Inf\"} 3";
  EXPECT_TRUE(families_of(page_of(no_sum), "tgi").lengths.empty());
}

TEST(Joined, AddsBucketsAndRefusesOtherBounds) {
  const LengthHistogram a{{{10, 1}, {20, 2}}, 3, 50}, b{{{10, 2}, {20, 2}}, 2, 20};
  const auto both = joined(a, b);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->buckets[0].second, 3);
  EXPECT_EQ(both->count, 5);
  EXPECT_EQ(both->sum, 70);
  EXPECT_FALSE(joined(a, {{{10, 2}, {30, 2}}, 2, 20}).has_value());
}

}  // namespace
}  // namespace tokenjoule
