#include "record/import/load_logs.hpp"

#include <gtest/gtest.h>

#include "analysis/token_counts.hpp"
#include "record/import/test_files.hpp"

namespace tokenjoule {
namespace {

TEST(ReadVllm, RebuildsEachRequestFromTheArrays) {
  const auto log = read_vllm(sample("vllm_detailed.json"), {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->requests.size(), 3U);
  EXPECT_FALSE(log->totals);
  EXPECT_EQ(log->engine, "vllm");
  EXPECT_EQ(log->concurrency, 2);
  const RequestRecord& first = log->requests[0];
  EXPECT_EQ(first.sent.ns, 0);
  EXPECT_EQ(first.token_times, "500000 100000 100000 100000");
  EXPECT_EQ(first.output_tokens, 4);
  EXPECT_EQ(first.prompt_tokens, 100);
  EXPECT_EQ(first.end->ns, 800'000'000);
  const RequestRecord& failed = log->requests[1];
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_EQ(failed.failure, "failed: Traceback: connection reset");
  EXPECT_FALSE(failed.output_tokens) << "a failed request has no count, not 0";
  EXPECT_EQ(log->requests[2].sent.ns, 4'500'000'000);
  EXPECT_EQ(log->length.count, 6'000'000'000);  // 4.5 s + 1.5 s
}

TEST(ReadVllm, PlacesTheLoadBeforeTheDateOfTheResult) {
  const auto log = read_vllm(sample("vllm_detailed.json"), {});
  ASSERT_TRUE(log);
  // Written at 14:14:21, local time; the load took 6 s.
  EXPECT_EQ(log->begin_ns, kSampleBegin + 55 * kOneSecond);
  EXPECT_FALSE(log->zone_known);
  EXPECT_EQ(log->slack, Seconds(60));
}

TEST(ReadVllm, ARequestThatCannotBeReadIsNamed) {
  const auto log = read_vllm(
      R"({"duration": 2, "total_output_tokens": 3, "ttfts": [0.5, null], "itls": [[], []],
          "start_times": [1, 2], "input_lens": [5, 5], "output_lens": [1, 1]})",
      {});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->requests.size(), 1U);
  EXPECT_EQ(log->skipped.count, 1);
}

TEST(ReadVllm, WithoutDetailsItHasTotals) {
  const auto log = read_vllm(sample("vllm_summary.json"), {});
  ASSERT_TRUE(log);
  EXPECT_TRUE(log->requests.empty());
  EXPECT_EQ(log->totals->output_tokens, 600);
  EXPECT_EQ(log->totals->requests, 3);
  EXPECT_EQ(log->request_rate, 2.0);
  EXPECT_FALSE(log->concurrency);
  EXPECT_FALSE(log->limits.empty());
}

TEST(ReadSglang, TakesTheLastRunOrTheOneAskedFor) {
  const auto last = read_sglang(sample("sglang.jsonl"), {});
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->totals->output_tokens, 8000);
  EXPECT_FALSE(last->begin_ns) << "it says no time";
  EXPECT_FALSE(last->request_rate) << "Infinity is no rate";
  ReadOptions options;
  options.run = 1;
  EXPECT_EQ(read_sglang(sample("sglang.jsonl"), options)->totals->output_tokens, 2000);
  options.run = 3;
  EXPECT_FALSE(read_sglang(sample("sglang.jsonl"), options));
}

TEST(ReadInferencex, HasTheWindowInUnixTime) {
  const auto log = read_inferencex(sample("inferencex_raw.json"), {});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->begin_ns, kSampleBegin);
  EXPECT_EQ(log->length.count, 60 * kOneSecond);
  EXPECT_TRUE(log->zone_known);
  EXPECT_EQ(log->totals->prompt_tokens, 590227);
  EXPECT_EQ(log->contract->completed, 640);
}

TEST(ReadInferencex, ARunWithoutASuccessIsRefused) {
  const auto log = read_inferencex(
      R"({"duration": 1, "total_output_tokens": 0, "completed": 0, "request_goodput:": null})", {});
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("invalid_successful_query_count"), std::string::npos);
}

TEST(ReadAiperf, ReadsOutcomesPhasesAndPieces) {
  const auto log = read_aiperf(sample("aiperf_profile_export.jsonl"), {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->requests.size(), 4U);
  EXPECT_EQ(log->skipped.count, 1);
  EXPECT_EQ(log->begin_ns, kSampleBegin) << "warm-up does not count as load";
  EXPECT_TRUE(log->requests[0].warmup);
  EXPECT_EQ(log->requests[0].sent.ns, -2 * kOneSecond);
  const RequestRecord& done = log->requests[1];
  EXPECT_EQ(done.token_times, "200000 50000 50000");
  EXPECT_EQ(done.reasoning_tokens, 1);
  EXPECT_EQ(log->requests[2].outcome, Outcome::failed);
  EXPECT_EQ(log->requests[2].failure, "InternalServerError: out of memory");
  EXPECT_EQ(log->requests[2].http_status, 500);
  EXPECT_EQ(log->requests[3].outcome, Outcome::cancelled);
}

TEST(ReadGuidellm, KnowsFirstAndLastTokenOnly) {
  const auto log = read_guidellm(sample("guidellm_benchmarks.json"), {});
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->requests.size(), 4U);
  EXPECT_EQ(log->skipped.count, 1);
  EXPECT_FALSE(log->pieces_known);
  EXPECT_EQ(log->requests[0].token_times, "250000x1 1000000x10");
  EXPECT_EQ(log->requests[0].output_tokens, 11);
  EXPECT_EQ(log->requests[1].outcome, Outcome::failed);  // sent at 1 s
  EXPECT_EQ(log->requests[3].outcome, Outcome::cancelled);
  EXPECT_EQ(log->concurrency, 2);
  EXPECT_EQ(tokens_of(log->requests[0]).total, 11);
}

TEST(ReadGuidellm, ReadsTheOlderSchema) {
  const auto log = read_guidellm(sample("guidellm_older.json"), {});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->requests[0].token_times, "500000x1 1500000x3");
  EXPECT_EQ(log->requests[0].prompt_tokens, 64);
}

TEST(ReadMlperfLoadgen, MultipliesRatesByTheWindow) {
  const auto log = read_mlperf_loadgen(sample("mlperf_log_detail.txt"), {});
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->begin_ns, kSampleBegin);
  EXPECT_DOUBLE_EQ(log->totals->output_tokens, 60000);
  EXPECT_DOUBLE_EQ(*log->totals->requests, 600);
}

TEST(LoadReaders, RefuseOtherTexts) {
  for (const char* text : {"", "{", "[]", "{}", "<html>", "1,2,3", "null", "{\"benchmarks\": []}",
                           "{\"duration\": -1, \"total_output_tokens\": 3}"}) {
    EXPECT_FALSE(read_vllm(text, {})) << text;
    EXPECT_FALSE(read_sglang(text, {})) << text;
    EXPECT_FALSE(read_inferencex(text, {})) << text;
    EXPECT_FALSE(read_aiperf(text, {})) << text;
    EXPECT_FALSE(read_guidellm(text, {})) << text;
    EXPECT_FALSE(read_mlperf_loadgen(text, {})) << text;
  }
}

}  // namespace
}  // namespace tokenjoule
