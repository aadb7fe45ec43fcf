#include "app/measure_point.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "app/host_info.hpp"
#include "app/measure_data.hpp"
#include "app/progress.hpp"
#include "app/recording.hpp"
#include "app/version.hpp"
#include "io/digest.hpp"
#include "load/load_client.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kTick = milliseconds(10);
/// An engine from which nothing but failures came for this long is taken for dead.
constexpr Nanoseconds kDeadAfter = whole_seconds(10);
/// And one that was silent for this long, with requests in flight: a long prefill is silent, too.
constexpr Nanoseconds kSilentAfter = whole_seconds(300);
/// A warm-up with no whole answer in so long, and so many failures, would wait for ever.
constexpr Nanoseconds kWarmupPatience = whole_seconds(30);
constexpr std::int64_t kMostWarmupFailures = 10;
/// Engines count a request's end a moment after they sent it.
constexpr Nanoseconds kSettle = milliseconds(500);

bool ignores_eos(const PointQuestion& question) {
  return question.engine.dialect->takes_ignore_eos() && question.options.ignore_eos.value_or(true);
}

LoadOptions load_options_of(const PointQuestion& question, const std::string& nonce) {
  const MeasureOptions& options = question.options;
  LoadOptions load;
  load.roots = {options.url};
  load.roots.insert(load.roots.end(), options.further_urls.begin(), options.further_urls.end());
  load.tls = options.tls;
  load.endpoint = question.engine.endpoint;
  load.path = question.probe.endpoint_path;
  load.model = question.engine.info.model;
  load.headers = options.headers;
  load.concurrency = question.point.concurrency;
  load.num_requests = num_requests_of(options, question.point);
  load.input_length = options.input_len;
  load.output_length = options.output_len;
  load.token_id_prompts = question.engine.info.token_id_prompts &&
                          question.engine.endpoint == EndpointKind::completions;
  load.return_token_ids = question.engine.info.token_ids_listed;
  load.ignore_eos = ignores_eos(question);
  load.extra_body_json = options.extra_body;
  load.seed = options.seed;
  load.nonce = nonce;
  load.request_timeout = options.request_timeout;
  add_data(load, options, question.point, question.pool);
  load.load_threads = options.load_threads;
  return load;
}

RunHeader header_of(const PointQuestion& question, const std::string& nonce, Clock& clock) {
  RunHeader header;
  header.tool_version = version();
  header.run_id = random_uuid();
  header.started = clock.wall_now();
  header.configuration_json =
      configuration_json(question.options, question.point, question.pool, ignores_eos(question));
  header.host_json = host_json();
  header.seed = question.options.seed;
  header.prompt_nonce = nonce;
  return header;
}

/// A nonce that was given is made another one for each of several points: the second must not find
/// the first one's prompts in a cache.
std::string nonce_of(const PointQuestion& question) {
  if (!question.options.prompt_nonce) return random_hex(8);
  return question.options.points.size() == 1
             ? *question.options.prompt_nonce
             : fmt::format("{}-{}", *question.options.prompt_nonce, question.point.name());
}

std::int64_t ended_requests(const LoadProgress& load) {
  return load.completed + load.failed + load.cancelled;
}

/// How many answers the warm-up waits for, on top of its time. In an open loop the rate says
/// nothing of how many requests will be in flight.
std::int64_t warmup_answers_of(const PointQuestion& question) {
  constexpr std::int64_t kOfOpenLoop = 2;
  if (const auto wanted = warmup_requests_of(question.options, question.point)) return *wanted;
  return question.point.is_open() ? kOfOpenLoop : 2 * question.point.concurrency;
}

/// Everything that runs while a point is measured, and the phases one after another.
class PointMeasurement {
 public:
  PointMeasurement(const PointQuestion& question, OpenSensors sensors, SystemClock& clock,
                   const std::stop_token& stop)
      : question_(question),
        clock_(clock),
        stop_(stop),
        nonce_(nonce_of(question)),
        recording_(std::move(sensors), question.options.power_interval, clock),
        progress_(question.options.progress, question.point.name() + " ") {}

  Status run();

 private:
  Status begin();
  Status phases();
  void idle_phase();
  void warmup_phase();
  void window_phase();
  void harness_warmup();
  void harness_window();
  void drain_phase();
  Status finish(Status status);

  /// Sleeps in ticks until `done`, `deadline`, a stop, or the engine's death. Shows progress.
  template <typename Done>
  void wait(std::string_view phase, std::optional<MonoTime> deadline, Done done);
  void wait_until(std::string_view phase, MonoTime deadline) {
    wait(phase, deadline, [] { return false; });
  }
  bool ended() const { return stop_.stop_requested() || engine_dead_ || !recording_.status(); }
  void watch_engine(const LoadProgress& load);
  void watch_warmup(MonoTime begin, const LoadProgress& load);
  void mark(Phase phase, MonoTime at) { recording_.mark(phase, at); }
  void scrape_edge() { recording_.scrape_edge(); }
  std::string close_reason() const {
    return stop_.stop_requested() ? "interrupted" : engine_dead_ ? "engine_lost" : "completed";
  }

  const PointQuestion& question_;
  SystemClock& clock_;
  std::stop_token stop_;
  std::string nonce_;
  Recording recording_;
  std::unique_ptr<LoadClient> client_;
  Progress progress_;
  bool engine_dead_ = false;
  LoadProgress seen_;  ///< when an answer last moved on
  MonoTime seen_at_;
};

template <typename Done>
void PointMeasurement::wait(std::string_view phase, std::optional<MonoTime> deadline, Done done) {
  while (!ended() && !done()) {
    const MonoTime now = clock_.now();
    if (deadline && now >= *deadline) return;
    const LoadProgress load = client_ ? client_->progress() : LoadProgress{};
    ProgressView view{std::string(phase), load, recording_.readings().watts(), {}};
    if (deadline) view.time_left = to_seconds(*deadline - now);
    progress_.show(view, now);
    watch_engine(load);
    const MonoTime next = now + kTick;
    clock_.sleep_until(deadline ? std::min(next, *deadline) : next, stop_);
  }
}

void PointMeasurement::watch_engine(const LoadProgress& load) {
  const MonoTime now = clock_.now();
  const bool moved = load.completed != seen_.completed || load.events != seen_.events;
  if (moved || load.sent == 0) {
    seen_ = load;
    seen_at_ = now;
    return;
  }
  const std::int64_t failures = load.failed - seen_.failed;
  const Nanoseconds since = now - seen_at_;
  const bool only_fails = failures >= 3 && since >= kDeadAfter;
  const bool silent = load.in_flight > 0 && since >= kSilentAfter;
  if (!only_fails && !silent) return;
  engine_dead_ = true;
  recording_.note(fmt::format("no answer but {} failures in {:.0f} s: the run was ended", failures,
                              to_seconds(since).value()));
}

void PointMeasurement::watch_warmup(MonoTime begin, const LoadProgress& load) {
  const Nanoseconds since = clock_.now() - begin;
  if (load.completed > 0 || load.failed < kMostWarmupFailures || since < kWarmupPatience) return;
  engine_dead_ = true;
  recording_.note(
      fmt::format("no whole answer but {} failures in {:.0f} s of warm-up: the run was ended",
                  load.failed, to_seconds(since).value()));
}

Status PointMeasurement::begin() {
  const EngineInfo& info = question_.engine.info;
  TRY_DO(recording_.begin(question_.record, header_of(question_, nonce_, clock_), info));
  const LoadOptions load = load_options_of(question_, nonce_);
  CountTokens count;
  if (!load.token_id_prompts) {
    count = [this](std::string_view text) -> std::optional<std::int64_t> {
      const auto counted = count_tokens(question_.engine, question_.probe, text);
      return counted ? std::optional(*counted) : std::nullopt;
    };
  }
  TRY(client_,
      LoadClient::start(load, *question_.engine.dialect, clock_, recording_.queue(), count));
  if (question_.engine.metrics) {
    recording_.start_scraper({.metrics = *question_.engine.metrics,
                              .headers = question_.engine.metrics_headers,
                              .further = question_.engine.further_metrics,
                              .tls = question_.options.tls,
                              .counters = info.counters});
  }
  recording_.start_sensors();
  seen_at_ = clock_.now();
  return {};
}

void PointMeasurement::idle_phase() {
  // Before any load: the engine's counter of the whole run begins here.
  if (question_.options.idle <= Seconds(0)) return scrape_edge();
  const MonoTime begin = clock_.now();
  mark(Phase::idle, begin);
  scrape_edge();
  wait_until("idle", begin + to_nanoseconds(question_.options.idle));
  if (!ended()) scrape_edge();
}

void PointMeasurement::warmup_phase() {
  const MonoTime begin = clock_.now();
  mark(Phase::warmup, begin);
  client_->begin_warmup();
  const MonoTime earliest =
      begin + to_nanoseconds(question_.options.ramp_up + question_.options.warmup);
  const std::int64_t wanted = warmup_answers_of(question_);
  wait("warmup", std::nullopt, [&] {
    const MonoTime now = clock_.now();
    watch_warmup(earliest, client_->progress());
    // An edge of the window needs a step of each counter on both sides: their steps must be known.
    const bool steps_known = recording_.readings().steps_known() || now - begin >= kLongestStepWait;
    return now + kEdgeHalf >= earliest && client_->progress().completed >= wanted && steps_known;
  });
  recording_.set_fast(true);
  wait_until("warmup", std::max(clock_.now() + kEdgeHalf, earliest));
}

/// The warm-up of another harness: so many requests, all ended before a measured one is sent.
void PointMeasurement::harness_warmup() {
  mark(Phase::warmup, clock_.now());
  const MonoTime begin = clock_.now();
  wait("warmup", begin + kLongestStepWait, [&] { return recording_.readings().steps_known(); });
  recording_.set_fast(true);
  client_->begin_warmup();
  wait("warmup", std::nullopt,
       [&] { return ended_requests(client_->progress()) >= warmup_answers_of(question_); });
}

/// All measured requests at once, as far as there are streams, and none behind them. The window is
/// the part in which the load is steady: from the first answer of each stream, on average, until
/// the last request is sent.
void PointMeasurement::harness_window() {
  client_->begin_measure();
  const std::int64_t before = ended_requests(client_->progress());
  wait("ramp", std::nullopt,
       [&] { return ended_requests(client_->progress()) - before >= question_.point.concurrency; });
  const MonoTime begin = clock_.now();
  mark(Phase::measure, begin);
  scrape_edge();
  wait("measure", std::nullopt, [&] { return client_->last_of_num_requests_sent().has_value(); });
  const MonoTime end = client_->last_of_num_requests_sent().value_or(clock_.now());
  mark(Phase::cooldown, std::max(begin, end));  // where most failed, the last was sent before
  scrape_edge();
  wait_until("cooldown", clock_.now() + kEdgeHalf);
  // The end of its last request is an edge as well: of what the harness reports.
  wait("drain", std::nullopt, [&] { return client_->progress().in_flight == 0; });
  wait_until("drain", clock_.now() + kEdgeHalf);
}

void PointMeasurement::window_phase() {
  const MonoTime begin = client_->begin_measure();
  mark(Phase::measure, begin);
  scrape_edge();
  MonoTime end;
  if (num_requests_of(question_.options, question_.point)) {
    // When that will be is not known before: the fast polling stays on.
    const bool to_end = question_.options.whole_trace;
    const auto last = [&] {
      return to_end ? client_->last_of_num_requests_ended() : client_->last_of_num_requests_sent();
    };
    wait("measure", std::nullopt, [&] { return last().has_value(); });
    end = last().value_or(clock_.now());
  } else {
    end = begin + to_nanoseconds(question_.options.duration);
    wait_until("measure", std::min(begin + kEdgeHalf, end));
    recording_.set_fast(false);
    wait_until("measure", std::max(end - kEdgeHalf, begin));
    recording_.set_fast(true);
    wait_until("measure", end);
    end = std::min(end, clock_.now());
  }
  mark(Phase::cooldown, end);
  scrape_edge();
  const Seconds cooldown =
      std::max({question_.options.cooldown, 2.0 * question_.options.power_interval,
                2.0 * to_seconds(recording_.readings().longest_step())});
  wait_until("cooldown", end + std::min(kEdgeHalf, to_nanoseconds(cooldown)));
  recording_.set_fast(false);
  wait_until("cooldown", end + to_nanoseconds(cooldown));
}

void PointMeasurement::drain_phase() {
  client_->stop_sending();
  const MonoTime begin = clock_.now();
  mark(Phase::drain, begin);
  const MonoTime deadline = begin + to_nanoseconds(question_.options.drain);
  wait("drain", deadline, [&] { return client_->progress().in_flight == 0; });
  client_->cancel_all();
  client_->wait_idle(clock_.now() + whole_seconds(10));
  clock_.sleep_until(clock_.now() + kSettle, {});
  scrape_edge();
}

Status PointMeasurement::phases() {
  idle_phase();
  if (ended()) return {};
  if (!question_.options.preset.empty()) {
    harness_warmup();
    if (!ended()) harness_window();
  } else {
    warmup_phase();
    if (!ended()) window_phase();
  }
  drain_phase();
  return {};
}

Status PointMeasurement::finish(Status status) {
  recording_.stop_sources(engine_urls(question_.options));
  if (stop_.stop_requested()) recording_.note("stopped by a signal");
  client_.reset();
  const Status closed = recording_.close(status ? close_reason() : "failed");
  return status ? closed : status;
}

Status PointMeasurement::run() {
  const Status begun = begin();
  if (!recording_.has_begun()) return begun;
  const Status status = finish(begun ? phases() : begun);
  if (!begun) {
    // Of a run that never began there is nothing to judge.
    std::error_code left;
    std::filesystem::remove(question_.record, left);
  }
  return status;
}

}  // namespace

Status measure_point(const PointQuestion& question, OpenSensors sensors, SystemClock& clock,
                     const std::stop_token& stop) {
  PointMeasurement measurement(question, std::move(sensors), clock, stop);
  return measurement.run();
}

}  // namespace tokenjoule
