// A server that stands still and then sends everything at once, and a client that stands still: who
// is to blame must not be mixed up.

#include <atomic>
#include <mutex>

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"
#include "load/load_fixture.hpp"

namespace tokenjoule {
namespace {

constexpr int kBurst = 8;

/// What came of one load.
struct Seen {
  std::string client_limited;  ///< severity of the check
  int events = 0;
  int censored = 0;

  bool blames_the_client() const { return client_limited != "none" || censored > 0; }
};

/// @param since what the client tells of itself before that is not looked at.
Seen seen_of(std::vector<Event> events, MonoTime since) {
  Seen seen;
  test::TestRun run = test::sound_run();
  run.run.client.clear();
  for (Event& event : events) {
    if (auto* const state = std::get_if<ClientState>(&event); state && state->span.end > since) {
      state->span = test::span(20, 30);  // in the window of a TestRun
      run.run.client.push_back(*state);
    }
    const auto* const record = std::get_if<RequestRecord>(&event);
    if (record == nullptr) continue;
    EXPECT_EQ(record->outcome, Outcome::completed) << record->failure;
    TokenTimesReader times(record->token_times, record->sent);
    while (const auto token = times.next()) {
      ++seen.events;
      seen.censored += token->censored ? 1 : 0;
    }
  }
  seen.client_limited = test::severity_of(run.analysed(), "client_limited");
  return seen;
}

/// Each stream gets a token; once all have it, `then` sends the rest to them, from one thread.
class Script {
 public:
  using SendRest = std::function<void(const std::vector<const Peer*>&)>;
  Script(std::size_t streams, Nanoseconds freeze, SendRest then)
      : streams_(streams), freeze_(freeze), then_(std::move(then)) {}

  Then operator()(const Peer& peer, const ServedRequest&) {
    const std::string whole = chunked(token_stream(1 + kBurst));
    const std::string first = first_events(whole, 1);
    peer.send(first);
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      peers_.push_back(&peer);
      is_last = peers_.size() == streams_;
    }
    if (is_last) {
      SystemClock clock;
      clock.sleep_until(clock.now() + freeze_, {});
      rest_at_ = clock.now();
      then_(peers_);
    }
    over_.wait(false);
    return Then::keep_open;  // the stamp of a close would stand for the data before it
  }
  std::size_t streams() const { return streams_; }
  MonoTime rest_at() const { return rest_at_; }
  /// The threads of the connections sleep until then, and take no CPU from the client.
  void end() {
    over_ = true;
    over_.notify_all();
  }
  static std::string rest() {
    const std::string whole = chunked(token_stream(1 + kBurst));
    return whole.substr(first_events(whole, 1).size());
  }

 private:
  std::size_t streams_;
  Nanoseconds freeze_;
  SendRest then_;
  std::mutex mutex_;
  std::vector<const Peer*> peers_;
  MonoTime rest_at_;
  std::atomic<bool> over_{false};
};

Seen load_of(Script& script, const LoadProbe& probe = {}) {
  ScriptedServer server(
      [&](const Peer& peer, const ServedRequest& request) { return script(peer, request); });
  const auto streams = static_cast<std::int64_t>(script.streams());
  Load load(server.url(), streams);
  load.options.concurrency = streams;
  load.client =
      LoadClient::start(load.options, load.dialect, load.clock, load.queue, {}, probe).value();
  load.client->begin_measure();
  EXPECT_TRUE(load.wait_for([&] { return load.client->last_of_num_requests_sent().has_value(); }));
  load.client->stop_sending();
  EXPECT_TRUE(load.client->wait_idle(load.deadline()));
  load.client.reset();
  script.end();
  return seen_of(load.queue.take(), script.rest_at());
}

TEST(FrozenServer, ThatSendsASecondsWorthAtOnceDoesNotMakeTheClientTheLimit) {
  constexpr int kStreams = 16;
  const std::string rest = Script::rest();
  Seen seen;
  // A busy machine may make the client late in fact, and then it must say so. Were the freeze
  // itself taken for lateness, not one of the loads would come out clean.
  for (int tries = 0; tries < 15; ++tries) {
    Script script(kStreams, whole_seconds(1), [&](const std::vector<const Peer*>& peers) {
      for (const Peer* peer : peers) peer->send(rest);
    });
    seen = load_of(script);
    ASSERT_EQ(seen.events, kStreams * (1 + kBurst));
    if (!seen.blames_the_client()) break;
  }
  EXPECT_EQ(seen.client_limited, "none");
  EXPECT_EQ(seen.censored, 0);
}

TEST(FrozenServer, IsToldFromAClientThatStoodStillItself) {
  constexpr int kStreams = 8;
  SystemClock clock;
  std::atomic<bool> all_begun{false}, stalled{false}, all_sent{false};
  const auto wait_for = [&](const std::atomic<bool>& flag) {
    const MonoTime last = clock.now() + kPatience;
    while (!flag && clock.now() < last) clock.sleep_until(clock.now() + milliseconds(1), {});
  };
  Script script(kStreams, {}, [&](const std::vector<const Peer*>& peers) {
    all_begun = true;
    wait_for(stalled);
    clock.sleep_until(clock.now() + milliseconds(5), {});  // when they came is open by that much
    for (const Peer* peer : peers) peer->send(Script::rest());
    clock.sleep_until(clock.now() + milliseconds(20), {});
    all_sent = true;
  });
  LoadProbe probe;
  probe.each_round = [&](MonoTime) {
    if (!all_begun || stalled.exchange(true)) return;
    wait_for(all_sent);
  };
  const Seen seen = load_of(script, probe);
  EXPECT_EQ(seen.events, kStreams * (1 + kBurst));
  EXPECT_EQ(seen.client_limited, "unusable");
  EXPECT_GE(seen.censored, kStreams * kBurst);
}

}  // namespace
}  // namespace tokenjoule
