#include "app/sensor_trial.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/counter_energy.hpp"
#include "analysis/integrated_energy.hpp"
#include "analysis/signal_choice.hpp"
#include "analysis/statistics.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kSeldom = milliseconds(500);
/// Below the finest step that is known of a board's counter (20 ms) by enough to see it.
constexpr Nanoseconds kOften = milliseconds(4);
/// A read that takes longer blurs the edges of a window.
constexpr Seconds kSlowRead(0.05);
/// A step above it asks for windows longer than usual: ten steps are wanted in each.
constexpr Seconds kCoarseStep(1);
constexpr double kStepsWanted = 10;
/// A signal that is silent for so long, and for so many of its own steps, has stopped.
constexpr Seconds kSilent(1);
constexpr double kSilentSteps = 5;
/// A sensor of which more reads than this fail cannot be relied on.
constexpr double kMostFailed = 0.1;
/// Sampling that moves idle power by more than this spoils what it measures.
constexpr double kMovesPower = 0.02;

bool tells_energy(const Signal& signal) {
  return signal.measurand == Measurand::energy || signal.measurand == Measurand::power;
}

/// All samples of a trial as a run, for the functions of the analysis.
Run run_of(const TrialReadings& readings) {
  Run run;
  run.devices = readings.contents.devices;
  run.signals = readings.contents.signals;
  run.samples = readings.samples;
  return run;
}

/// How long a signal gave nothing new, and nothing at all, up to the end of the trial.
void note_silence(const Series& series, MonoTime end, SignalTrial& trial) {
  if (series.empty()) return;
  trial.unread = to_seconds(end - series.back().read.end);
  MonoTime changed = series.front().read.end;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].raw != series[i - 1].raw) changed = series[i].read.end;
    trial.fell = trial.fell || series[i].raw < series[i - 1].raw;
  }
  trial.unchanged = to_seconds(series.back().read.end - changed);
}

/// Times between one value and the next other one.
std::vector<double> steps_of(const Series& series) {
  std::vector<double> steps;
  std::optional<MonoTime> changed;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].raw == series[i - 1].raw) continue;
    const MonoTime at = series[i].read.middle();
    if (changed) steps.push_back(to_seconds(at - *changed).value());
    changed = at;
  }
  return steps;
}

std::optional<double> noise_of(const Series& series, TimeSpan span) {
  const auto points = within(series, span);
  if (points.size() < 3) return std::nullopt;
  double mean = 0, square = 0;
  for (const SeriesPoint& point : points) mean += point.raw;
  mean /= static_cast<double>(points.size());
  for (const SeriesPoint& point : points) square += (point.raw - mean) * (point.raw - mean);
  if (!(mean > 0)) return std::nullopt;
  return std::sqrt(square / static_cast<double>(points.size() - 1)) / mean;
}

SignalTrial signal_trial(const Signal& signal, const SeriesTable& table,
                         const TrialReadings& readings) {
  const Series& series = table.of(signal.id);
  SignalTrial trial;
  trial.signal = signal;
  trial.readings = static_cast<std::int64_t>(series.size());
  const auto often = within(series, readings.often);
  auto steps = steps_of({often.begin(), often.end()});
  if (steps.empty()) steps = steps_of(series);
  if (const auto usual = median_of(steps)) {
    trial.step = Seconds(*usual);
    trial.longest_step = Seconds(*std::max_element(steps.begin(), steps.end()));
  }
  note_silence(series, readings.often.end, trial);
  if (signal.measurand == Measurand::power) trial.noise = noise_of(series, readings.often);
  return trial;
}

/// Mean power of a part: by the counter where it steps twice in it, else by the readings.
std::optional<Watts> mean_power(const SeriesTable& table, const DeviceSources& sources,
                                TimeSpan part) {
  for (const Signal* counter : sources.counters) {
    const CounterCurve curve = counter_curve(table.of(counter->id), *counter);
    const CounterLevel* first = nullptr;
    const CounterLevel* last = nullptr;
    for (const CounterLevel& level : curve.levels) {
      if (!level.step_at || !part.contains(*level.step_at)) continue;
      if (first == nullptr) first = &level;
      last = &level;
    }
    if (first == nullptr || *last->step_at <= *first->step_at) continue;
    return (last->energy - first->energy) / to_seconds(*last->step_at - *first->step_at);
  }
  for (const Signal* power : sources.powers) {
    const auto mean = mean_within(table.of(power->id), part, si_factor(*power));
    if (mean) return Watts(*mean);
  }
  return std::nullopt;
}

/// Over the longest span that both cover, from one step of the counter to another within `within`.
std::optional<double> ratio_within(const SeriesTable& table, const Signal& counter,
                                   const Signal& power, TimeSpan within) {
  const CounterCurve steps = counter_curve(table.of(counter.id), counter);
  const PowerCurve curve = power_curve(table.of(power.id), power);
  std::optional<MonoTime> first, last;
  for (const CounterLevel& level : steps.levels) {
    if (!level.step_at || curve.empty()) continue;
    if (*level.step_at < within.begin || *level.step_at > within.end) continue;
    if (*level.step_at < curve.front().at || *level.step_at > curve.back().at) continue;
    if (!first) first = level.step_at;
    last = level.step_at;
  }
  if (!first || *last <= *first) return std::nullopt;
  const TimeSpan span{*first, *last};
  const auto counted = counter_energy(steps, span).joules;
  const auto integrated = integrated_energy(curve, span, std::nullopt).joules;
  if (!counted || !integrated || !(*counted > Joules())) return std::nullopt;
  return *integrated / *counted;
}

/// Where reads are frequent a step's time is known well; only a counter that does not step twice
/// there is judged over the whole trial.
std::optional<double> ratio_of(const SeriesTable& table, const Signal& counter, const Signal& power,
                               const TrialReadings& readings) {
  const auto close = ratio_within(table, counter, power, readings.often);
  if (close) return close;
  return ratio_within(table, counter, power, {readings.seldom.begin, readings.often.end});
}

DeviceTrial device_trial(const DeviceSources& sources, const SeriesTable& table,
                         const TrialReadings& readings) {
  DeviceTrial trial;
  trial.device = sources.device->id;
  trial.boundary = sources.boundary;
  if (!readings.own_pace) {
    trial.seldom = mean_power(table, sources, readings.seldom);
    trial.often = mean_power(table, sources, readings.often);
  }
  if (sources.counters.empty()) return trial;
  const Signal& counter = *sources.counters.front();
  const bool moved = !steps_of(table.of(counter.id)).empty();
  if (sources.powers.empty()) return trial;
  const Signal& power = *sources.powers.front();
  trial.ratio = ratio_of(table, counter, power, readings);
  const auto drawn = mean_within(table.of(power.id), readings.often, si_factor(power));
  const auto counted = table.of(counter.id);
  const bool changed = !counted.empty() && counted.front().raw != counted.back().raw;
  trial.stood_still = !moved && !changed && drawn.value_or(0) > 0;
  return trial;
}

/// The worst that can be said of a sensor, and all of it.
class Judgement {
 public:
  void say(TrialVerdict verdict, std::string words) {
    worst_ = std::max(worst_, verdict);
    said_.push_back({verdict, std::move(words)});
  }
  TrialVerdict verdict() const { return worst_; }
  std::string words() const {
    std::string text;
    for (const auto& [verdict, words] : said_) {
      if (verdict == worst_) text += (text.empty() ? "" : "; ") + words;
    }
    return text;
  }

 private:
  struct Said {
    TrialVerdict verdict;
    std::string words;
  };
  TrialVerdict worst_ = TrialVerdict::good;
  std::vector<Said> said_;
};

void judge_signal(const SignalTrial& trial, bool has_counter, Judgement& judgement) {
  const Signal& signal = trial.signal;
  const std::string what = fmt::format("{} of {}", name_of(signal.measurand), signal.device);
  if (trial.readings == 0) {
    return judgement.say(TrialVerdict::bad, what + " gave no value: see the sensor's README");
  }
  if (signal.modelled) judgement.say(TrialVerdict::care, what + " is modelled, not measured");
  const Seconds patience = std::max(kSilent, trial.step.value_or(Seconds()) * kSilentSteps);
  if (trial.unread > patience) {
    judgement.say(TrialVerdict::bad,
                  fmt::format("{} gave no value in the last {:.1f} s: it is lost", what,
                              trial.unread.value()));
  }
  if (signal.kind == SignalKind::counter && trial.fell && !signal.modulus) {
    judgement.say(TrialVerdict::bad,
                  what + " fell: it was reset while it was tried, or is no counter");
  } else if (signal.kind == SignalKind::counter && trial.step && trial.unchanged > patience) {
    judgement.say(
        TrialVerdict::bad,
        fmt::format("{} stood still for the last {:.1f} s, though it steps every {:.3g} s", what,
                    trial.unchanged.value(), trial.step->value()));
  }
  const bool decides = signal.measurand == Measurand::energy || !has_counter;
  if (!decides || !trial.step || *trial.step <= kCoarseStep) return;
  judgement.say(TrialVerdict::care,
                fmt::format("{} is new every {:.3g} s: measure windows of {:.0f} s or more", what,
                            trial.step->value(), kStepsWanted * trial.step->value()));
}

void judge_device(const DeviceTrial& trial, Judgement& judgement) {
  if (trial.stood_still) {
    judgement.say(TrialVerdict::bad,
                  fmt::format("the counter of {} stood still while power was drawn: update the "
                              "driver, or measure for longer (--duration)",
                              trial.device));
  }
  if (const auto r = trial.ratio) {
    const bool far = *r < thresholds::kFactorLow || *r > thresholds::kFactorHigh;
    const bool off = *r < thresholds::kAgreeLow || *r > thresholds::kAgreeHigh;
    if (off) {
      judgement.say(far ? TrialVerdict::bad : TrialVerdict::care,
                    fmt::format("power and counter of {} disagree ({:.3f}): compare unit and "
                                "averaging with the README",
                                trial.device, *r));
    }
  }
  if (!trial.seldom || !trial.often || !(*trial.seldom > Watts())) return;
  const double change = (*trial.often - *trial.seldom) / *trial.seldom;
  if (change <= kMovesPower) return;  // reading does not save power: the machine did less
  judgement.say(TrialVerdict::care,
                fmt::format("{} drew {:+.1f} % when it was read as fast as it goes: read less "
                            "often (--power-interval), or try again while nothing else runs here",
                            trial.device, 100 * change));
}

std::string good_words(const SensorTrial& trial) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  for (const Measurand measurand : {Measurand::energy, Measurand::power}) {
    std::vector<double> steps;
    for (const SignalTrial& signal : trial.signals) {
      if (signal.signal.measurand == measurand && signal.step) {
        steps.push_back(signal.step->value());
      }
    }
    if (steps.empty()) continue;
    add(fmt::format("{} new every {:.3g} s", name_of(measurand),
                    *std::max_element(steps.begin(), steps.end())));
  }
  for (const DeviceTrial& device : trial.devices) {
    if (!device.ratio) continue;
    add(fmt::format("power and counter agree ({:.3f})", *device.ratio));
    break;
  }
  if (trial.read_median)
    add(fmt::format("a read takes {:.0f} us", trial.read_median->value() * 1e6));
  return words.empty() ? "it is read; nothing changed meanwhile" : words;
}

void judge(SensorTrial& trial, const TrialReadings& readings) {
  Judgement judgement;
  const auto& signals = trial.signals;
  for (const SignalTrial& signal : signals) {
    const bool has_counter = std::any_of(signals.begin(), signals.end(), [&](const auto& other) {
      return other.signal.device == signal.signal.device &&
             other.signal.boundary == signal.signal.boundary &&
             other.signal.measurand == Measurand::energy && other.readings > 0;
    });
    judge_signal(signal, has_counter, judgement);
  }
  for (const DeviceTrial& device : trial.devices) judge_device(device, judgement);
  if (trial.failed > 0) {
    const double share =
        static_cast<double>(trial.failed) / static_cast<double>(trial.failed + trial.polls);
    judgement.say(share > kMostFailed ? TrialVerdict::bad : TrialVerdict::care,
                  fmt::format("{} of {} reads failed ({})", trial.failed,
                              trial.failed + trial.polls, readings.first_failure));
  }
  if (trial.read_worst && *trial.read_worst > kSlowRead) {
    judgement.say(TrialVerdict::care,
                  fmt::format("a read took up to {:.0f} ms: edges of windows are blurred by that",
                              trial.read_worst->value() * 1e3));
  }
  trial.verdict = judgement.verdict();
  trial.words = trial.verdict == TrialVerdict::good ? good_words(trial) : judgement.words();
}

}  // namespace

std::string_view name_of(TrialVerdict verdict) {
  constexpr std::string_view names[] = {"good", "care", "bad"};
  return names[static_cast<std::size_t>(verdict)];
}

TrialReadings try_sensor(Sensor& sensor, Seconds duration, Clock& clock) {
  TrialReadings readings;
  readings.contents = sensor.contents();
  readings.own_pace = sensor.keeps_own_pace();
  const MonoTime begin = clock.now();
  const MonoTime middle = begin + to_nanoseconds(0.5 * duration);
  const MonoTime end = begin + to_nanoseconds(duration);
  readings.seldom = {begin, middle};
  for (MonoTime due = begin; clock.now() < end;) {
    const MonoTime before = clock.now();
    auto sample = sensor.poll(clock);
    const MonoTime after = clock.now();
    if (before >= middle && !readings.own_pace)
      readings.reads.push_back(to_seconds(after - before));
    if (sample && !sample->readings.empty()) readings.samples.push_back(std::move(*sample));
    if (!sample) {
      if (readings.failed++ == 0) readings.first_failure = sample.error().message;
      if (sample.error().kind != ErrorKind::retry) break;
    }
    if (sensor.has_more() || readings.own_pace) continue;
    due = std::max(due + (after < middle ? kSeldom : kOften), after);
    clock.sleep_until(std::min(due, after < middle ? std::max(middle, after) : end), {});
  }
  readings.often = {readings.own_pace ? begin : middle, std::max(clock.now(), middle)};
  return readings;
}

SensorTrial trial_of(const TrialReadings& readings) {
  SensorTrial trial;
  const Run run = run_of(readings);
  const SeriesTable table(run);
  trial.polls = static_cast<std::int64_t>(readings.samples.size());
  trial.failed = readings.failed;
  std::vector<double> reads;
  for (const Seconds read : readings.reads) reads.push_back(read.value());
  if (const auto usual = median_of(reads)) {
    trial.read_median = Seconds(*usual);
    trial.read_worst = Seconds(*std::max_element(reads.begin(), reads.end()));
  }
  for (const Signal& signal : run.signals) {
    if (tells_energy(signal)) trial.signals.push_back(signal_trial(signal, table, readings));
  }
  for (const Device* device : distinct_devices(run)) {
    for (const Boundary boundary : boundaries_read(run)) {
      const DeviceSources sources = sources_of(run, *device, boundary);
      if (sources.counters.empty() && sources.powers.empty()) continue;
      trial.devices.push_back(device_trial(sources, table, readings));
    }
  }
  judge(trial, readings);
  return trial;
}

}  // namespace tokenjoule
