// What the load client makes of answers, good and bad.

#include <atomic>
#include <barrier>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "load/load_fixture.hpp"

namespace tokenjoule {
namespace {

TEST(LoadClientAnswers, AnAnswerCutAtEveryByteIsTheSameAnswer) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send_bytewise(chunked(token_stream(3)));
    return Then::keep_open;
  });
  Load load(server.url(), 3);
  load.run();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
    EXPECT_EQ(record.token_events, 3);
    EXPECT_EQ(record.output_tokens, 3);
  }
}

TEST(LoadClientAnswers, SeveralEventsInOneReadAreAllCounted) {
  const RequestRecord record = record_of(chunked(token_stream(100)));
  EXPECT_EQ(record.token_events, 100);
}

TEST(LoadClientAnswers, APlainJsonAnswerIsTakenWhereTheServerDoesNotStream) {
  const RequestRecord record = record_of(with_length(
      200, R"({"choices":[{"text":"abc","finish_reason":"stop"}],"usage":{"completion_tokens":3}})",
      "Content-Type: application/json\r\n"));
  EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  EXPECT_EQ(record.output_tokens, 3);
  EXPECT_EQ(record.token_events, 1);
}

TEST(LoadClientAnswers, ABodyThatLastsUntilTheConnectionClosesIsAnAnswer) {
  const RequestRecord record =
      record_of("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + token_stream(2));
  EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
  EXPECT_EQ(record.token_events, 2);
}

TEST(LoadClientAnswers, AnInterimResponseIsPassedOver) {
  const RequestRecord record =
      record_of("HTTP/1.1 100 Continue\r\n\r\n" + chunked(token_stream(2)));
  EXPECT_EQ(record.http_status, 200);
  EXPECT_EQ(record.outcome, Outcome::completed) << record.failure;
}

TEST(LoadClientAnswers, AClosedConnectionIsNotRepeatedOnceAByteCame) {
  ScriptedServer server([](const Peer& peer, const ServedRequest& request) {
    if (request.on_connection == 0) {
      peer.send(chunked(token_stream(2)));
      return Then::keep_open;
    }
    peer.send("H");
    return Then::close;
  });
  Load load(server.url(), 2);
  load.run();
  const auto records = load.records();
  EXPECT_EQ(records[1].outcome, Outcome::failed);
  EXPECT_EQ(records[1].failure, "ended_early");
  EXPECT_EQ(records[1].retries, 0);
}

TEST(LoadClientAnswers, AFreshConnectionThatIsClosedAtOnceIsAFailure) {
  const RequestRecord record = record_of("");
  EXPECT_EQ(record.failure, "reset: the connection was closed before an answer");
  EXPECT_EQ(record.http_status, 0);
  EXPECT_EQ(record.first_body, std::nullopt);
}

TEST(LoadClientAnswers, AResetInTheMiddleKeepsTheTokensThatCame) {  // L16
  std::barrier tokens_seen(2);
  ScriptedServer server([&](const Peer& peer, const ServedRequest&) {
    peer.send(first_events(chunked(token_stream(3)), 2));
    tokens_seen.arrive_and_wait();
    peer.reset();
    return Then::close;
  });
  Load load(server.url());
  load.start();
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->progress().events >= 2; }));
  load.client->stop_sending();
  tokens_seen.arrive_and_wait();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  const RequestRecord record = load.records().at(0);
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "reset");
  EXPECT_EQ(record.token_events, 2);
  EXPECT_EQ(record.output_tokens, std::nullopt);
}

TEST(LoadClientAnswers, AChunkedBodyThatIsCutEndedEarly) {  // L16
  const std::string whole = chunked(token_stream(2));
  const RequestRecord record = record_of(first_events(whole, 1) + "\r\n30\r\ndata: {");
  EXPECT_EQ(record.failure, "ended_early");
  EXPECT_EQ(record.token_events, 1);
}

TEST(LoadClientAnswers, AStreamWithoutDoneAndWithoutFinishReasonEndedEarly) {  // L16
  const RequestRecord record = record_of(chunked(events({R"({"choices":[{"text":"a"}]})"})));
  EXPECT_EQ(record.failure, "ended_early");
  EXPECT_EQ(record.token_events, 1);
}

TEST(LoadClientAnswers, AStreamWithoutDoneButWithAFinishReasonIsComplete) {  // L16
  const RequestRecord record =
      record_of(chunked(events({R"({"choices":[{"text":"a","finish_reason":"stop"}]})"})));
  EXPECT_EQ(record.outcome, Outcome::completed);
}

TEST(LoadClientAnswers, AnErrorInsideTheStreamFailsTheRequest) {  // L17
  const RequestRecord record = record_of(chunked(
      events({R"({"choices":[{"text":"a"}]})", R"({"error":{"message":"no memory"}})", "[DONE]"})));
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "in_stream_error: no memory");
  EXPECT_EQ(record.token_events, 1);
}

TEST(LoadClientAnswers, RefusalsAreNamedByTheirClassWithWhatTheServerSays) {  // L18
  const std::pair<int, const char*> classes[] = {{400, "bad_request"},  {401, "unauthorized"},
                                                 {404, "not_found"},    {429, "rate_limited"},
                                                 {500, "server_error"}, {503, "unavailable"}};
  for (const auto& [status, kind] : classes) {
    const RequestRecord record = record_of(with_length(status, R"({"error":"not now"})"));
    EXPECT_EQ(record.outcome, Outcome::failed);
    EXPECT_EQ(record.failure, fmt::format("{}: http {}: not now", kind, status));
    EXPECT_EQ(record.http_status, status);
    EXPECT_EQ(record.token_events, 0);
  }
  EXPECT_EQ(record_of(with_length(502, "")).failure, "server_error: http 502");
}

TEST(LoadClientAnswers, ASecretThatTheServerRepeatsIsNotKept) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(with_length(401, R"({"error":"no such key: sk-hidden, on watch-word"})"));
    return Then::close;
  });
  Load load(server.url());
  load.options.headers = {{"Authorization", "Bearer sk-hidden"}, {"X-Pass", "watch-word"}};
  load.run();
  EXPECT_EQ(load.records().at(0).failure, "unauthorized: http 401: no such key: ***, on ***");
}

TEST(LoadClientAnswers, ASecretInsideAStreamIsNotKeptEither) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(with_length(200, "data: {\"error\":{\"message\":\"bad key sk-hidden\"}}\n\n",
                          "Content-Type: text/event-stream\r\n"));
    return Then::close;
  });
  Load load(server.url());
  load.options.headers = {{"Authorization", "Bearer sk-hidden"}};
  load.run();
  EXPECT_EQ(load.records().at(0).failure, "in_stream_error: bad key ***");
}

TEST(LoadClientAnswers, RetryAfterIsKeptInTheRecordAsAsked) {
  const RequestRecord record =
      record_of(with_length(429, R"({"error":"slow down"})", "Retry-After: 3600\r\n"));
  EXPECT_EQ(record.retry_after, Seconds(3600));
  EXPECT_FALSE(record_of(with_length(429, "")).retry_after.has_value());
}

TEST(LoadClientAnswers, ARedirectIsNotFollowedAndSaysWhereItPoints) {  // L18
  const RequestRecord record =
      record_of(with_length(307, "", "Location: http://other:1/v1/completions\r\n"));
  EXPECT_EQ(record.failure,
            "redirected: http 307: sends on to \"http://other:1/v1/completions\", which is not "
            "followed: give that URL");
}

TEST(LoadClientAnswers, AWebPageIsNoApi) {  // L18
  const RequestRecord record =
      record_of(with_length(200, "<html>It works</html>", "Content-Type: text/html\r\n"));
  EXPECT_EQ(record.failure, "not_an_api: the answer is \"<html>It works</html>\"");
}

TEST(LoadClientAnswers, AnEmptyAnswerIsNoSuccess) {  // L19
  EXPECT_EQ(record_of(with_length(200, "")).failure, "empty");
  EXPECT_EQ(record_of(with_length(204, "")).failure, "empty");
}

TEST(LoadClientAnswers, WhatIsNoHttpIsSaidToBeNone) {
  const RequestRecord record = record_of("SSH-2.0-OpenSSH_9.2p1\r\n");
  EXPECT_EQ(record.failure.substr(0, 9), "bad_http:");
}

TEST(LoadClientAnswers, APortThatNothingListensAtIsRefused) {
  Load load(fmt::format("http://127.0.0.1:{}", free_port()), 2);
  load.run();
  for (const RequestRecord& record : load.records()) {
    EXPECT_EQ(record.outcome, Outcome::failed);
    EXPECT_EQ(record.failure, "refused");
    EXPECT_EQ(record.http_status, 0);
  }
}

TEST(LoadClientAnswers, AServerThatDoesNotAnswerTimesOut) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.wait_for_close();
    return Then::close;
  });
  Load load(server.url());
  load.options.request_timeout = Seconds(0.1);
  load.run();
  const RequestRecord record = load.records().at(0);
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.failure, "timeout");
  EXPECT_GE((*record.end - record.sent).count, milliseconds(100).count);
}

TEST(LoadClientAnswers, AnAnswerBeforeTheWholeRequestWasReadIsAnAnswer) {
  ScriptedServer server([](const Peer& peer, const ServedRequest&) {
    peer.send(with_length(413, "too long"));
    return Then::close;
  });
  Load load(server.url());
  load.options.input_length = fixed_length(1000);
  load.run();
  EXPECT_EQ(load.records().at(0).failure, "too_large: http 413: too long");
}

TEST(LoadClientAnswers, OfTwoEventsThatWaitedForAStalledLoopTheFirstIsNotTakenForPrompt) {
  constexpr std::string_view kToken = "data: {\"choices\":[{\"text\":\"a\"}]}\n\n";
  std::atomic<bool> first_sent{false}, stalled{false}, all_sent{false};
  SystemClock clock;
  const auto wait_for = [&](const std::atomic<bool>& flag) {
    const MonoTime last = clock.now() + kPatience;
    while (!flag && clock.now() < last) clock.sleep_until(clock.now() + milliseconds(1), {});
  };
  ScriptedServer server([&](const Peer& peer, const ServedRequest&) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    peer.send(kToken);
    first_sent = true;
    wait_for(stalled);
    peer.send(kToken);
    clock.sleep_until(clock.now() + milliseconds(10), {});  // the gap that must not come out as 0
    peer.send(kToken);
    peer.send("data: [DONE]\n\n");
    all_sent = true;
    return Then::close;
  });
  Load load(server.url());
  LoadProbe probe;
  probe.each_round = [&](MonoTime) {
    if (!first_sent || stalled.exchange(true)) return;
    wait_for(all_sent);
  };
  load.client =
      LoadClient::start(load.options, load.dialect, load.clock, load.queue, {}, probe).value();
  load.client->begin_measure();
  ASSERT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  load.client->stop_sending();
  ASSERT_TRUE(load.client->wait_idle(load.deadline()));
  const auto records = load.records();
  ASSERT_EQ(records.size(), 1U);
  TokenTimesReader times(records[0].token_times, records[0].sent);
  std::vector<bool> censored;
  while (const auto event = times.next()) censored.push_back(event->censored);
  ASSERT_EQ(censored.size(), 3U);
  EXPECT_TRUE(censored[1] && censored[2]);
}

}  // namespace
}  // namespace tokenjoule
