#include "analysis/engine_requests.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::severity_of;
using test::TestRun;

TEST(QuantileOf, IsLinearInsideItsBucket) {
  // Ten values up to 100, thirty more up to 200.
  const LengthHistogram histogram{{{100, 10}, {200, 40}}, 40, 5000};
  const auto p50 = quantile_of(histogram, 0.5);  // the 20th: 100 + 100 x (20 - 10) / 30
  ASSERT_TRUE(p50.has_value());
  EXPECT_NEAR(*p50->value, 133.333333, 1e-6);
  EXPECT_EQ(p50->low, 100);
  EXPECT_EQ(p50->high, 200);
  EXPECT_DOUBLE_EQ(*quantile_of(histogram, 0.125)->value, 50);  // the 5th of the first ten
}

TEST(QuantileOf, InTheLastBucketHasABoundAndNoValue) {
  const LengthHistogram histogram{{{100, 10}, {200, 15}}, 40, 9000};
  const auto p90 = quantile_of(histogram, 0.9);
  ASSERT_TRUE(p90.has_value());
  EXPECT_EQ(p90->value, std::nullopt);
  EXPECT_EQ(p90->low, 200);
  EXPECT_EQ(p90->high, std::nullopt);
}

TEST(QuantileOf, OfNothingIsUnknown) {
  EXPECT_EQ(quantile_of({{{100, 0}}, 0, 0}, 0.5), std::nullopt);
}

/// Others drive the load: 400 W, and an engine that makes 50 tokens a second; its page is read at
/// both edges of the window (10 s and 40 s).
TestRun recorded() {
  TestRun run;
  run.power(0);
  run.steady_power(0, 400);
  run.engine_counter(EngineMetric::output_tokens);
  run.engine_counter(EngineMetric::requests_finished, CounterClock::at_finish);
  run.run.engine->requests = {"done_total", "how", {{RequestLength::output_tokens, "len"}}, {}};
  for (const double t : {0.0, 10.0, 40.0, 45.0}) {
    run.scrape(t, {{EngineMetric::output_tokens, 50 * t}, {EngineMetric::requests_finished, t}});
    CounterScrape& scrape = run.run.scrapes.back();
    scrape.finished = {{"stop", 0.8 * t}};
    if (t >= 40) scrape.finished["abort"] = 6;
    if (t >= 40) scrape.finished["stop"] = 0.8 * 10 + 0.8 * (t - 10);
    scrape.lengths[RequestLength::output_tokens] = {{{64, t / 2}, {128, t}}, t, 60 * t};
  }
  return run;
}

TEST(EngineRequests, OfARecordingComeFromTheEnginesPage) {
  const Report report = recorded().analysed();
  ASSERT_TRUE(report.engine_requests.has_value());
  const EngineRequests& requests = *report.engine_requests;
  EXPECT_DOUBLE_EQ(*requests.finished, 30);
  EXPECT_DOUBLE_EQ(requests.by_reason.at("stop"), 24);
  EXPECT_DOUBLE_EQ(requests.by_reason.at("abort"), 6);  // not listed before: none had been
  EXPECT_DOUBLE_EQ(*requests.completed, 24);
  EXPECT_DOUBLE_EQ(*requests.output_tokens.requests, 30);
  EXPECT_DOUBLE_EQ(*requests.output_tokens.mean, 60);
  EXPECT_DOUBLE_EQ(*requests.output_tokens.p50->value, 64);  // 15 of 30 are at most 64 long
  EXPECT_EQ(requests.prompt_tokens.reason, "the engine's page has no histogram of it");
}

TEST(EngineRequests, MakeFiguresPerTokenAndPerQuery) {
  const Report report = recorded().analysed();
  EXPECT_EQ(report.tokens.source, "engine_counter");
  EXPECT_DOUBLE_EQ(*report.tokens.output, 1500);
  EXPECT_DOUBLE_EQ(*report.figures.at("joules_per_output_token").value, 8);  // 12000 J / 1500
  EXPECT_DOUBLE_EQ(*report.figures.at("watt_hours_per_query").value, 12000.0 / 3600 / 24);
}

TEST(EngineRequests, CountsBetweenScrapesAreAsFarOffAsTheyMayBe) {
  TestRun run = recorded();
  std::erase_if(run.run.scrapes, [](const CounterScrape& scrape) {
    return scrape.read.begin == test::at(10) || scrape.read.begin == test::at(40);
  });
  // From 0 s to 45 s nothing was read: 2250 tokens lie between, wherever the edges are.
  EXPECT_DOUBLE_EQ(*run.analysed().tokens.edge_bound_output, 4500);
  EXPECT_DOUBLE_EQ(*recorded().analysed().tokens.edge_bound_output, 0);
}

TEST(EngineRequests, AcrossARestartNothingIsKnown) {
  TestRun run = recorded();
  run.engine_counter(EngineMetric::process_start, CounterClock::gauge);
  for (CounterScrape& scrape : run.run.scrapes) {
    scrape.values[EngineMetric::process_start] = scrape.read.begin < test::at(30) ? 1 : 2;
  }
  const Report report = run.analysed();
  EXPECT_EQ(report.engine_requests->finished, std::nullopt);
  EXPECT_EQ(report.engine_requests->output_tokens.mean, std::nullopt);
  EXPECT_EQ(report.figures.at("joules_per_output_token").value, std::nullopt);
}

TEST(EngineRequests, OfARunWithRequestsOfOurOwnAreTheClients) {
  TestRun run = recorded();
  run.answer(20, {1, 2, 3});
  EXPECT_FALSE(run.analysed().engine_requests.has_value());
}

TEST(EngineRequests, WithoutAPageFiguresPerTokenAreNullAndTheVerdictIsNotTouched) {
  TestRun run;
  run.power(0);
  run.steady_power(0, 400);
  const Report report = run.analysed();
  EXPECT_EQ(report.figures.at("joules_per_output_token").value, std::nullopt);
  EXPECT_EQ(report.verdict.status, VerdictStatus::usable);
  EXPECT_EQ(report.idle.state, "as_found");
}

}  // namespace
}  // namespace tokenjoule
