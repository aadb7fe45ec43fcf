// The load client against the raw limit of the machine: the same paced streams are read in turn by
// the client and by a bare epoll + recvmsg loop, A B A B. Prints Markdown; exits 1 where an event
// was lost or the client's thread took more than 1.3 times the CPU of the bare loop.

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "load/descriptor_limit.hpp"
#include "paced_server.hpp"
#include "readers.hpp"

namespace tokenjoule::bench {
namespace {

constexpr double kMostRatio = 1.3;

struct Settings {
  int streams = 1000;
  double rate = 20;
  double seconds = 15;
  int rounds = 2;
  std::string url;
  std::string model = "bench";
  std::string dialect = "vllm";
};

/// One row: what a client read in its turn, and what the server says of the same time.
struct Turn {
  std::string_view client;
  Reading reading;
  std::int64_t sent = 0;  ///< token events; 0 where the server is not ours
  std::int64_t late = 0;  ///< of those, sent more than 1 ms late
  std::int64_t blocked = 0;

  double us_per_event() const {
    return reading.cpu.value() * 1e6 /
           static_cast<double>(std::max<std::int64_t>(1, reading.token_events));
  }
  std::int64_t lost() const {
    const std::int64_t due = sent > 0 ? sent : reading.asked;
    return due > 0 ? due - reading.token_events : 0;
  }
};

void print_row(const Turn& turn) {
  const double share = 100 / std::max(1e-9, turn.reading.wall.value());
  const std::string lag =
      turn.reading.lag_p99_us > 0 ? fmt::format("< {:.0f}", turn.reading.lag_p99_us) : "n/a";
  fmt::print("| {} | {} | {} | {} | {:.1f} | {:.2f} | {:.1f} % | {:.2f} % | {} | {} | {} |\n",
             turn.client, turn.reading.token_events, turn.lost(), turn.reading.failed,
             turn.reading.wall.value(), turn.us_per_event(), turn.reading.cpu.value() * share,
             turn.reading.run_queue_wait.value() * share, lag, turn.late, turn.blocked);
  std::fflush(stdout);
}

Turn turn_of(std::string_view name, Reading (*read)(const Stretch&), const Stretch& stretch,
             const ServerCounts* counts) {
  Turn turn{.client = name};
  const std::int64_t sent = counts != nullptr ? counts->token_events.load() : 0;
  const std::int64_t late = counts != nullptr ? counts->late_events.load() : 0;
  const std::int64_t blocked = counts != nullptr ? counts->blocked.load() : 0;
  turn.reading = read(stretch);
  if (counts == nullptr) return turn;
  turn.sent = counts->token_events - sent;
  turn.late = counts->late_events - late;
  turn.blocked = counts->blocked - blocked;
  return turn;
}

double mean_cost(const std::vector<Turn>& turns, std::string_view client) {
  double cpu = 0;
  double events = 0;
  for (const Turn& turn : turns) {
    if (turn.client != client) continue;
    cpu += turn.reading.cpu.value();
    events += static_cast<double>(turn.reading.token_events);
  }
  return events > 0 ? cpu * 1e6 / events : 0;
}

int judged(const std::vector<Turn>& turns) {
  const double ratio =
      mean_cost(turns, "tokenjoule") / std::max(1e-9, mean_cost(turns, "bare loop"));
  std::int64_t lost = 0;
  for (const Turn& turn : turns) lost += turn.lost();
  fmt::print(
      "\nCPU per event, tokenjoule / bare loop: **{:.3f}** (must be at most {}); lost events: {}\n",
      ratio, kMostRatio, lost);
  return ratio <= kMostRatio && lost == 0 ? 0 : 1;
}

int run(const Settings& settings) {
  if (const Status allowed = allow_descriptors(2U * static_cast<unsigned>(settings.streams));
      !allowed) {
    fmt::print(stderr, "{}\n{}\n", allowed.error().message, allowed.error().hint);
    return 3;
  }
  Stretch stretch{.streams = settings.streams,
                  .tokens = static_cast<int>(settings.rate * settings.seconds),
                  .model = settings.model,
                  .dialect = settings.dialect};
  std::unique_ptr<PacedServer> server;
  if (settings.url.empty()) {
    server = std::make_unique<PacedServer>(Pace{settings.streams, settings.rate, stretch.tokens});
    stretch.root = url_in(fmt::format("http://127.0.0.1:{}", server->port())).value();
  } else {
    stretch.root = api_root(url_in(settings.url).value());
  }
  fmt::print("{} streams, {} tokens each, asked at {} a second; a turn is {} s long at least\n\n",
             settings.streams, stretch.tokens, settings.rate, settings.seconds);
  fmt::print(
      "| reader | token events | lost | failed | wall s | CPU us/event | CPU | run-queue wait | "
      "lag p99 us | sent late | blocked |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<Turn> turns;
  for (int round = 0; round < settings.rounds; ++round) {
    const ServerCounts* const counts = server ? &server->counts() : nullptr;
    turns.push_back(turn_of("tokenjoule", read_with_client, stretch, counts));
    print_row(turns.back());
    turns.push_back(turn_of("bare loop", read_bare, stretch, counts));
    print_row(turns.back());
  }
  return judged(turns);
}

}  // namespace
}  // namespace tokenjoule::bench

int main(int argc, char** argv) {
  tokenjoule::bench::Settings settings;
  CLI::App app("The load client against a bare epoll + recvmsg loop");
  app.add_option("--streams", settings.streams, "streams at a time")->check(CLI::Range(1, 100000));
  app.add_option("--rate", settings.rate, "tokens per second of each stream (of our own server)");
  app.add_option("--seconds", settings.seconds, "length of a turn: asks for rate x seconds tokens");
  app.add_option("--rounds", settings.rounds, "turns of each reader");
  app.add_option("--url", settings.url, "read from this server instead of our own");
  app.add_option("--model", settings.model, "model that requests to it carry");
  app.add_option("--dialect", settings.dialect, "how it is asked: vllm, llamacpp, openai");
  CLI11_PARSE(app, argc, argv);
  return tokenjoule::bench::run(settings);
}
