#include "analysis/peer_definitions.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::TestRun;

/// A role alone at 50 ms, 16 pieces of 8 tokens each 80 ms from 130 ms on, the reason of the end
/// 5 ms behind the last, "[DONE]" 100 ms behind it.
Run speculative_run() {
  TestRun test;
  RequestRecord request;
  request.id = 1;
  request.planned = request.sent = at(20);
  request.first_choices = at(20.050);
  TokenTimesWriter writer(request.sent);
  for (int i = 0; i < 16; ++i) writer.add({at(20.130 + 0.080 * i), 8, false});
  request.token_times = writer.take();
  request.token_events = 16;
  request.prompt_tokens = 100;
  request.output_tokens = 128;
  request.finish = at(21.335);
  request.done = at(21.430);
  request.end = at(21.430);
  test.run.requests.push_back(request);
  request.warmup = true;  // counts for none of them
  request.id = 2;
  test.run.requests.push_back(request);
  return test.run;
}

PeerView view_of(const Run& run, PeerTool tool) {
  std::vector<AnswerTokens> answers;
  for (const RequestRecord& request : run.requests) answers.push_back(tokens_of(request));
  return counted_by(tool, run, answers);
}

const PeerMetric& metric(const PeerView& view, const std::string& name) {
  for (const PeerMetric& metric : view.metrics) {
    if (metric.name == name) return metric;
  }
  ADD_FAILURE() << "no " << name;
  static const PeerMetric none;
  return none;
}

double mean(const PeerView& view, const std::string& name) {
  return metric(view, name).summary.value_or(Summary()).mean.value_or(-1);
}
double value(const PeerView& view, const std::string& name) {
  return metric(view, name).value.value_or(-1);
}

TEST(PeerDefinitions, OfVllmTakeEveryChunkWithChoicesForAToken) {
  const PeerView view = view_of(speculative_run(), PeerTool::vllm);
  EXPECT_NEAR(mean(view, "TTFT"), 0.050, 1e-6);
  EXPECT_NEAR(mean(view, "E2EL"), 1.335, 1e-6);
  EXPECT_NEAR(mean(view, "TPOT"), (1.335 - 0.050) / 127, 1e-6);
  // The role's chunk to the first piece 80 ms, 15 gaps of 80 ms, and 5 ms to the end's.
  EXPECT_EQ(metric(view, "ITL").summary->n, 17);
  EXPECT_NEAR(mean(view, "ITL"), (16 * 0.080 + 0.005) / 17, 1e-6);
  EXPECT_NEAR(value(view, "Output token throughput"), 128 / 1.335, 1e-3);
  EXPECT_NEAR(value(view, "Total token throughput"), 228 / 1.335, 1e-3);
  EXPECT_NEAR(value(view, "Request throughput"), 1 / 1.335, 1e-6);
}

TEST(PeerDefinitions, OfAiperfCallItlWhatOthersCallTpot) {
  const PeerView view = view_of(speculative_run(), PeerTool::aiperf);
  EXPECT_NEAR(mean(view, "Time to First Token"), 0.130, 1e-6);
  EXPECT_NEAR(mean(view, "Request Latency"), 1.330, 1e-6);
  EXPECT_NEAR(mean(view, "Inter Token Latency"), 1.2 / 127, 1e-6);  // 9.449 ms
  EXPECT_NEAR(mean(view, "Inter Chunk Latency"), 0.080, 1e-6);
  EXPECT_NEAR(mean(view, "Output Token Throughput Per User"), 127 / 1.2, 1e-3);
}

TEST(PeerDefinitions, OfSglangDealAGapOutToItsTokensAndWaitForTheStreamsEnd) {
  const PeerView view = view_of(speculative_run(), PeerTool::sglang);
  EXPECT_NEAR(mean(view, "TTFT"), 0.130, 1e-6);
  EXPECT_NEAR(mean(view, "E2E Latency"), 1.430, 1e-6);
  EXPECT_NEAR(mean(view, "TPOT"), 1.3 / 127, 1e-6);
  EXPECT_EQ(metric(view, "ITL").summary->n, 120);
  EXPECT_NEAR(mean(view, "ITL"), 0.010, 1e-6);
  EXPECT_NEAR(value(view, "Concurrency"), 1, 1e-6);
}

TEST(PeerDefinitions, OfVllmTakeAChunkThatIsRoleTextAndEndAtOnceForOne) {
  TestRun test;
  RequestRecord& request = test.answer(20, {0.1, 0.2, 0.3});
  // The record keeps token times in whole microseconds, other stamps in nanoseconds.
  request.first_choices = at(20.1) + Nanoseconds{9};
  request.finish = at(20.3) + Nanoseconds{999};
  const PeerView view = view_of(test.run, PeerTool::vllm);
  EXPECT_EQ(metric(view, "ITL").summary->n, 2);
  EXPECT_NEAR(mean(view, "ITL"), 0.1, 1e-6);
  EXPECT_NEAR(mean(view, "TPOT"), 0.1, 1e-6);
}

TEST(PeerDefinitions, OfOneTokenHaveNoTimePerToken) {
  TestRun test;
  test.answer(20, {0.5});
  const PeerView view = view_of(test.run, PeerTool::vllm);
  EXPECT_NEAR(mean(view, "TTFT"), 0.5, 1e-6);
  EXPECT_FALSE(metric(view, "TPOT").summary->mean);
  EXPECT_FALSE(metric(view, "TPOT").summary->reason.empty());
}

TEST(PeerDefinitions, LeaveFailedRequestsOut) {
  TestRun test;
  test.answer(20, {0.5, 1.0});
  test.answer(20, {0.1, 0.2}).outcome = Outcome::failed;
  const PeerView view = view_of(test.run, PeerTool::aiperf);
  EXPECT_EQ(metric(view, "Time to First Token").summary->n, 1);
  EXPECT_NEAR(value(view, "Output token throughput"), 2 / 1.0, 1e-6);
}

TEST(PeerDefinitions, OfNothingAreUnknownRatherThanZero) {
  const PeerView view = view_of(TestRun().run, PeerTool::vllm);
  EXPECT_FALSE(metric(view, "TTFT").summary->mean);
  EXPECT_FALSE(metric(view, "Request throughput").value);
  EXPECT_FALSE(metric(view, "Request throughput").reason.empty());
}

TEST(PeerDefinitions, AreShownWhereAskedForOnly) {
  TestRun test = test::sound_run();
  EXPECT_FALSE(test.analysed().counted_as);
  Question question;
  question.definitions = PeerTool::sglang;
  const Report report = test.analysed(question);
  ASSERT_TRUE(report.counted_as);
  EXPECT_EQ(report.counted_as->tool, PeerTool::sglang);
}

}  // namespace
}  // namespace tokenjoule
