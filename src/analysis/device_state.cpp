#include "analysis/device_state.hpp"

#include <algorithm>

#include "analysis/signal_choice.hpp"

namespace tokenjoule {

namespace {

std::optional<double> mean_of_signal(const Run& run, const SeriesTable& series,
                                     const Device& device, Measurand measurand, TimeSpan span) {
  const Signal* signal = signal_with(run, device, measurand);
  if (signal == nullptr) return std::nullopt;
  return mean_within(series.of(signal->id), span, signal->to_si);
}

/// A value that changes seldom: its last reading up to then, else the first behind.
std::optional<Watts> limit_at(const Run& run, const SeriesTable& series, const Device& device,
                              Measurand measurand, MonoTime time) {
  const Signal* signal = signal_with(run, device, measurand);
  if (signal == nullptr || series.of(signal->id).empty()) return std::nullopt;
  const Series& readings = series.of(signal->id);
  double raw = readings.front().raw;
  for (const SeriesPoint& point : readings) {
    if (point.read.middle() <= time) raw = point.raw;
  }
  return Watts(raw * signal->to_si);
}

PowerLimits limits_at(const Run& run, const SeriesTable& series, const Device& device,
                      MonoTime time) {
  const auto limit = [&](Measurand measurand) {
    return limit_at(run, series, device, measurand, time);
  };
  return {.requested = limit(Measurand::power_limit_requested),
          .enforced = limit(Measurand::power_limit_enforced),
          .by_default = limit(Measurand::power_limit_default),
          .lowest = limit(Measurand::power_limit_min),
          .highest = limit(Measurand::power_limit_max)};
}

/// The value of a curve through the readings; beyond the ends: the first or last reading.
double value_at(const Series& readings, MonoTime at) {
  const auto after =
      std::lower_bound(readings.begin(), readings.end(), at,
                       [](const SeriesPoint& p, MonoTime t) { return p.read.middle() < t; });
  if (after == readings.end()) return readings.back().raw;
  if (after == readings.begin() || after->read.middle() == at) return after->raw;
  const auto before = std::prev(after);
  const double share = to_seconds(at - before->read.middle()) /
                       to_seconds(after->read.middle() - before->read.middle());
  return before->raw + share * (after->raw - before->raw);
}

/// Readings in the span, with the nearest one beyond each edge.
std::span<const SeriesPoint> around(const Series& readings, TimeSpan span) {
  std::size_t first = 0, last = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].read.middle() <= span.begin) first = i;
    if (last == 0 && readings[i].read.middle() >= span.end) last = i + 1;
  }
  if (last == 0) last = readings.size();
  return {readings.data() + first, last > first ? last - first : 0};
}

}  // namespace

DeviceEnergy state_of_device(const Run& run, const SeriesTable& series, const Device& device,
                             TimeSpan span) {
  const auto mean = [&](Measurand measurand) {
    return mean_of_signal(run, series, device, measurand, span);
  };
  DeviceEnergy line;
  line.id = device.id;
  line.name = device.name;
  line.label = device.label;
  line.group = device.group;
  line.simulated = device.simulated;
  line.limits_before = limits_at(run, series, device, span.begin);
  line.limits_after = limits_at(run, series, device, span.end);
  line.throttled = time_counted_in(run, series, device, Measurand::throttled_time, span);
  line.temperature_mean_c = mean(Measurand::temperature);
  line.sm_clock_mean_mhz = mean(Measurand::sm_clock);
  line.memory_clock_mean_mhz = mean(Measurand::memory_clock);
  line.utilisation_mean = mean(Measurand::utilisation);
  line.memory_used_mean_bytes = mean(Measurand::memory_used);
  return line;
}

std::optional<LimitRange> enforced_limit_in(const Run& run, const SeriesTable& series,
                                            const Device& device, TimeSpan span) {
  const Signal* signal = signal_with(run, device, Measurand::power_limit_enforced);
  if (signal == nullptr) return std::nullopt;
  const auto readings = around(series.of(signal->id), span);
  if (readings.empty()) return std::nullopt;
  LimitRange range{Watts(readings[0].raw * signal->to_si), Watts(readings[0].raw * signal->to_si)};
  for (const SeriesPoint& point : readings) {
    range.lowest = std::min(range.lowest, Watts(point.raw * signal->to_si));
    range.highest = std::max(range.highest, Watts(point.raw * signal->to_si));
  }
  return range;
}

std::optional<Seconds> time_counted_in(const Run& run, const SeriesTable& series,
                                       const Device& device, Measurand measurand, TimeSpan span) {
  const Signal* signal = signal_with(run, device, measurand);
  if (signal == nullptr) return std::nullopt;
  const Series& readings = series.of(signal->id);
  if (around(readings, span).size() < 2) return std::nullopt;
  const double grown = value_at(readings, span.end) - value_at(readings, span.begin);
  return grown < 0 ? std::nullopt : std::optional(Seconds(grown * signal->to_si));
}

}  // namespace tokenjoule
