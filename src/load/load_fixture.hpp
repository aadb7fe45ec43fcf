#pragma once

// For the tests of the load client only.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "load/load_client.hpp"
#include "load/scripted_server.hpp"

namespace tokenjoule {

using Then = ScriptedServer::Then;
constexpr Nanoseconds kPatience = whole_seconds(20);  // only ever used up by a fault

/// Sends the prompt and the length as they are, so that a test can see both.
class PlainDialect final : public EngineDialect {
 public:
  std::string_view name() const override { return "plain"; }
  int fits(const ProbeAnswers&) const override { return 0; }
  std::string request_body(const RequestSpec& spec) const override {
    return fmt::format("{}|{}|{}", spec.output_tokens, spec.prompt.text,
                       fmt::join(spec.prompt.token_ids, ","));
  }
  bool takes_token_ids() const override { return true; }
  bool takes_ignore_eos() const override { return true; }
  std::vector<EngineCounter> counters_on(const PrometheusPage&) const override { return {}; }
  EngineInfo described_by(const ProbeAnswers&) const override { return {}; }
};

/// A load of a test: its options, and what came of it.
struct Load {
  LoadOptions options;
  PlainDialect dialect;
  SystemClock clock;
  EventQueue queue;
  std::unique_ptr<LoadClient> client;

  explicit Load(const std::string& url, std::int64_t requests = 1) {
    options.roots = {url_in(url).value()};
    options.nonce = "test";
    options.num_requests = requests;
    options.input_length = fixed_length(4);
    options.output_length = fixed_length(3);
  }
  void start() { client = LoadClient::start(options, dialect, clock, queue).value(); }
  MonoTime deadline() { return clock.now() + kPatience; }
  template <typename Condition>
  bool wait_for(Condition condition) {
    const MonoTime last = deadline();
    while (!condition()) {
      if (clock.now() > last) return false;
      clock.sleep_until(clock.now() + milliseconds(1), {});
    }
    return true;
  }
  /// Measures num_requests requests, then ends.
  void run() {
    start();
    client->begin_measure();
    EXPECT_TRUE(wait_for([&] { return client->last_of_num_requests_sent().has_value(); }));
    client->stop_sending();
    EXPECT_TRUE(client->wait_idle(deadline()));
    client.reset();
  }
  /// The records of the num_requests measured requests, by their numbers.
  std::vector<RequestRecord> records() {
    std::map<std::uint64_t, RequestRecord> found;
    for (Event& event : queue.take()) {
      const auto* const record = std::get_if<RequestRecord>(&event);
      if (record == nullptr) continue;
      const bool numbered = record->id < static_cast<std::uint64_t>(*options.num_requests);
      if (!numbered) continue;
      EXPECT_TRUE(found.emplace(record->id, *record).second) << "recorded twice";
    }
    std::vector<RequestRecord> list;
    for (auto& [id, record] : found) list.push_back(std::move(record));
    EXPECT_EQ(list.size(), static_cast<std::size_t>(*options.num_requests));
    return list;
  }
};

/// All requests of a load against a server that answers each with the same bytes.
inline std::vector<RequestRecord> records_of(const std::string& answer, std::int64_t requests = 1,
                                             Then then = Then::keep_open) {
  ScriptedServer server([&](const Peer& peer, const ServedRequest&) {
    peer.send(answer);
    return then;
  });
  Load load(server.url(), requests);
  load.run();
  return load.records();
}

/// The one request of a load against a server that answers with these bytes and then closes.
inline RequestRecord record_of(const std::string& answer) {
  return records_of(answer, 1, Then::close).at(0);
}

}  // namespace tokenjoule
