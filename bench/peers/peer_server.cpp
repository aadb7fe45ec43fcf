// The emitter of `tokenjoule selftest` for a client of another: serves one round, and says as lines
// of JSON where, since when, and, once its standard input ends, what it sent. With --read the load
// client reads it, in this process.

#include <cstdio>
#include <numeric>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "selftest/cpu_choice.hpp"
#include "selftest/emitter.hpp"
#include "selftest/turn.hpp"

namespace tokenjoule::bench {
namespace {

struct Settings {
  EmitterPlan plan;
  double seconds = 5;
  bool read = false;
};

template <typename... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  fmt::print(format, std::forward<Values>(values)...);
  std::fflush(stdout);
}

bool input_ended() {
  char byte = 0;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 20) > 0 && ::read(STDIN_FILENO, &byte, 1) <= 0;
}

/// The mean over whole streams; null in JSON where there is none.
std::string true_tpot_ms(const EmitterCounts& counts) {
  const std::int64_t streams = counts.whole_streams;
  if (streams == 0) return "null";
  return fmt::format("{:.6f}",
                     static_cast<double>(counts.tpot_sum_ns) * 1e-6 / static_cast<double>(streams));
}

void say_sent(const EmitterPlan& plan, const EmitterCounts& counts) {
  say(R"({{"sent": {}, "late": {}, "cut_off": {}, "emitter_wait": {:.4f}, "tpot_ms": {}}})"
      "\n",
      counts.events.load(), counts.late.load(), counts.cut_off.load(),
      static_cast<double>(counts.run_queue_wait_ns.load()) * 1e-9 / plan.window.value(),
      true_tpot_ms(counts));
}

void serve(const EmitterCounts& counts) {
  bool begun = false;
  while (!input_ended()) {
    if (begun || counts.begin_ns == 0) continue;
    begun = true;
    say("{{\"begin_ns\": {}}}\n", counts.begin_ns.load());
  }
}

double us(const std::optional<Nanoseconds>& span) {
  return span ? static_cast<double>(span->count) * 1e-3 : -1;
}

int read(const Emitter& emitter, const EmitterPlan& plan, const CpuChoice& cpus) {
  const PinnedTo pinned(cpus.client);
  SystemClock clock;
  TurnPlan what{.root = emitter.root(), .streams = plan.streams, .tokens = plan.events()};
  what.emitter = &emitter;
  const auto reading = read_with_client(what, clock);
  if (!reading) {
    fmt::print(stderr, "{}\n", reading.error().message);
    return 3;
  }
  const auto& delays = reading->arrivals.delays();
  const auto& received = reading->arrivals.receive_delays();
  const auto& errors = reading->arrivals.itl_errors();
  const auto& tpot = reading->tpot_ms;
  say(R"({{"begin_ns": {}, "events": {}, "failed": {}, "window_events": {}, )"
      R"("cpu_s": {:.6f}, "delay_p50_us": {:.1f}, )"
      R"("delay_p99_us": {:.1f}, "receive_p50_us": {:.1f}, "receive_p99_us": {:.1f}, )"
      R"("itl_error_p50_us": {:.2f}, "itl_error_p99_us": {:.2f}, )"
      R"("answers": {}, "tpot_ms": {:.6f}, "wait_s": {:.4f}}})"
      "\n",
      emitter.counts().begin_ns.load(), reading->events, reading->failed,
      reading->arrivals.events(), reading->whole_process.value(), us(delays.quantile(0.5)),
      us(delays.quantile(0.99)), us(received.quantile(0.5)), us(received.quantile(0.99)),
      us(errors.quantile(0.5)), us(errors.quantile(0.99)), tpot.size(),
      std::accumulate(tpot.begin(), tpot.end(), 0.0) / static_cast<double>(tpot.size()),
      reading->run_queue_wait.value());
  return 0;
}

int run(Settings& settings) {
  const CpuChoice cpus = cpus_of_this_machine();
  settings.plan.window = Seconds(settings.seconds);
  settings.plan.cpu = cpus.emitter;
  const auto emitter = Emitter::start(settings.plan);
  if (!emitter) {
    fmt::print(stderr, "{}\n", emitter.error().message);
    return 3;
  }
  const EmitterCounts& counts = (*emitter)->counts();
  say(R"({{"url": "{}", "emitter_cpu": {}, "client_cpu": {}, "events_per_stream": {}}})"
      "\n",
      (*emitter)->root().text(), cpus.emitter.value_or(-1), cpus.client.value_or(-1),
      settings.plan.events());
  const int code = settings.read ? read(**emitter, settings.plan, cpus) : 0;
  if (!settings.read) serve(counts);
  say_sent(settings.plan, counts);
  return code;
}

}  // namespace
}  // namespace tokenjoule::bench

int main(int argc, char** argv) {
  tokenjoule::bench::Settings settings;
  CLI::App app("The raw emitter of the selftest, for clients of others");
  app.add_option("--streams", settings.plan.streams)->check(CLI::Range(1, 100000));
  app.add_option("--rate", settings.plan.rate, "events per second of each stream")
      ->check(CLI::Range(0.1, 1000.0));
  app.add_option("--seconds", settings.seconds, "length of the window")
      ->check(CLI::Range(0.5, 600.0));
  app.add_flag("--read", settings.read, "with tokenjoule's load client, in this process");
  app.add_flag("--stamp-in-text", settings.plan.stamp_in_text, "send times stand in the texts too");
  CLI11_PARSE(app, argc, argv);
  return tokenjoule::bench::run(settings);
}
