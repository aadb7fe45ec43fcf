#include "sim/virtual_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "engines/dialect.hpp"
#include "sim/pages.hpp"
#include "sim/virtual_client.hpp"
#include "sim/virtual_sensor.hpp"

namespace tokenjoule {

namespace {

/// 2026-11-30: any instant would do, but the same one for every run.
constexpr WallTime kStarted{1'796'000'000'000'000'000};
/// A page on loopback is read this long before and after.
constexpr Nanoseconds kHalfRead = microseconds(100);

std::string configuration_of(const VirtualRunOptions& options) {
  nlohmann::ordered_json json;
  json["command"] = "measure";
  json["mode"] = "closed";
  json["concurrency"] = options.concurrency;
  json["duration_s"] = options.window.value();
  json["warmup_s"] = options.warmup.value();
  json["cooldown_s"] = options.cooldown.value();
  json["drain_s"] = options.drain.value();
  json["idle_s"] = options.idle.value();
  json["input_len"] = std::to_string(options.input_tokens);
  json["output_len"] = std::to_string(options.output_tokens);
  json["dataset"] = "random";
  json["ignore_eos"] = options.ignore_eos;
  json["virtual_time"] = true;
  return json.dump();
}

Status check(const VirtualRunOptions& options) {
  TRY_DO(check_options(options.simulator));
  const double longest =
      (1 + options.range_ratio) * static_cast<double>(options.input_tokens + options.output_tokens);
  if (longest > static_cast<double>(options.simulator.engine.max_model_len))
    return failure(ErrorKind::usage, "a virtual run's requests do not fit the model's context",
                   "choose shorter lengths");
  const bool fits =
      options.concurrency >= 1 && options.input_tokens >= 1 && options.output_tokens >= 1 &&
      options.range_ratio >= 0 && options.range_ratio < 1 && options.window > Seconds() &&
      options.edge_poll_period > kHalfRead * 2 && options.poll_period >= options.edge_poll_period &&
      options.scrape_period > Nanoseconds{} && options.network_delay > Nanoseconds{};
  if (fits) return {};
  return failure(ErrorKind::usage, "a virtual run's options are out of range",
                 "counts from 1 on, a ratio below 1, periods and delay above 0");
}

/// The clockwork of a virtual run: whatever is due next happens, in order of time.
class VirtualMeasurement {
 public:
  explicit VirtualMeasurement(const VirtualRunOptions& options)
      : options_(options),
        simulation_(std::make_unique<Simulation>(options.simulator)),
        client_(options_, *simulation_, [this](Event event) { add(std::move(event)); }) {
    marks_ = {{MonoTime{}, Phase::idle}, {}, {}, {}, {}};
    const std::pair<Phase, Seconds> lengths[] = {{Phase::warmup, options.idle},
                                                 {Phase::measure, options.warmup},
                                                 {Phase::cooldown, options.window},
                                                 {Phase::drain, options.cooldown}};
    for (std::size_t i = 0; i < 4; ++i)
      marks_[i + 1] = {marks_[i].at + to_nanoseconds(lengths[i].second), lengths[i].first};
  }

  VirtualRun run();

 private:
  void add(Event event);
  void begin();
  void happen(MonoTime now);
  void enter_phases(MonoTime now);
  void end(MonoTime now);
  MonoTime next_event() const;
  bool over(MonoTime now) const;
  void poll(MonoTime now);
  void scrape(MonoTime now, std::string note);
  void add_anchor(MonoTime now);
  void add_client_state(MonoTime now);
  Nanoseconds poll_period_at(MonoTime now) const;

  VirtualRunOptions options_;
  std::unique_ptr<Simulation> simulation_;
  VirtualClient client_;
  std::vector<Event> events_;
  std::map<std::string, std::int64_t> counts_;
  std::vector<EngineCounter> counters_;
  std::vector<Mark> marks_;  ///< idle, warmup, measure, cooldown, drain
  std::size_t next_mark_ = 0;
  MonoTime next_poll_;
  MonoTime next_scrape_;
  MonoTime next_state_ = MonoTime{} + whole_seconds(1);
  MonoTime next_anchor_;
};

void VirtualMeasurement::add(Event event) {
  ++counts_[std::string(kind_of(event))];
  events_.push_back(std::move(event));
}

void VirtualMeasurement::begin() {
  RunHeader header;
  header.tool_version = "virtual";
  header.run_id =
      fmt::format("51d00000-0000-4000-8000-{:012x}", options_.simulator.seed & 0xffffffffffffU);
  header.started = kStarted;
  header.configuration_json = configuration_of(options_);
  header.host_json = R"({"name":"virtual"})";
  header.seed = options_.load_seed;
  header.prompt_nonce = "virtual";
  add(header);
  const std::string metrics = engine_metrics_page(*simulation_, kStarted);
  const EngineDialect& dialect = *dialect_named("vllm");
  EngineInfo info = dialect.described_by(
      {{"/version", {200, "application/json", version_json()}},
       {"/v1/models", {200, "application/json", models_json(options_.simulator, kStarted)}},
       {"/metrics", {200, "text/plain; version=0.0.4", metrics}}});
  if (const auto page = prometheus_page(metrics)) counters_ = dialect.counters_on(*page);
  info.url = "virtual:";
  info.endpoint = "/v1/completions";
  info.model = options_.simulator.model;
  info.token_id_prompts = true;
  info.ignore_eos = true;
  info.metrics_url = "virtual:/metrics";
  info.counters = counters_;
  add(info);
  for (Device& device : virtual_devices(*simulation_)) add(std::move(device));
  for (Signal& signal : virtual_signals(*simulation_, options_.poll_period)) add(std::move(signal));
}

VirtualRun VirtualMeasurement::run() {
  begin();
  MonoTime now;
  while (!over(now)) {
    now = next_event();
    happen(now);
  }
  end(now);
  VirtualRun run;
  run.events = std::move(events_);
  run.window = {marks_[2].at, marks_[3].at};
  run.simulation = std::move(simulation_);
  return run;
}

MonoTime VirtualMeasurement::next_event() const {
  MonoTime next = std::min({next_poll_, next_scrape_, next_state_, next_anchor_});
  if (next_mark_ < marks_.size()) next = std::min(next, marks_[next_mark_].at);
  if (const auto step = simulation_->step_end()) next = std::min(next, *step);
  if (const auto arrival = client_.next_arrival()) next = std::min(next, *arrival);
  return next;
}

/// All that is due at `now`: first the engine, so that what is read then is up to date.
void VirtualMeasurement::happen(MonoTime now) {
  while (simulation_->step_end() && *simulation_->step_end() <= now) {
    const MonoTime ended = *simulation_->step_end();
    client_.take(simulation_->end_step(ended), ended);
  }
  client_.deliver(now);
  enter_phases(now);
  if (now >= next_anchor_) {
    add_anchor(now);
    next_anchor_ += whole_seconds(60);
  }
  if (now >= next_poll_) {
    poll(now);
    next_poll_ += poll_period_at(now);
  }
  if (now >= next_scrape_) {
    scrape(now, "");
    next_scrape_ += options_.scrape_period;
  }
  if (now >= next_state_) add_client_state(now);
}

void VirtualMeasurement::enter_phases(MonoTime now) {
  while (next_mark_ < marks_.size() && marks_[next_mark_].at <= now) {
    const Mark mark = marks_[next_mark_++];
    add(mark);
    scrape(now, "edge");
    if (mark.phase == Phase::warmup) client_.start(now);
    if (mark.phase == Phase::measure) client_.begin_window();
    if (mark.phase == Phase::drain) client_.stop();
  }
}

bool VirtualMeasurement::over(MonoTime now) const {
  if (next_mark_ < marks_.size()) return false;
  const MonoTime drain = marks_.back().at;
  // A second more, so that the last steps of the sensors are seen as well.
  const bool drained = client_.in_flight() == 0 && now >= drain + whole_seconds(1);
  return drained || now >= drain + to_nanoseconds(options_.drain);
}

void VirtualMeasurement::end(MonoTime now) {
  client_.cancel_all(now);
  add(Mark{now, Phase::end});
  scrape(now, "edge");
  add_anchor(now);
  RunClose close;
  close.at = now;
  close.reason = "completed";
  close.counts = counts_;
  add(close);
}

Nanoseconds VirtualMeasurement::poll_period_at(MonoTime now) const {
  static constexpr Nanoseconds kAround = whole_seconds(1);
  const bool near_edge = std::any_of(marks_.begin(), marks_.end(), [now](const Mark& mark) {
    return now >= mark.at - kAround && now < mark.at + kAround;
  });
  return near_edge ? options_.edge_poll_period : options_.poll_period;
}

void VirtualMeasurement::poll(MonoTime now) {
  const TimeSpan read{now - kHalfRead, now + kHalfRead + options_.simulator.faults.slow_page};
  auto sample = virtual_sample(*simulation_, now, read);
  if (sample) {
    add(*std::move(sample));
  } else {
    add(Loss{read, "poll", "dcgm", 1, sample.error().message});
  }
}

void VirtualMeasurement::scrape(MonoTime now, std::string note) {
  CounterScrape scrape;
  scrape.read = {now - kHalfRead, now + kHalfRead};
  scrape.note = std::move(note);
  if (const auto page = prometheus_page(engine_metrics_page(*simulation_, kStarted)))
    scrape.values = counter_values(counters_, *page);
  add(scrape);
}

void VirtualMeasurement::add_anchor(MonoTime now) {
  add(ClockAnchor{{now, now + microseconds(1)}, {kStarted.unix_ns + now.ns + 500}});
}

void VirtualMeasurement::add_client_state(MonoTime now) {
  ClientState state;
  state.span = {next_state_ - whole_seconds(1), now};
  state.reads = client_.take_reads();
  state.lag_histogram[3] = state.reads;  // 8 to 16 us
  state.cpu = Seconds(5e-6 * static_cast<double>(state.reads));
  state.in_flight = client_.in_flight();
  add(state);
  next_state_ += whole_seconds(1);
}

}  // namespace

Result<VirtualRun> virtual_run(const VirtualRunOptions& options) {
  TRY_DO(check(options));
  return VirtualMeasurement(options).run();
}

}  // namespace tokenjoule
