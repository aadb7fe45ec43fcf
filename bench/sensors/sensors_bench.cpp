// What it costs us to poll the nvml sensor: eight GPUs that a script plays, 10 Hz, all signals. The
// time inside the vendor's library is measured apart, by a library that stands in between. Prints
// Markdown or JSON; exits 1 where our own share is above the goal.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "fake_gpus.hpp"
#include "io/library.hpp"
#include "record/event_queue.hpp"
#include "record/run_writer.hpp"
#include "sensors/nvml/nvml_sensor.hpp"
#include "sensors/sampler.hpp"
#include "sim/fake_nvml/shared_state.hpp"
#include "timed_nvml.hpp"

namespace tokenjoule::bench {
namespace {

constexpr double kMostPercent = 0.5;

struct Settings {
  std::string library = FAKE_NVML_LIBRARY;
  int gpus = 8;
  double seconds = 20;
  std::string format = "table";
};

/// A folder for the script and the record, removed at the end.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tokenjoule-bench-XXXXXX";
    if (mkdtemp(name) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// CPU time of all threads but the one that calls, which sleeps while the others work.
std::int64_t others_cpu_ns() {
  return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/// What came out of the sampler. Written by the one sensor's thread, read once it has ended.
struct Tally {
  std::int64_t rounds = 0;  ///< samples that hold signal 0, which each round reads first
  std::int64_t readings = 0;
  std::int64_t lost = 0;
  Nanoseconds longest_read;
  Nanoseconds longest_pause;  ///< between the begins of two rounds
  std::optional<MonoTime> last_round;

  void add(const Event& event) {
    if (const auto* loss = std::get_if<Loss>(&event)) lost += loss->count;
    const auto* sample = std::get_if<Sample>(&event);
    if (sample == nullptr) return;
    readings += static_cast<std::int64_t>(sample->readings.size());
    longest_read = std::max(longest_read, sample->read.length());
    if (sample->readings.front().signal != 0) return;
    ++rounds;
    if (last_round) longest_pause = std::max(longest_pause, sample->read.begin - *last_round);
    last_round = sample->read.begin;
  }
};

struct Row {
  std::string_view what;
  double seconds = 0;
  std::size_t signals = 0;
  Tally tally;
  LibraryTotals library;  ///< in this row's time
  double own_cpu_s = 0;

  double own_percent() const { return 100 * own_cpu_s / seconds; }
  double library_percent() const { return 1e-7 * static_cast<double>(library.cpu_ns) / seconds; }
  double per_round_us(double cpu_s) const {
    return 1e6 * cpu_s / static_cast<double>(std::max<std::int64_t>(1, tally.rounds));
  }
  double own_round_us() const { return per_round_us(own_cpu_s); }
  double library_round_us() const {
    return per_round_us(1e-9 * static_cast<double>(library.cpu_ns));
  }
};

LibraryTotals library_totals(const SharedLibrary& timed) {
  LibraryTotals totals;
  timed.function<ReadTotals>(kReadTotals)(&totals);
  return totals;
}

/// Polls for the time asked for; everything goes to `sink` as well.
Result<Row> polled(std::string_view what, const Settings& settings, SystemClock& clock,
                   const EventSink& sink) {
  TRY(const SharedLibrary timed, SharedLibrary::open(TIMED_NVML_LIBRARY));
  std::vector<std::unique_ptr<Sensor>> sensors(1);
  TRY(sensors[0], open_nvml({"nvml", {{"library", TIMED_NVML_LIBRARY}}}, clock));
  Row row{.what = what};
  Sampler sampler(std::move(sensors), clock, [&](Event event) {
    row.tally.add(event);
    sink(std::move(event));
  });
  row.signals = sampler.signals().size();
  const LibraryTotals before = library_totals(timed);
  const std::int64_t cpu_before = others_cpu_ns();
  const MonoTime begin = clock.now();
  sampler.start(sampler.devices());
  clock.sleep_until(begin + to_nanoseconds(Seconds(settings.seconds)), {});
  sampler.stop();
  row.seconds = to_seconds(clock.now() - begin).value();
  const LibraryTotals after = library_totals(timed);
  row.library = {after.calls - before.calls, after.cpu_ns - before.cpu_ns};
  const std::int64_t spent_ns = others_cpu_ns() - cpu_before;
  row.own_cpu_s = 1e-9 * static_cast<double>(spent_ns - row.library.cpu_ns);
  return row;
}

/// The same as in a run: through the queue into a run file.
Result<Row> polled_and_recorded(const Settings& settings, SystemClock& clock,
                                const std::filesystem::path& file) {
  EventQueue queue;
  TRY(auto writer, RunWriter::create(file, {.run_id = "bench"}, clock, queue));
  TRY(const Row row, polled("polling and writing the record", settings, clock,
                            [&](Event event) { queue.push(std::move(event)); }));
  TRY_DO(writer->close("completed"));
  return row;
}

void print_table(const std::vector<Row>& rows, const Settings& settings) {
  fmt::print(
      "{} at 10 Hz, {} signals; CPU as a share of one core\n\n"
      "| | s | rounds | readings | lost polls | own CPU | own us/round | library CPU | "
      "library us/round | library calls | worst poll of a GPU ms | longest pause ms |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      settings.library, rows.front().signals);
  for (const Row& row : rows) {
    fmt::print(
        "| {} | {:.1f} | {} | {} | {} | {:.3f} % | {:.0f} | {:.3f} % | {:.0f} | {} | {:.2f} | "
        "{:.1f} |\n",
        row.what, row.seconds, row.tally.rounds, row.tally.readings, row.tally.lost,
        row.own_percent(), row.own_round_us(), row.library_percent(), row.library_round_us(),
        row.library.calls, 1e3 * to_seconds(row.tally.longest_read).value(),
        1e3 * to_seconds(row.tally.longest_pause).value());
  }
  fmt::print("\nOwn CPU of polling must be at most {} % of one core.\n", kMostPercent);
}

void print_json(const std::vector<Row>& rows, const Settings& settings) {
  nlohmann::ordered_json out = {{"library", settings.library},
                                {"signals", rows.front().signals},
                                {"own_cpu_percent_allowed", kMostPercent}};
  for (const Row& row : rows) {
    out["rows"].push_back({{"what", row.what},
                           {"seconds", row.seconds},
                           {"rounds", row.tally.rounds},
                           {"readings", row.tally.readings},
                           {"lost_polls", row.tally.lost},
                           {"own_cpu_percent", row.own_percent()},
                           {"own_us_per_round", row.own_round_us()},
                           {"library_cpu_percent", row.library_percent()},
                           {"library_us_per_round", row.library_round_us()},
                           {"library_calls", row.library.calls},
                           {"worst_poll_s", to_seconds(row.tally.longest_read).value()},
                           {"longest_pause_s", to_seconds(row.tally.longest_pause).value()}});
  }
  fmt::print("{}\n", out.dump(2));
}

int failed(const Error& error) {
  fmt::print(stderr, "{}; {}\n", error.message, error.hint);
  return 3;
}

int run(const Settings& settings) {
  const Folder folder;
  if (settings.library == FAKE_NVML_LIBRARY) {
    write_fake_gpus(folder.path() / "script", settings.gpus);
    setenv(kFakeScriptVariable, (folder.path() / "script").c_str(), 1);
  }
  setenv(kTimedLibraryVariable, settings.library.c_str(), 1);
  SystemClock clock;
  const auto alone = polled("polling", settings, clock, [](const Event&) {});
  if (!alone) return failed(alone.error());
  const auto recorded = polled_and_recorded(settings, clock, folder.path() / "run.jsonl");
  if (!recorded) return failed(recorded.error());
  const std::vector<Row> rows = {*alone, *recorded};
  settings.format == "json" ? print_json(rows, settings) : print_table(rows, settings);
  return alone->own_percent() <= kMostPercent ? 0 : 1;
}

}  // namespace
}  // namespace tokenjoule::bench

int main(int argc, char** argv) {
  tokenjoule::bench::Settings settings;
  CLI::App app("CPU cost of polling the nvml sensor, without and with what its library costs");
  app.add_option("--library", settings.library, "an NVML library; default: our fake one");
  app.add_option("--gpus", settings.gpus, "GPUs of the fake one")->check(CLI::Range(1, 16));
  app.add_option("--seconds", settings.seconds, "of each row")->check(CLI::Range(1.0, 3600.0));
  app.add_option("--format", settings.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  CLI11_PARSE(app, argc, argv);
  return tokenjoule::bench::run(settings);
}
