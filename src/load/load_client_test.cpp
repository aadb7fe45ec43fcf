#include <algorithm>
#include <barrier>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "load/descriptor_limit.hpp"
#include "load/load_client.hpp"
#include "load/load_fixture.hpp"
#include "load/workload.hpp"

namespace tokenjoule {
namespace {

TEST(LoadClient, StreamsCompleteOverOneConnectionWithExactTokens) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(3)));
    return Then::keep_open;
  });
  Load load(server.url(), 5);
  load.run();
  const auto records = load.records();
  for (const RequestRecord& record : records) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_EQ(record.http_status, 200);
    EXPECT_EQ(record.output_tokens, 3);
    EXPECT_EQ(record.token_events, 3);
    EXPECT_EQ(record.prompt_tokens, 5);
    EXPECT_EQ(record.finish_reason, "length");
    EXPECT_EQ(record.input_tokens_asked, 4);
    EXPECT_EQ(record.output_tokens_asked, 3);
    EXPECT_FALSE(record.warmup);
    EXPECT_EQ(record.reused_connection, record.id > 0);
    EXPECT_EQ(record.retries, 0);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(LoadClient, StampsComeInTheOrderOfWhatTheyStamp) {
  const auto records = records_of(chunked(token_stream(3)), 4);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RequestRecord& record = records[i];
    EXPECT_LE(record.planned, record.sent);
    EXPECT_LE(record.sent, record.first_body);
    EXPECT_LE(record.first_body, record.first_choices);
    EXPECT_LE(record.first_choices, record.finish);
    EXPECT_LE(record.finish, record.usage);
    EXPECT_LE(record.usage, record.done);
    EXPECT_LE(record.done, record.end);
    if (i == 0) continue;
    EXPECT_EQ(record.planned, records[i - 1].end);
  }
}

TEST(LoadClient, ConnectionCloseIsFollowedByANewConnection) {  // L21
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    std::string answer = chunked(token_stream(2));
    answer.insert(answer.find("\r\n") + 2, "Connection: close\r\n");
    peer.send(answer);
    return Then::close;
  });
  Load load(server.url(), 4);
  load.run();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_FALSE(record.reused_connection);
    EXPECT_EQ(record.retries, 0);
  }
  EXPECT_GE(server.connections(), 4);
}

TEST(LoadClient, AKeptConnectionThatTheServerCloses_IsRepeatedAndCounted) {  // L21
  ScriptedServer server([](const Peer& peer, const ServedRequest& request) {
    // Reads the second request of a connection, and closes without a word.
    if (request.on_connection == 1) return Then::close;
    peer.send(chunked(token_stream(2)));
    return Then::keep_open;
  });
  Load load(server.url(), 3);
  load.run();
  const auto records = load.records();
  for (const RequestRecord& record : records) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_FALSE(record.reused_connection);
  }
  EXPECT_EQ(records[0].retries, 0);
  EXPECT_EQ(records[1].retries, 1);
  EXPECT_EQ(records[2].retries, 1);
}

TEST(LoadClient, EveryStreamIsInFlightAtOnceAndNeverMore) {  // L34
  constexpr int kStreams = 16;
  std::barrier all_here(kStreams);
  std::atomic<int> first_wave{0};
  ScriptedServer server([&](const Peer& peer, const ServedRequest&) {
    if (first_wave++ < kStreams) all_here.arrive_and_wait();
    peer.send(chunked(token_stream(2)));
    return Then::keep_open;
  });
  Load load(server.url(), 200);
  load.options.concurrency = kStreams;
  load.start();
  load.client->begin_warmup();
  EXPECT_TRUE(
      load.wait_for([&] { return load.client->progress().warmup_completed >= 2 * kStreams; }));
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  EXPECT_EQ(load.client->progress().in_flight, 0);
  load.client.reset();
  EXPECT_EQ(server.most_in_flight(), kStreams);
  EXPECT_EQ(server.connections(), kStreams);
  std::int64_t tokens = 0;
  for (const RequestRecord& record : load.records()) tokens += record.output_tokens.value_or(0);
  EXPECT_EQ(tokens, 400);  // 200 requests of 2 tokens
}

TEST(LoadClient, WarmupFlowsIntoTheWindowWithPromptsOfItsOwn) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  Load load(server.url(), 20);
  load.options.concurrency = 2;
  load.start();
  load.client->begin_warmup();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().warmup_completed >= 4; }));
  const MonoTime mark = load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  EXPECT_GE(*load.client->last_of_num_requests_sent(), mark);
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  for (const Event& event : load.queue.take()) {
    const auto* const record = std::get_if<RequestRecord>(&event);
    if (record == nullptr) continue;
    EXPECT_EQ(record->warmup, record->id >= kFirstWarmupId);
    EXPECT_TRUE(record->warmup || record->sent >= mark);
  }
  std::set<std::string> bodies;
  const auto requests = server.requests();
  for (const ServedRequest& request : requests) bodies.insert(request.body);
  EXPECT_EQ(bodies.size(), requests.size());
  EXPECT_EQ(server.connections(), 2);
}

std::set<std::string> bodies_sent_by(int threads) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  Load load(server.url(), 40);
  load.options.concurrency = 6;
  load.options.load_threads = threads;
  load.options.input_length = length_spec_in("2-9").value();
  load.run();
  const Workload workload(load.options, {});
  std::set<std::string> measured;
  for (std::uint64_t id = 0; id < 40; ++id)
    measured.insert(load.dialect.request_body(workload.spec(id)));
  std::set<std::string> sent;
  for (const ServedRequest& request : server.requests()) {
    if (measured.count(request.body) > 0) sent.insert(request.body);
  }
  EXPECT_EQ(load.records().size(), 40U);
  return sent;
}

TEST(LoadClient, TheSameRequestsAreSentByAnyNumberOfThreads) {  // L37
  const auto by_one = bodies_sent_by(1);
  EXPECT_EQ(by_one.size(), 40U);
  EXPECT_EQ(bodies_sent_by(3), by_one);
}

TEST(LoadClient, WhatIsInFlightAtTheEndIsCancelledWithItsTokens) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(first_events(chunked(token_stream(3)), 2));
    peer.wait_for_close();
    return Then::close;
  });
  Load load(server.url(), 4);
  load.options.concurrency = 4;
  load.start();
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().events >= 8; }));
  load.client->stop_sending();
  EXPECT_FALSE(load.client->wait_idle(load.clock.now()));
  load.client->cancel_all();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  EXPECT_EQ(load.client->progress().cancelled, 4);
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::cancelled);
    EXPECT_EQ(record.failure, "");
    EXPECT_EQ(record.token_events, 2);
    EXPECT_TRUE(record.end.has_value());
  }
}

TEST(LoadClient, DestroyingItRecordsWhatWasInFlight) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.wait_for_close();
    return Then::close;
  });
  Load load(server.url(), 3);
  load.options.concurrency = 3;
  load.start();
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().in_flight == 3; }));
  load.client.reset();
  for (const RequestRecord& record : load.records()) EXPECT_EQ(record.outcome, Outcome::cancelled);
}

TEST(LoadClient, TellsOfItsOwnStateWithKernelStamps) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(3)));
    return Then::keep_open;
  });
  Load load(server.url(), 10);
  load.run();
  ClientState sum;
  sum.connections_opened = sum.reads = 0;
  for (const Event& event : load.queue.take()) {
    const auto* const state = std::get_if<ClientState>(&event);
    if (state == nullptr) continue;
    EXPECT_EQ(state->stamps, "kernel");
    sum.reads += state->reads;
    sum.connections_opened += state->connections_opened;
    sum.cpu += state->cpu;
    for (const std::int64_t reads : state->lag_histogram) sum.lag_histogram[0] += reads;
  }
  EXPECT_GE(sum.reads, 10);
  EXPECT_EQ(sum.lag_histogram[0], sum.reads);
  EXPECT_EQ(sum.connections_opened, 1);
  EXPECT_GT(sum.cpu, Seconds(0));
}

TEST(LoadClient, APromptLargerThanTheSocketsBufferArrivesWhole) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  Load load(server.url(), 2);
  load.options.input_length = fixed_length(300'000);
  load.run();
  for (const RequestRecord& record : load.records()) EXPECT_EQ(record.outcome, Outcome::completed);
  const std::string expected = load.dialect.request_body(Workload(load.options, {}).spec(0));
  EXPECT_GT(expected.size(), 1'500'000U);
  EXPECT_EQ(server.requests().at(0).body, expected);
}

TEST(LoadClient, WordsAreSentWhereIdsAreNotTaken) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  Load load(server.url());
  load.options.token_id_prompts = false;
  load.run();
  EXPECT_EQ(load.records().at(0).outcome, Outcome::completed);
  const std::string body = server.requests().at(0).body;
  EXPECT_EQ(std::count(body.begin(), body.end(), ' '), 3);  // four words
}

TEST(LoadClient, SpeaksToIpv6) {  // L22
  ScriptedServer server(
      [](const Peer& peer, const ServedRequest&) {
        peer.send(chunked(token_stream(1)));
        return Then::keep_open;
      },
      true);
  if (server.port() == 0) GTEST_SKIP() << "this machine has no IPv6 loopback address";
  Load load(server.url());
  load.run();
  EXPECT_EQ(load.records().at(0).outcome, Outcome::completed);
}

TEST(LoadClient, TriesEveryAddressOfAName) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  });
  // Where localhost is ::1 first, nothing listens there.
  Load load(fmt::format("http://localhost:{}", server.port()));
  load.run();
  EXPECT_EQ(load.records().at(0).outcome, Outcome::completed);
}

TEST(LoadClient, StreamsAreDealtOutToSeveralServers) {
  const auto script = [](const Peer& peer, const ServedRequest&) {
    peer.send(chunked(token_stream(1)));
    return Then::keep_open;
  };
  ScriptedServer one(script);
  ScriptedServer two(script);
  Load load(one.url(), 50);
  load.options.roots.push_back(url_in(two.url()).value());
  load.options.concurrency = 4;
  load.run();
  EXPECT_EQ(one.connections(), 2);
  EXPECT_EQ(two.connections(), 2);
}

TEST(LoadClient, OptionsThatCannotBeAreUsageErrors) {
  const auto error_with = [](const std::function<void(LoadOptions&)>& change) {
    Load load("http://127.0.0.1:1");
    change(load.options);
    const auto client = LoadClient::start(load.options, load.dialect, load.clock, load.queue);
    EXPECT_FALSE(client.has_value());
    return client ? ErrorKind::internal : client.error().kind;
  };
  EXPECT_EQ(error_with([](LoadOptions& o) { o.roots.clear(); }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) { o.concurrency = 0; }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) { o.concurrency = 1'000'000; }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) { o.load_threads = 0; }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) { o.num_requests = 0; }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) { o.nonce.clear(); }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) { o.request_timeout = Seconds(0); }), ErrorKind::usage);
  EXPECT_EQ(error_with([](LoadOptions& o) {
              o.roots = {url_in("https://127.0.0.1").value()};
              o.tls.ca_file = "/nowhere.pem";
            }),
            ErrorKind::usage);
}

TEST(DescriptorLimit, AHardLimitThatIsTooLowIsNamedWithWhatToDo) {  // L35
  const Status allowed = allow_descriptors(std::uint64_t{1} << 40U);
  if (allowed) GTEST_SKIP() << "open files are not limited here";
  EXPECT_EQ(allowed.error().kind, ErrorKind::missing);
  EXPECT_NE(allowed.error().message.find("RLIMIT_NOFILE"), std::string::npos);
  EXPECT_NE(allowed.error().hint.find("ulimit -n"), std::string::npos);
}

TEST(DescriptorLimit, ALowSoftLimitIsRaised) {  // L35
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 256;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_TRUE(allow_descriptors(300).has_value());
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_GE(after.rlim_cur, 300U);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(DescriptorLimit, AFewMoreAreAllowedAnywhere) { EXPECT_TRUE(allow_descriptors(4).has_value()); }

}  // namespace
}  // namespace tokenjoule
