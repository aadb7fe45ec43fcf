#include "record/import/load_step.hpp"

#include <map>
#include <optional>

namespace tokenjoule {

namespace {

constexpr double kLoadedRise = 1.3;
constexpr double kLowShare = 0.25;
constexpr double kHighShare = 0.75;

std::optional<double> value_of(const LoggedRow& row, Measurand measurand) {
  for (const LoggedValue& value : row.values) {
    if (value.measurand == measurand) return value.value;
  }
  return std::nullopt;
}

/// Power of each device as its rows come.
class PowerOfRows {
 public:
  std::optional<double> take(const LoggedRow& row) {
    if (const auto power = value_of(row, Measurand::power)) return power;
    const auto energy = value_of(row, Measurand::energy);
    if (!energy) return std::nullopt;
    const auto before = counters_.find(row.device);
    std::optional<double> power;
    if (before != counters_.end() && row.at_ns > before->second.first &&
        *energy >= before->second.second) {
      const double seconds = static_cast<double>(row.at_ns - before->second.first) * 1e-9;
      power = (*energy - before->second.second) / seconds;
    }
    counters_[row.device] = {row.at_ns, *energy};
    return power;
  }

 private:
  std::map<std::size_t, std::pair<std::int64_t, double>> counters_;
};

}  // namespace

std::vector<TotalPoint> total_power(const PowerLog& log, const std::set<std::size_t>& devices) {
  const std::size_t wanted = devices.empty() ? log.devices.size() : devices.size();
  std::vector<TotalPoint> points;
  PowerOfRows powers;
  std::map<std::size_t, double> round;
  for (const LoggedRow& row : log.rows) {
    if (!devices.empty() && devices.count(row.device) == 0) continue;
    const auto power = powers.take(row);
    if (!power) continue;
    round[row.device] = *power;
    if (round.size() < wanted) continue;
    TotalPoint point{row.at_ns, 0};
    for (const auto& [device, watts] : round) point.watts += watts;
    points.push_back(point);
    round.clear();
  }
  return points;
}

PowerSteps steps_in(const std::vector<TotalPoint>& points, double low, double high) {
  PowerSteps steps;
  if (high < kLoadedRise * low || high <= 0) return steps;
  const double low_level = low + kLowShare * (high - low);
  const double high_level = low + kHighShare * (high - low);
  std::optional<std::int64_t> last_low, last_high;
  bool loaded = false, known = false;
  for (const TotalPoint& point : points) {
    if (point.watts >= high_level) {
      if (known && !loaded && last_low) steps.rises.push_back({*last_low, point.at_ns});
      loaded = known = true;
      last_high = point.at_ns;
    } else if (point.watts <= low_level) {
      if (known && loaded && last_high) steps.falls.push_back({*last_high, point.at_ns});
      loaded = false;
      known = true;
      last_low = point.at_ns;
    }
  }
  return steps;
}

}  // namespace tokenjoule
