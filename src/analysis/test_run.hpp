#pragma once

// For tests only: a run written down line by line, with times in seconds.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "analysis/analyse.hpp"
#include "model/run.hpp"
#include "model/token_times.hpp"

namespace tokenjoule::test {

inline MonoTime at(double seconds) { return mono_at(Seconds(seconds)); }
inline TimeSpan span(double begin, double end) { return {at(begin), at(end)}; }

/// A run of one chosen GPU, "GPU-a", with a window from 10 s to 40 s, that ran to its end.
struct TestRun {
  Run run;

  TestRun() {
    run.close = RunClose{at(60), "completed", {}};
    device("GPU-a");
    mark(10, Phase::measure).mark(40, Phase::cooldown);
  }
  TestRun& device(const std::string& id, DeviceKind kind = DeviceKind::gpu, bool chosen = true) {
    Device device;
    device.id = id;
    device.kind = kind;
    device.chosen = chosen;
    run.devices.push_back(device);
    return *this;
  }
  Signal& signal(std::uint32_t id, Measurand measurand, SignalKind kind,
                 const std::string& device = "GPU-a", Boundary boundary = Boundary::gpu_board) {
    Signal signal;
    signal.id = id;
    signal.sensor = "hand";
    signal.device = device;
    signal.measurand = measurand;
    signal.kind = kind;
    signal.boundary = boundary;
    signal.period = Seconds(1);
    run.signals.push_back(signal);
    return run.signals.back();
  }
  Signal& power(std::uint32_t id, const std::string& device = "GPU-a",
                Boundary boundary = Boundary::gpu_board) {
    return signal(id, Measurand::power, SignalKind::gauge, device, boundary);
  }
  Signal& counter(std::uint32_t id, const std::string& device = "GPU-a",
                  Boundary boundary = Boundary::gpu_board) {
    return signal(id, Measurand::energy, SignalKind::counter, device, boundary);
  }
  TestRun& mark(double time, Phase phase) {
    run.marks.push_back({at(time), phase});
    return *this;
  }
  TestRun& sample(double time, std::initializer_list<Reading> readings) {
    run.samples.push_back({{at(time), at(time)}, readings});
    return *this;
  }
  TestRun& scrape(double time, std::map<EngineMetric, double> values) {
    run.scrapes.push_back({{at(time), at(time)}, std::move(values), ""});
    return *this;
  }
  TestRun& engine_counter(EngineMetric metric, CounterClock clock = CounterClock::per_step) {
    if (!run.engine) run.engine = EngineInfo();
    run.engine->counters.push_back({metric, std::string(name_of(metric)), clock, {}, {}});
    return *this;
  }
  /// Events at the times given after the send, one token each; usage as many.
  RequestRecord& answer(double sent, std::initializer_list<double> events) {
    RequestRecord request;
    request.id = run.requests.size() + 1;
    request.planned = request.sent = at(sent);
    request.reused_connection = true;
    TokenTimesWriter writer(request.sent);
    for (const double event : events) writer.add({at(sent + event), std::nullopt, false});
    request.token_times = writer.take();
    request.token_events = static_cast<std::int64_t>(events.size());
    request.prompt_tokens = 100;
    request.output_tokens = request.token_events;
    request.cached_tokens = 0;
    request.input_tokens_asked = 100;
    request.output_tokens_asked = request.token_events;
    request.end = at(sent + (events.size() == 0 ? 1.0 : *std::prev(events.end())));
    run.requests.push_back(request);
    return run.requests.back();
  }
  /// Power of signal `id`, read every second from 0 s to 50 s.
  TestRun& steady_power(std::uint32_t id, double watts) {
    for (int t = 0; t <= 50; ++t) sample(t, {{id, watts}});
    return *this;
  }
  Report analysed(Question question = {}) {
    std::stable_sort(run.samples.begin(), run.samples.end(),
                     [](const Sample& a, const Sample& b) { return a.read.begin < b.read.begin; });
    return analyse(run, question);
  }
};

/// A run of a GPU at 400 W with one answer of three tokens in the window: nothing to find fault
/// with.
inline TestRun sound_run() {
  TestRun run;
  run.power(0);
  run.steady_power(0, 400);
  run.answer(20, {1, 2, 3});
  return run;
}

/// The finding of that code, the worst one; nullptr if there is none.
inline const CheckFinding* finding_of(const Report& report, const std::string& code) {
  for (const CheckFinding& finding : report.verdict.reasons) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

/// "none", or the severity that a code was given.
inline std::string severity_of(const Report& report, const std::string& code) {
  const CheckFinding* finding = finding_of(report, code);
  return finding == nullptr ? "none" : std::string(name_of(finding->severity));
}

}  // namespace tokenjoule::test
