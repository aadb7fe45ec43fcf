#include "foreign_server.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "selftest/selftest.hpp"

namespace tokenjoule::bench {

namespace {

void print_row(std::string_view reader, const TurnReading& reading) {
  const double wall = std::max(1e-9, reading.wall.value());
  const auto events = static_cast<double>(std::max<std::int64_t>(1, reading.events));
  fmt::print("| {} | {} | {} | {:.1f} | {:.2f} | {:.2f} % |\n", reader, reading.events,
             reading.failed, wall, reading.cpu.value() * 1e6 / events,
             100 * reading.run_queue_wait.value() / wall);
  std::fflush(stdout);
}

}  // namespace

int run_on_foreign_server(const ForeignLoad& load) {
  const auto url = url_in(load.url);
  if (!url) {
    fmt::print(stderr, "{}\n", url.error().message);
    return 2;
  }
  TurnPlan plan{.root = api_root(*url), .streams = load.streams, .tokens = load.tokens};
  plan.model = load.model;
  plan.dialect = load.dialect;
  const CpuChoice cpus = cpus_of_this_machine();
  const PinnedTo pinned(cpus.client);
  SystemClock clock;
  std::int64_t failed = 0;
  fmt::print(
      "| reader | token events | failed | wall s | CPU us/event | run-queue wait |\n"
      "|---|---|---|---|---|---|\n");
  for (int round = 0; round < load.rounds; ++round) {
    for (const bool bare : {false, true}) {
      const auto reading = bare ? read_bare(plan, clock) : read_with_client(plan, clock);
      if (!reading) {
        fmt::print(stderr, "{}\n", reading.error().message);
        return 3;
      }
      print_row(bare ? "bare loop" : "tokenjoule", *reading);
      failed += reading->failed;
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace tokenjoule::bench
