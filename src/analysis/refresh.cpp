#include "analysis/refresh.hpp"

#include <algorithm>

#include "analysis/statistics.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

/// Usual time between reads, but not less than planned: reads may come closer at the edges.
std::optional<Seconds> poll_period(const Series& series, std::optional<Seconds> planned) {
  if (series.size() < 2) return std::nullopt;
  const TimeSpan all{series.front().read.begin, series.back().read.end};
  const auto usual = usual_period(series, all);
  return usual ? std::max(*usual, planned.value_or(*usual)) : planned;
}

/// From the begin of the read before to the end of the one that is new.
TimeSpan around(const Series& series, std::size_t i) {
  return {series[i - 1].read.begin, series[i].read.end};
}

bool steps_in(const CounterCurve& counter, TimeSpan span) {
  return std::any_of(counter.levels.begin(), counter.levels.end(), [&](const CounterLevel& level) {
    return level.step_at && *level.step_at + level.step_uncertainty >= span.begin &&
           *level.step_at - level.step_uncertainty <= span.end;
  });
}

/// Whether the middle of the counter's step lies between this reading and the one before.
bool steps_before(const CounterCurve& counter, const Series& power, std::size_t i) {
  const MonoTime from = power[i - 1].read.middle(), to = power[i].read.middle();
  return std::any_of(counter.levels.begin(), counter.levels.end(), [&](const CounterLevel& level) {
    return level.step_at && *level.step_at >= from && *level.step_at < to;
  });
}

/// Time between the counter's steps, else the longest that it surely stood still between reads.
std::optional<Seconds> step_of(const CounterCurve& counter) {
  if (const auto step = median_step(counter, std::nullopt)) return step;
  std::optional<Seconds> longest;
  if (counter.levels.size() < 2) return longest;
  for (const CounterLevel& level : counter.levels) {
    const Seconds stood = to_seconds(level.last_seen - level.first_seen);
    longest = std::max(longest.value_or(stood), stood);
  }
  return longest;
}

/// Most of the counter's values were read more than once.
bool repeats(const CounterCurve& counter) {
  const auto seen_again =
      std::count_if(counter.levels.begin(), counter.levels.end(),
                    [](const CounterLevel& level) { return level.last_seen > level.first_seen; });
  return 2 * seen_again > static_cast<std::ptrdiff_t>(counter.levels.size());
}

/// Power that changes where its page's counter stands still is not refreshed with it.
bool changes_between_steps(const Series& power, const CounterCurve& counter) {
  int changes = 0, elsewhere = 0;
  for (std::size_t i = 1; i < power.size(); ++i) {
    if (power[i].raw == power[i - 1].raw) continue;
    ++changes;
    if (!steps_in(counter, around(power, i))) ++elsewhere;
  }
  return elsewhere > thresholds::kChangesOffSteps * changes;
}

}  // namespace

std::optional<Refresh> refresh_by_counter(const Series& power, const CounterCurve& counter,
                                          std::optional<Seconds> planned_period) {
  const auto poll = poll_period(power, planned_period);
  const auto step = step_of(counter);
  if (!poll || !step || *step <= thresholds::kRepeatsFromPolls * *poll) return std::nullopt;
  if (!repeats(counter) || changes_between_steps(power, counter)) return std::nullopt;
  Refresh refresh{*step, {}};
  for (std::size_t i = 1; i < power.size(); ++i) {
    if (power[i].raw == power[i - 1].raw && !steps_before(counter, power, i)) continue;
    refresh.readings.push_back({around(power, i), power[i].raw});
  }
  return refresh;
}

std::optional<Refresh> refresh_by_values(const Series& power,
                                         std::optional<Seconds> planned_period) {
  const auto poll = poll_period(power, planned_period);
  if (!poll) return std::nullopt;
  std::vector<double> between;
  std::optional<MonoTime> last;
  for (std::size_t i = 1; i < power.size(); ++i) {
    if (power[i].raw == power[i - 1].raw) continue;
    const MonoTime at = around(power, i).middle();
    if (last) between.push_back(to_seconds(at - *last).value());
    last = at;
  }
  constexpr std::size_t kEnough = 3;
  if (between.size() < kEnough) return std::nullopt;
  const double shortest = *std::min_element(between.begin(), between.end());
  if (Seconds(shortest) <= thresholds::kStaleFromPolls * *poll) return std::nullopt;
  Refresh refresh{Seconds(*median_of(between)), {}};
  for (std::size_t i = 1; i < power.size(); ++i) {
    // A value that stays for longer than a refresh was refreshed to the same.
    const bool again =
        !refresh.readings.empty() &&
        to_seconds(power[i].read.begin - refresh.readings.back().read.end) >= refresh.period;
    if (power[i].raw == power[i - 1].raw && !again) continue;
    refresh.readings.push_back({around(power, i), power[i].raw});
  }
  return refresh;
}

}  // namespace tokenjoule
