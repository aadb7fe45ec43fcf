#include "analysis/client_quality.hpp"

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::severity_of;
using test::sound_run;
using test::span;
using test::TestRun;

TEST(SendLateness, DoesNotHoldTheTimeOfConnecting) {
  TestRun run = sound_run();
  RequestRecord& request = run.run.requests[0];  // sent at 20
  request.reused_connection = false;
  request.planned = at(19.8);
  request.connecting = at(19.8004);
  const Report report = run.analysed();
  EXPECT_EQ(severity_of(report, "client_limited"), "none");
  EXPECT_NEAR(report.client.send_lateness_max->value(), 0.0004, 1e-9);
  EXPECT_NEAR(report.client.connect_max->value(), 0.1996, 1e-9);
}

TEST(SendLateness, IsTheClientsUpToWhereItWantedTheConnection) {
  TestRun run = sound_run();
  run.run.requests[0].planned = at(19.8);
  run.run.requests[0].connecting = at(19.81);
  EXPECT_EQ(severity_of(run.analysed(), "client_limited"), "care");
}

TEST(SendLateness, IsNotKnownOfAnOlderRecordThatOpenedAConnectionNorOfARepeatedRequest) {
  TestRun old = sound_run();
  old.run.requests[0].planned = at(19);
  old.run.requests[0].reused_connection = false;
  EXPECT_EQ(old.analysed().client.send_lateness_p99, std::nullopt);
  TestRun repeated = sound_run();
  repeated.run.requests[0].planned = at(19);
  repeated.run.requests[0].retries = 1;
  EXPECT_EQ(repeated.analysed().client.send_lateness_p99, std::nullopt);
  EXPECT_EQ(severity_of(repeated.analysed(), "client_limited"), "none");
}

/// A second of the client from `begin` on.
ClientState second_from(double begin) {
  ClientState state;
  state.span = span(begin, begin + 1);
  state.threads = {{Seconds(0.5), Seconds(0.01)}, {Seconds(0.25), Seconds(0.02)}};
  state.run_queue_wait = Seconds(0.03);
  state.loop_histogram[3] = 10;  // 8 to 16 us
  return state;
}

TEST(ClientQuality, HasEachLoadThreadAndTheTimeOfATurn) {
  TestRun run = sound_run();
  run.run.client = {second_from(20), second_from(21)};
  const ClientQuality client = run.analysed().client;
  ASSERT_EQ(client.threads.size(), 2U);
  EXPECT_DOUBLE_EQ(client.threads[0].cpu_share, 0.5);
  EXPECT_DOUBLE_EQ(client.threads[1].cpu_share, 0.25);
  EXPECT_NEAR(client.threads[1].run_queue_wait->value(), 0.04, 1e-12);
  EXPECT_NEAR(client.run_queue_wait->value(), 0.06, 1e-12);
  EXPECT_NEAR(client.loop_p50->value(), 12e-6, 1e-12);
  EXPECT_NEAR(client.loop_max->value(), 16e-6, 1e-12);
}

TEST(ClientQuality, AWaitThatTheKernelDoesNotKeepIsUnknown) {
  TestRun run = sound_run();
  run.run.client = {second_from(20), second_from(21)};
  run.run.client[1].run_queue_wait.reset();
  run.run.client[1].threads[0].run_queue_wait.reset();
  const ClientQuality client = run.analysed().client;
  EXPECT_EQ(client.run_queue_wait, std::nullopt);
  EXPECT_EQ(client.threads[0].run_queue_wait, std::nullopt);
  EXPECT_TRUE(client.threads[1].run_queue_wait);
}

TEST(ClientQuality, CountsPortsForAMinuteBehindTheirEnd) {
  TestRun run = sound_run();
  for (int second = 0; second < 62; ++second) {
    ClientState state = second_from(second);
    state.connections_opened = 10;  // and as many are closed
    state.connections_open = 4;
    state.local_ports = 28232;
    state.descriptors_open = second == 30 ? 40 : 20;
    state.descriptors_allowed = 1024;
    run.run.client.push_back(state);
  }
  const ClientQuality client = run.analysed().client;
  EXPECT_EQ(client.ports_used, 4 + 600);
  EXPECT_EQ(client.ports_allowed, 28232);
  EXPECT_EQ(client.descriptors_used, 40);
  EXPECT_EQ(client.descriptors_allowed, 1024);
}

TEST(ClientQuality, KnowsNoBudgetThatNobodyRecorded) {
  TestRun run = sound_run();
  run.run.client = {second_from(20)};
  const ClientQuality client = run.analysed().client;
  EXPECT_EQ(client.ports_used, std::nullopt);
  EXPECT_EQ(client.descriptors_allowed, std::nullopt);
}

TEST(ClientLimited, WhereNoPortWasLeft) {
  TestRun run = sound_run();
  RequestRecord& request = run.answer(25, {});
  request.outcome = Outcome::failed;
  request.failure = "no_port: all local ports are in use";
  EXPECT_EQ(severity_of(run.analysed(), "client_limited"), "care");
}

}  // namespace
}  // namespace tokenjoule
