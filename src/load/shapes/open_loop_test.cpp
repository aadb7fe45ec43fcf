#include <algorithm>

#include <gtest/gtest.h>

#include "load/load_fixture.hpp"
#include "load/workload.hpp"

namespace tokenjoule {
namespace {

ScriptedServer answering_server() {
  return ScriptedServer([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(3)));
    return Then::keep_open;
  });
}

ArrivalRate constant_rate(double per_second) {
  return {.per_second = per_second, .process = ArrivalProcess::constant};
}

std::vector<RequestRecord> open_loop_records(const std::string& url, const ArrivalRate& rate,
                                             std::int64_t requests, std::int64_t cap,
                                             int threads = 1) {
  Load load(url, requests);
  load.options.arrivals = rate;
  load.options.concurrency = cap;
  load.options.load_threads = threads;
  load.options.output_length = length_spec_in("1-1000").value();
  load.run();
  return load.records();
}

TEST(OpenLoop, RequestsArePlannedOnTheScheduleAndNeverSentBefore) {
  ScriptedServer server = answering_server();
  const auto records = open_loop_records(server.url(), constant_rate(500), 25, 50);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].planned - records[0].planned,
              milliseconds(2) * static_cast<std::int64_t>(i));
    EXPECT_GE(records[i].sent, records[i].planned);
    EXPECT_GE(records[i].sent, records[i].stream_free);
    EXPECT_EQ(records[i].outcome, Outcome::completed) << records[i].failure;
  }
  EXPECT_LE(server.connections(), 50);
}

TEST(OpenLoop, WhereTheCapIsReachedRequestsKeepTheirTimeAndTellOfTheWait) {
  ScriptedServer server = answering_server();
  // A request each microsecond is more than one stream can send.
  const auto records = open_loop_records(server.url(), constant_rate(1e6), 20, 1);
  for (std::size_t i = 1; i < records.size(); ++i) {
    EXPECT_EQ(records[i].planned - records[0].planned,
              microseconds(1) * static_cast<std::int64_t>(i));
    EXPECT_GE(records[i].stream_free, records[i - 1].end);
    EXPECT_GE(records[i].sent, records[i].stream_free);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(OpenLoop, LengthsAndGapsAreTheSameForAnyNumberOfThreads) {  // L37
  ScriptedServer server = answering_server();
  const ArrivalRate rate{.per_second = 2000, .seed = 9};
  const auto one = open_loop_records(server.url(), rate, 60, 40);
  const auto four = open_loop_records(server.url(), rate, 60, 40, 4);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].output_tokens_asked, four[i].output_tokens_asked);
    if (i == 0) continue;
    const auto gap = [&](const auto& records) {
      return records[i].planned - records[i - 1].planned;
    };
    // Both times are rounded to whole nanoseconds from the begin of the load.
    EXPECT_LE(std::abs((gap(one) - gap(four)).count), 1);
  }
}

TEST(OpenLoop, AServerThatRefusesDoesNotSlowTheSchedule) {
  std::string url;
  {
    ScriptedServer gone = answering_server();
    url = gone.url();
  }
  const auto records = open_loop_records(url, constant_rate(1000), 10, 30);
  for (const RequestRecord& record : records) {
    EXPECT_EQ(record.outcome, Outcome::failed);
    EXPECT_EQ(record.failure, "refused");
    EXPECT_EQ(record.stream_free, record.planned);
  }
}

TEST(OpenLoop, WarmupFlowsIntoTheMeasuredRequestsWithoutAGap) {
  ScriptedServer server = answering_server();
  Load load(server.url(), 5);
  load.options.arrivals = constant_rate(500);
  load.options.concurrency = 20;
  load.start();
  load.client->begin_warmup();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().warmup_completed >= 3; }));
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  std::vector<MonoTime> planned;
  for (const Event& event : load.queue.take()) {
    if (const auto* record = std::get_if<RequestRecord>(&event)) planned.push_back(record->planned);
  }
  std::sort(planned.begin(), planned.end());
  ASSERT_GE(planned.size(), 8U);
  for (std::size_t i = 1; i < planned.size(); ++i) {
    EXPECT_EQ(planned[i] - planned[i - 1], milliseconds(2));
  }
}

TEST(Conversations, GoOnOnTheirStreamBehindTheThinkTime) {
  ScriptedServer server = answering_server();
  RequestPool pool;
  pool.entries = {{.input = 3, .output = 2}};
  pool.entries[0].later = {{.input = 4, .output = 5, .think = milliseconds(20)}};
  Load load(server.url(), 2);
  load.options.pool = &pool;
  load.options.concurrency = 1;
  load.start();
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().completed >= 4; }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  std::map<std::uint64_t, RequestRecord> records;
  for (const Event& event : load.queue.take()) {
    if (const auto* record = std::get_if<RequestRecord>(&event)) records[record->id] = *record;
  }
  for (const std::uint64_t id : {0U, 1U}) {
    const RequestRecord& first = records.at(id);
    const RequestRecord& second = records.at(id + kTurnStride);
    EXPECT_EQ(first.input_tokens_asked, 3);
    EXPECT_EQ(second.input_tokens_asked, 3 + 2 + 4);  // all that was said before, and its own
    EXPECT_EQ(second.output_tokens_asked, 5);
    EXPECT_EQ(second.planned, *first.end + milliseconds(20));
    EXPECT_GE(second.sent, second.planned);
    EXPECT_TRUE(second.reused_connection);
  }
}

TEST(LoadClient, TellsWhenTheLastOfItsRequestsHadEnded) {
  ScriptedServer server = answering_server();
  Load load(server.url(), 3);
  load.start();
  EXPECT_EQ(load.client->last_of_num_requests_ended(), std::nullopt);
  load.client->begin_measure();
  ASSERT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_ended().has_value(); }));
  const MonoTime ended = *load.client->last_of_num_requests_ended();
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  EXPECT_EQ(ended, *load.records().back().end + microseconds(1));
}

TEST(ClosedLoop, StreamsBeginOneAfterAnotherOverTheRamp) {
  ScriptedServer server = answering_server();
  Load load(server.url(), 1'000'000);
  load.options.concurrency = 4;
  load.options.ramp_up = Seconds(0.2);
  load.start();
  const MonoTime begin = load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return server.connections() == 4; }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  std::vector<MonoTime> firsts;  // of each stream: on a new connection
  for (const Event& event : load.queue.take()) {
    const auto* record = std::get_if<RequestRecord>(&event);
    if (record != nullptr && !record->reused_connection) firsts.push_back(record->sent);
  }
  std::sort(firsts.begin(), firsts.end());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    EXPECT_GE(firsts[i] - begin, milliseconds(50) * static_cast<std::int64_t>(i));
  }
}

}  // namespace
}  // namespace tokenjoule
