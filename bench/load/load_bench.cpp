// The load client against what it is held to: rounds of `tokenjoule selftest`, with and without
// stalls. Prints Markdown; exits 1 where a goal was missed, 3 where none was but some could not be
// judged, as the machine was not quiet.

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "foreign_server.hpp"
#include "goals.hpp"

namespace tokenjoule::bench {
namespace {

struct Settings {
  double seconds = 5;
  int rounds = 5;
  double rate = 20;  ///< with --url: tokens asked are rate x seconds
  ForeignLoad foreign;
};

constexpr Stall kShortStall{milliseconds(5), milliseconds(100)};
constexpr Stall kLongStall{milliseconds(20), milliseconds(200)};

std::string text_of(const std::optional<Nanoseconds>& span) {
  return span ? fmt::format("{:.1f}", static_cast<double>(span->count) * 1e-3) : "n/a";
}

void print_point(const SelfTestPoint& point, std::string_view stall) {
  fmt::print(
      "| {} x {:g} | {} | {:.0f} | {:.2f} | {:.2f} | {} / {} | {} / {} | {} / {} | {} | {:.1f} | "
      "{:.2f} | {} | {:.2f} % | {:.1f} % |\n",
      point.load.streams, point.load.rate, stall, point.events_per_s,
      point.loop_cpu_us_per_event.value_or(0), point.bare_loop_cpu_us_per_event.value_or(0),
      text_of(point.stamp_delay.p50), text_of(point.stamp_delay.p99),
      text_of(point.bare_stamp_delay.p50), text_of(point.bare_stamp_delay.p99),
      text_of(point.itl_error.p50), text_of(point.itl_error.p99), point.lost,
      point.memory_mb.value_or(0), point.connecting.value(),
      point.client_limited.empty() ? "no" : "yes", 100 * point.run_queue_wait,
      100 * static_cast<double>(point.censored) /
          std::max(1.0, point.events_per_s * point.window.value()));
  std::fflush(stdout);
}

Status add_round(Rounds& rounds, const Settings& settings, const CpuChoice& cpus) {
  const Seconds window(settings.seconds);
  const auto measure = [&](int streams, const std::optional<Stall>& stall, std::string_view name,
                           std::vector<SelfTestPoint>& into) -> Status {
    TRY(auto point, measure_load({streams, default_rate(streams)}, window, stall, cpus));
    print_point(point, name);
    into.push_back(std::move(point));
    return {};
  };
  for (const int streams : {256, 1024, 4096, 10'000}) {
    TRY_DO(measure(streams, std::nullopt, "none", rounds.points));
  }
  TRY_DO(measure(4096, kShortStall, "5 / 100 ms", rounds.stalled));
  TRY_DO(measure(1024, kLongStall, "20 / 200 ms", rounds.guarded));
  TRY(const StampCost cost, measure_stamp_cost({4096, default_rate(4096)}, window * 0.5, cpus));
  rounds.stamp_costs.push_back(cost);
  TRY(const UnpacedRates rates, measure_unpaced(Seconds(2), cpus));
  rounds.unpaced.push_back(rates);
  return {};
}

void print_costs(const Rounds& rounds) {
  fmt::print(
      "\n| bare loop us/event | with kernel stamps | run-queue wait | unpaced: M events per second "
      "of CPU read | and decoded | by the bare loop |\n|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < rounds.unpaced.size(); ++i) {
    const StampCost& cost = rounds.stamp_costs[i];
    const UnpacedRates& rates = rounds.unpaced[i];
    fmt::print("| {:.2f} | {:.2f} | {:.2f} % | {:.2f} | {:.2f} | {:.2f} |\n",
               cost.without_us_per_event.value_or(0), cost.with_us_per_event.value_or(0),
               100 * cost.run_queue_wait, rates.events_per_s * 1e-6,
               rates.decoded_events_per_s * 1e-6, rates.bare_events_per_s * 1e-6);
  }
}

int print_goals(const Rounds& rounds) {
  bool missed = false, unjudged = false;
  fmt::print("\n| goal | wanted | found | met |\n|---|---|---|---|\n");
  for (const Goal& goal : judged(rounds)) {
    fmt::print("| {} | {} | {} | {} |\n", goal.what, goal.wanted, goal.found,
               !goal.met   ? "not judged"
               : *goal.met ? "yes"
                           : "**no**");
    missed = missed || (goal.met && !*goal.met);
    unjudged = unjudged || !goal.met;
  }
  return missed ? 1 : unjudged ? 3 : 0;
}

int run(const Settings& settings) {
  const CpuChoice cpus = cpus_of_this_machine();
  if (!cpus.separate()) {
    fmt::print(stderr, "one CPU for emitter and client: nothing can be judged here\n");
    return 3;
  }
  fmt::print(
      "Emitter on CPU {}, client on CPU {}; windows of {:g} s. loopback; a network card adds "
      "tens of microseconds\n\n",
      *cpus.emitter, *cpus.client, settings.seconds);
  fmt::print(
      "| load | stall | events/s | CPU us/event | bare | own-stamp delay us p50 / p99 | bare | "
      "ITL error us p50 / p99 | lost | MB | connects s | client_limited | "
      "run-queue wait | censored |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Rounds rounds;
  for (int round = 0; round < settings.rounds; ++round) {
    if (const Status done = add_round(rounds, settings, cpus); !done) {
      fmt::print(stderr, "{}\n{}\n", done.error().message, done.error().hint);
      return 3;
    }
  }
  print_costs(rounds);
  return print_goals(rounds);
}

}  // namespace
}  // namespace tokenjoule::bench

int main(int argc, char** argv) {
  tokenjoule::bench::Settings settings;
  auto& foreign = settings.foreign;
  CLI::App app("The load client against a raw emitter and a bare epoll + recvmsg loop");
  app.add_option("--seconds", settings.seconds, "length of a window")
      ->check(CLI::Range(0.5, 600.0));
  app.add_option("--rounds", settings.rounds, "of each load")->check(CLI::Range(1, 100));
  app.add_option("--url", foreign.url, "read from this server instead: CPU per event only");
  app.add_option("--streams", foreign.streams, "with --url")->check(CLI::Range(1, 100000));
  app.add_option("--rate", settings.rate, "with --url: asks for rate x seconds tokens");
  app.add_option("--model", foreign.model, "with --url: the model that requests carry");
  app.add_option("--dialect", foreign.dialect, "with --url: vllm, llamacpp, openai");
  CLI11_PARSE(app, argc, argv);
  if (foreign.url.empty()) return tokenjoule::bench::run(settings);
  foreign.rounds = settings.rounds;
  foreign.tokens = static_cast<int>(settings.rate * settings.seconds);
  return tokenjoule::bench::run_on_foreign_server(foreign);
}
