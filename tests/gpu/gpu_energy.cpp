#include "gpu_energy.hpp"

#include <algorithm>
#include <memory>

#include "analysis/counter_energy.hpp"
#include "analysis/integrated_energy.hpp"
#include "analysis/series.hpp"
#include "sensors/nvml/nvml_sensor.hpp"
#include "sensors/sampler.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kPeriod = milliseconds(5);
// The counter must step before the span; a mean over 1 s stands for half a second earlier, and a
// step of a counter may take 100 ms.
constexpr Nanoseconds kBefore = milliseconds(500);
constexpr Nanoseconds kBehind = milliseconds(1000);

struct Recorded {
  Run run;
  TimeSpan span;
};

Result<Recorded> recorded(const std::string& library, Seconds length, Clock& clock) {
  SensorSpec spec{"nvml", {}};
  if (!library.empty()) spec.settings["library"] = library;
  std::vector<std::unique_ptr<Sensor>> sensors(1);
  TRY(sensors[0], open_nvml(spec, clock));
  Recorded recorded;
  // One sensor, hence one thread: nothing else writes to the run while it is polled.
  Sampler sampler(std::move(sensors), clock,
                  [&](Event event) { add_event(recorded.run, std::move(event)); },
                  {.period = kPeriod});
  sampler.start(sampler.devices());
  recorded.span.begin = clock.now() + kBefore;
  recorded.span.end = recorded.span.begin + to_nanoseconds(length);
  clock.sleep_until(recorded.span.end + kBehind, {});
  sampler.stop();
  return recorded;
}

std::vector<double> steps_in(const CounterCurve& curve, TimeSpan span) {
  std::vector<double> steps;
  std::optional<MonoTime> last;
  for (const CounterLevel& level : curve.levels) {
    if (level.step_at && last && span.contains(*last) && span.contains(*level.step_at)) {
      steps.push_back(to_seconds(*level.step_at - *last).value());
    }
    last = level.step_at;
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

CounterCheck counter_check(const Signal& signal, const Series& series, TimeSpan span) {
  const CounterCurve curve = counter_curve(series, signal);
  return {signal, counter_energy(curve, span).joules, steps_in(curve, span)};
}

PowerCheck power_check(const Signal& signal, const Series& series, TimeSpan span,
                       const std::vector<CounterCheck>& counters) {
  PowerCheck check{signal, {}, {}};
  const auto energy =
      integrated_energy(power_curve(series, signal), span, usual_period(series, span)).joules;
  if (!energy) return check;
  check.mean = *energy / to_seconds(span.length());
  for (const CounterCheck& counter : counters) {
    const bool same_thing =
        counter.signal.device == signal.device && counter.signal.boundary == signal.boundary;
    if (same_thing && counter.energy && *counter.energy > Joules()) {
      check.ratio = *energy / *counter.energy;
    }
  }
  return check;
}

}  // namespace

Result<EnergyCheck> check_energy(const std::string& library, Seconds length, Clock& clock) {
  TRY(const Recorded found, recorded(library, length, clock));
  const SeriesTable series(found.run);
  EnergyCheck check{.length = length};
  for (const Loss& loss : found.run.losses) {
    check.polls_lost += loss.count;
    check.losses.push_back(loss.reason);
  }
  for (const Signal& signal : found.run.signals) {
    if (signal.measurand != Measurand::energy) continue;
    check.counters.push_back(counter_check(signal, series.of(signal.id), found.span));
  }
  for (const Signal& signal : found.run.signals) {
    if (signal.measurand != Measurand::power) continue;
    check.powers.push_back(power_check(signal, series.of(signal.id), found.span, check.counters));
  }
  return check;
}

}  // namespace tokenjoule
