// A server that stands still for a second, in an open loop: what the user sees of it.

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"
#include "load/shapes/arrival_schedule.hpp"

namespace tokenjoule {
namespace {

using test::at;
using test::TestRun;

constexpr Nanoseconds kService = microseconds(100);
const MonoTime kStall = at(18);
const MonoTime kGoesOn = at(19);

/// When an answer that is asked for at `sent` is there: in 0.1 ms, if the server does not stand.
MonoTime answered(MonoTime sent) {
  if (sent >= kGoesOn) return sent + kService;
  const MonoTime end = sent + kService;
  if (end <= kStall) return end;
  return sent >= kStall ? kGoesOn + kService : end + (kGoesOn - kStall);
}

/// 100 requests a second from 15.005 s on, at most two in flight.
std::vector<RequestRecord> requests_of_two_streams() {
  ArrivalSchedule schedule({.per_second = 100, .process = ArrivalProcess::constant}, 0);
  MonoTime free[] = {at(0), at(0)};
  std::vector<RequestRecord> records;
  for (std::uint64_t id = 0; id < 1000; ++id) {
    RequestRecord record;
    record.id = id;
    record.reused_connection = true;
    record.planned = at(14.995) + schedule.next();
    MonoTime& stream = free[0] <= free[1] ? free[0] : free[1];
    record.stream_free = record.sent = std::max(record.planned, stream);
    stream = answered(record.sent);
    record.end = stream;
    TokenTimesWriter writer(record.sent);
    writer.add({stream, std::nullopt, false});
    record.token_times = writer.take();
    record.token_events = 1;
    record.output_tokens = 1;
    record.output_tokens_asked = 1;
    records.push_back(record);
  }
  return records;
}

/// The run as seen over the stall and the time until the backlog is gone.
Report seen_over_the_stall(const char* mode) {
  TestRun run = test::sound_run();
  run.run.requests = requests_of_two_streams();
  run.run.header.configuration_json = std::string(R"({"mode": ")") + mode + R"("})";
  Question question;
  question.window = test::span(18, 19.0101);
  return run.analysed(question);
}

TEST(StalledServer, IsInTheLatencyOfEveryRequestThatWasPlannedMeanwhile) {
  // Planned at 18.005, 18.015, … 18.995 and 19.005 s; all but the last answered from 19 s on.
  const Summary open = seen_over_the_stall("open").latency.at("e2e_latency_seconds");
  EXPECT_EQ(open.n, 101);
  EXPECT_NEAR(*open.mean, 0.5, 0.01);
  EXPECT_NEAR(*open.p50, 0.5, 0.01);
  EXPECT_NEAR(*open.p99, 0.985, 0.01);
}

TEST(StalledServer, AtTheEndOfTheWindowIsNotHiddenByIt) {
  TestRun run = test::sound_run();
  run.run.requests = requests_of_two_streams();
  run.run.header.configuration_json = R"({"mode": "open"})";
  Question question;
  question.window = test::span(18, 19);
  const Summary open = run.analysed(question).latency.at("e2e_latency_seconds");
  EXPECT_EQ(open.n, 100);  // though 98 of them were sent behind it
  EXPECT_NEAR(*open.mean, 0.5, 0.01);
  // Behind the stall the same requests are not counted a second time.
  question.window = test::span(19, 19.2);
  EXPECT_NEAR(*run.analysed(question).latency.at("e2e_latency_seconds").p50, 0.0001, 1e-6);
}

TEST(StalledServer, IsHiddenFromTheSendTimesByTheCap) {
  const Summary service = seen_over_the_stall("closed").latency.at("e2e_latency_seconds");
  EXPECT_EQ(service.n, 101);
  EXPECT_LT(*service.p95, 0.001);  // only the two that were in flight show it
  EXPECT_LT(*service.mean, 0.03);
}

TEST(StalledServer, IsNotTheClientsFaultAndSaysSo) {
  const Report report = seen_over_the_stall("open");
  EXPECT_EQ(test::severity_of(report, "concurrency_capped"), "note");
  EXPECT_EQ(test::severity_of(report, "client_limited"), "none");
  EXPECT_NEAR(report.client.stream_wait_max->value(), 0.975, 0.01);
}

}  // namespace
}  // namespace tokenjoule
