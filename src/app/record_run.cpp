#include "app/record_run.hpp"

#include <algorithm>
#include <thread>

#include <fmt/core.h>

#include "app/host_info.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/recording.hpp"
#include "app/version.hpp"
#include "io/digest.hpp"
#include "io/foreground_process.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kTick = milliseconds(10);
/// Where the end is not known before, sensors are polled fast from the start on, but no longer than
/// this: behind it an edge of 100 ms is less than a six-hundredth of the window.
constexpr Nanoseconds kFastAtMost = whole_seconds(60);
/// Behind the window the sensors go on at least so long: a mean over a second stands half a second
/// before its read.
constexpr Nanoseconds kShortestTail = whole_seconds(2);
/// A sensor that has not been read behind the window by then has stopped.
constexpr Nanoseconds kLongestTail = whole_seconds(30);

RunHeader header_of(const RecordOptions& options, Clock& clock) {
  RunHeader header;
  header.tool_version = version();
  header.run_id = random_uuid();
  header.started = clock.wall_now();
  header.configuration_json = record_configuration_json(options);
  header.host_json = host_json();
  return header;
}

/// Progress would write between the lines of a command.
ProgressStyle style_of(const RecordOptions& options) {
  const bool hidden = !options.command.empty() && options.progress == ProgressStyle::automatic;
  return hidden ? ProgressStyle::none : options.progress;
}

class RunRecorder {
 public:
  RunRecorder(const RecordQuestion& question, OpenSensors sensors, SystemClock& clock,
              InterruptWatcher& interrupts)
      : question_(question),
        clock_(clock),
        interrupts_(interrupts),
        stop_(interrupts.token()),
        recording_(std::move(sensors), question.options.power_interval, clock),
        progress_(style_of(question.options), "") {}

  RecordOutcome run();

 private:
  Status begin();
  void idle_phase();
  void lead_phase();
  void window_phase();
  void tail_phase();
  Status command_window();
  void timed_window();
  void finish();

  bool ended() const { return stop_.stop_requested() || !recording_.status(); }
  const RecordOptions& options() const { return question_.options; }
  bool until_signal() const { return !options().duration && options().command.empty(); }
  void mark(Phase phase, MonoTime at) { recording_.mark(phase, at); }
  void show(std::string_view phase, std::optional<MonoTime> deadline);
  /// In ticks until `done`, `deadline` or a stop.
  template <typename Done>
  void wait(std::string_view phase, std::optional<MonoTime> deadline, Done done);

  const RecordQuestion& question_;
  SystemClock& clock_;
  InterruptWatcher& interrupts_;
  std::stop_token stop_;
  Recording recording_;
  Progress progress_;
  RecordOutcome outcome_;
};

void RunRecorder::show(std::string_view phase, std::optional<MonoTime> deadline) {
  const MonoTime now = clock_.now();
  ProgressView view{std::string(phase), std::nullopt, recording_.readings().watts(), {}};
  if (deadline) view.time_left = to_seconds(*deadline - now);
  progress_.show(view, now);
}

template <typename Done>
void RunRecorder::wait(std::string_view phase, std::optional<MonoTime> deadline, Done done) {
  while (!ended() && !done()) {
    const MonoTime now = clock_.now();
    if (deadline && now >= *deadline) return;
    show(phase, deadline);
    const MonoTime next = now + kTick;
    clock_.sleep_until(deadline ? std::min(next, *deadline) : next, stop_);
  }
}

Status RunRecorder::begin() {
  const auto& engine = question_.engine;
  const auto info = engine ? std::optional(engine->info) : std::nullopt;
  TRY_DO(recording_.begin(question_.record, header_of(options(), clock_), info));
  if (engine) {
    recording_.start_scraper({.metrics = *engine->metrics,
                              .headers = engine->metrics_headers,
                              .further = engine->further_metrics,
                              .tls = options().tls,
                              .counters = engine->info.counters,
                              .requests = engine->info.requests});
  }
  recording_.start_sensors();
  return {};
}

void RunRecorder::idle_phase() {
  if (options().idle <= Seconds(0)) return;
  const MonoTime begin = clock_.now();
  mark(Phase::idle, begin);
  recording_.scrape_edge();
  wait("idle", begin + to_nanoseconds(options().idle), [] { return false; });
  if (!ended()) recording_.scrape_edge();
}

/// Until every signal was read and every counter has stepped twice: the window's start needs a step
/// on both sides.
void RunRecorder::lead_phase() {
  const MonoTime begin = clock_.now();
  mark(Phase::warmup, begin);
  recording_.set_fast(true);
  wait("start", begin + kLongestStepWait, [&] {
    const LiveReadings& readings = recording_.readings();
    return readings.read_since(begin) && readings.steps_known() &&
           clock_.now() - begin >= kEdgeHalf;
  });
  if (!ended()) recording_.scrape_edge();
}

void RunRecorder::timed_window() {
  const MonoTime begin = clock_.now();
  mark(Phase::measure, begin);
  recording_.scrape_edge();
  std::optional<MonoTime> planned;
  if (options().duration) planned = begin + to_nanoseconds(*options().duration);
  const MonoTime slow_from = begin + (planned ? kEdgeHalf : kFastAtMost);
  wait("record", planned ? std::min(slow_from, *planned) : slow_from, [] { return false; });
  recording_.set_fast(false);
  if (planned) {
    wait("record", std::max(*planned - kEdgeHalf, begin), [] { return false; });
    recording_.set_fast(true);
  }
  wait("record", planned, [] { return false; });
  const MonoTime now = clock_.now();
  const MonoTime end = planned ? std::min(*planned, now) : now;
  recording_.set_fast(true);
  mark(Phase::cooldown, end);
  recording_.scrape_edge();
}

/// Around the command. Signals are its own while it runs.
Status RunRecorder::command_window() {
  const MonoTime begin = clock_.now();
  mark(Phase::measure, begin);
  TRY(ForegroundProcess command, ForegroundProcess::start(options().command));
  interrupts_.hand_to(command.pid());
  recording_.note(fmt::format("the command started as process {}", command.pid()));
  // Beside the wait: a slow page must not hide when the command ends.
  const std::jthread edge([this] { recording_.scrape_edge(); });
  std::optional<ForegroundProcess::Ending> ending;
  while (!ending) {
    ending = command.wait_for_end(kTick);
    if (clock_.now() - begin >= kFastAtMost) recording_.set_fast(false);
    if (!ending) show("record", std::nullopt);
  }
  mark(Phase::cooldown, clock_.now());
  recording_.set_fast(true);
  interrupts_.take_back();
  recording_.scrape_edge();
  recording_.note(fmt::format("the command ended with {}", ending->words));
  outcome_.command_code = ending->code;
  return {};
}

void RunRecorder::window_phase() {
  if (!options().command.empty()) {
    outcome_.status = command_window();
    return;
  }
  if (until_signal()) put_error("recording; Ctrl-C ends the window and shows the result\n");
  timed_window();
  if (stop_.stop_requested()) recording_.note("a signal ended the window");
  outcome_.interrupted = stop_.stop_requested() && !until_signal();
}

/// Steps and readings behind the window, so that its end is covered. A signal that ended the window
/// does not end this; one that comes now ends the program.
void RunRecorder::tail_phase() {
  const MonoTime begin = clock_.now();
  const Nanoseconds steps = recording_.readings().longest_step() * 2;
  const Nanoseconds polls = to_nanoseconds(2.0 * options().power_interval);
  const MonoTime earliest = begin + std::max({kShortestTail, steps, polls});
  const MonoTime latest = std::max(earliest, begin + kLongestTail);
  while (recording_.status()) {
    const MonoTime now = clock_.now();
    if (now >= latest) return;
    if (now >= earliest && recording_.readings().read_since(begin)) return;
    if (now - begin >= kEdgeHalf) recording_.set_fast(false);
    show("cooldown", earliest);
    clock_.sleep_until(now + kTick, {});
  }
}

void RunRecorder::finish() {
  recording_.stop_sources(question_.options.metrics);
  const std::string reason = !outcome_.status       ? "failed"
                             : outcome_.interrupted ? "interrupted"
                                                    : "completed";
  const Status closed = recording_.close(reason);
  if (outcome_.status) outcome_.status = closed;
}

RecordOutcome RunRecorder::run() {
  outcome_.status = begin();
  if (!recording_.has_begun()) return outcome_;
  idle_phase();
  if (!ended()) lead_phase();
  if (ended()) {
    outcome_.interrupted = stop_.stop_requested();
  } else {
    window_phase();
    if (outcome_.status) tail_phase();
  }
  finish();
  return outcome_;
}

}  // namespace

RecordOutcome record_run(const RecordQuestion& question, OpenSensors sensors, SystemClock& clock,
                         InterruptWatcher& interrupts) {
  RunRecorder recorder(question, std::move(sensors), clock, interrupts);
  return recorder.run();
}

}  // namespace tokenjoule
