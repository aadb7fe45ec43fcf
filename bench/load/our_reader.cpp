#include <array>

#include <fmt/core.h>

#include "base/check.hpp"
#include "engines/dialect.hpp"
#include "load/load_client.hpp"
#include "readers.hpp"

namespace tokenjoule::bench {

namespace {

/// Upper end, in microseconds, of the bucket that holds the 99th percentile.
double p99_us(const std::array<std::int64_t, 32>& histogram) {
  std::int64_t total = 0;
  for (const std::int64_t reads : histogram) total += reads;
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    seen += histogram[i];
    if (seen * 100 >= total * 99 && total > 0) return static_cast<double>(std::uint64_t{2} << i);
  }
  return 0;
}

void add(const Event& event, Reading& reading, std::array<std::int64_t, 32>& lag) {
  if (const auto* const state = std::get_if<ClientState>(&event)) {
    reading.cpu += state->cpu;
    reading.run_queue_wait += state->run_queue_wait;
    for (std::size_t i = 0; i < lag.size(); ++i) lag[i] += state->lag_histogram[i];
  }
  const auto* const record = std::get_if<RequestRecord>(&event);
  if (record == nullptr) return;
  reading.token_events += record->token_events;
  reading.asked += record->output_tokens.value_or(0);
  if (record->outcome != Outcome::completed) ++reading.failed;
}

}  // namespace

Reading read_with_client(const Stretch& stretch) {
  const EngineDialect* const dialect = dialect_named(stretch.dialect);
  TJ_ASSERT(dialect != nullptr);
  LoadOptions options;
  options.roots = {stretch.root};
  options.model = stretch.model;
  options.nonce = "bench";
  options.concurrency = stretch.streams;
  options.num_requests = stretch.streams;
  options.input_length = fixed_length(8);
  options.output_length = fixed_length(stretch.tokens);
  SystemClock clock;
  EventQueue events;
  auto client = LoadClient::start(options, *dialect, clock, events).value();
  const MonoTime begin = client->begin_measure();
  while (!client->last_of_num_requests_sent()) clock.sleep_until(clock.now() + milliseconds(1), {});
  client->stop_sending();
  client->wait_idle(begin + whole_seconds(600));
  Reading reading;
  reading.wall = to_seconds(clock.now() - begin);
  client.reset();
  std::array<std::int64_t, 32> lag{};
  for (const Event& event : events.take()) add(event, reading, lag);
  reading.lag_p99_us = p99_us(lag);
  return reading;
}

}  // namespace tokenjoule::bench
