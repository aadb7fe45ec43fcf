#include "record/import/log_clock.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kQuarterHour = 900 * kSecond;
constexpr std::int64_t kMostQuarters = 56;  ///< ±14 h
/// A reading may be a mean over the past second, and boards take a moment to rise.
constexpr std::int64_t kLag = 2 * kSecond;
/// A load without known requests may run out over this long.
constexpr std::int64_t kTail = 2 * kSecond;
/// A step further away than this (and the slack) belongs to something else.
constexpr std::int64_t kNear = 30 * kSecond;
/// A log that stops so shortly before the load's end is of this run all the same.
constexpr std::int64_t kCutOff = 10 * kSecond;
constexpr double kLengthOff = 0.05;  ///< step-to-step time against the load's length

/// Shifts that are possible, lowest to highest.
struct Allowed {
  std::int64_t low = 0, high = 0;
  std::int64_t middle() const { return low + (high - low) / 2; }
  bool contains(std::int64_t shift) const { return low <= shift && shift <= high; }
};

std::optional<Allowed> both(const Allowed& a, const Allowed& b) {
  const Allowed common{std::max(a.low, b.low), std::min(a.high, b.high)};
  return common.low <= common.high ? std::optional(common) : std::nullopt;
}

Seconds seconds_of(std::int64_t ns) { return to_seconds(Nanoseconds{ns}); }

double percentile(std::vector<double> values, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

/// Steps between the lowest power of the log and the one that `share` of the readings inside
/// [from, to] of the log's clock do not exceed.
PowerSteps steps_around(const std::vector<TotalPoint>& points, std::int64_t from, std::int64_t to,
                        double share) {
  std::vector<double> inside;
  double low = points.front().watts;
  for (const TotalPoint& point : points) {
    low = std::min(low, point.watts);
    if (point.at_ns >= from && point.at_ns <= to) inside.push_back(point.watts);
  }
  if (inside.empty()) return {};
  return steps_in(points, low, percentile(std::move(inside), share));
}

class Joiner {
 public:
  explicit Joiner(const ClockQuestion& question)
      : question_(question),
        begin_(question.begin_ns.value_or(0)),
        end_(begin_ + question.length.count),
        slack_(to_nanoseconds(question.slack).count) {}

  Result<ClockJoin> join() const {
    if (!question_.begin_ns || !question_.points_absolute) return join_freely();
    TRY(const std::int64_t zone, zone_shift());
    const auto allowed = allowed_near(zone);
    if (question_.stated_offset) return stated(zone);
    if (!allowed) return unverified(zone);
    ClockJoin join{zone, zone, Seconds(), false, false, ""};
    if (slack_ == 0 && allowed->contains(zone)) {
      join.bound = seconds_of(std::max(zone - allowed->low, allowed->high - zone));
      join.how = fmt::format("both clocks by their stamps; the step of power allows {} s",
                             off_words(*allowed, zone));
      return join;
    }
    return by_step(zone, *allowed);
  }

 private:
  static std::string off_words(const Allowed& allowed, std::int64_t zone) {
    return fmt::format("{:+.1f} to {:+.1f}", seconds_of(allowed.low - zone).value(),
                       seconds_of(allowed.high - zone).value());
  }

  ClockJoin by_step(std::int64_t zone, const Allowed& allowed) const {
    ClockJoin join{
        zone, allowed.middle(), seconds_of((allowed.high - allowed.low) / 2), true, false, ""};
    join.how = fmt::format("by the step of power: {:+.1f} s ± {:.1f} s against the stamps",
                           seconds_of(join.shift_ns - zone).value(), join.bound->value());
    return join;
  }

  ClockJoin stated(std::int64_t zone) const {
    const std::int64_t offset = to_nanoseconds(*question_.stated_offset).count;
    return {zone,
            zone + offset,
            question_.stated_bound,
            false,
            false,
            fmt::format("stated: {:+g} s ± {:g} s", question_.stated_offset->value(),
                        question_.stated_bound.value())};
  }

  Result<ClockJoin> unverified(std::int64_t zone) const {
    if (slack_ > 0) {
      return failure(ErrorKind::missing,
                     "no step of power shows when the load ran, and its record says the time only "
                     "roughly",
                     "log power from before the load until after it, or give --clock-offset");
    }
    return ClockJoin{
        zone,  zone,  std::nullopt,
        false, false, "both clocks by their stamps; no step of power shows whether they agree"};
  }

  /// Whether a log that is shifted so covers the load.
  bool covers(std::int64_t shift) const {
    return question_.points.front().at_ns + shift <= begin_ + slack_ + kCutOff &&
           question_.points.back().at_ns + shift >= end_ - slack_ - kCutOff;
  }

  bool overlaps(std::int64_t shift) const {
    return question_.points.front().at_ns + shift <= end_ + slack_ &&
           question_.points.back().at_ns + shift >= begin_ - slack_;
  }

  Result<std::int64_t> zone_shift() const {
    if (question_.zones_known) {
      if (overlaps(to_nanoseconds(question_.stated_offset.value_or(Seconds())).count))
        return std::int64_t{0};
      return no_overlap();
    }
    std::vector<std::int64_t> covering, fitting;
    for (std::int64_t i = -kMostQuarters; i <= kMostQuarters; ++i) {
      const std::int64_t zone = i * kQuarterHour;
      if (!covers(zone)) continue;
      covering.push_back(zone);
      if (allowed_near(zone)) fitting.push_back(zone);
    }
    if (covering.empty()) return no_overlap();
    if (fitting.size() == 1) return fitting.front();
    // Another run's log fits some time zone as well: one that is not UTC needs the step.
    if (fitting.empty() && covering == std::vector<std::int64_t>{0}) return std::int64_t{0};
    return failure(ErrorKind::missing,
                   fmt::format("the power log's time zone is not known: it covers the load in {}, "
                               "and a step of power fits in {} of them",
                               covering.size(), fitting.size()),
                   "give --power-timezone UTC, +02:00, …");
  }

  tl::unexpected<Error> no_overlap() const {
    return failure(
        ErrorKind::missing,
        fmt::format("the power log runs from {:.0f} to {:.0f} (Unix s, as written), the load from "
                    "{:.0f} to {:.0f}: it does not cover it (InferenceX: "
                    "benchmark_window_not_bracketed)",
                    seconds_of(question_.points.front().at_ns).value(),
                    seconds_of(question_.points.back().at_ns).value(), seconds_of(begin_).value(),
                    seconds_of(end_).value()),
        "give the log of the same run, or --power-timezone and --clock-offset");
  }

  Allowed by_fall(const PowerStep& fall) const {
    const auto half = question_.half_load;
    const std::int64_t earliest = half ? begin_ + half->count : end_ - kTail;
    return {earliest - fall.to_ns, end_ - fall.from_ns + kLag};
  }
  Allowed by_rise(const PowerStep& rise) const {
    return {begin_ - rise.to_ns, begin_ - rise.from_ns + kLag};
  }

  /// The step nearest to `at` of the log's clock, not further than the slack and kNear.
  const PowerStep* nearest(const std::vector<PowerStep>& steps, std::int64_t at) const {
    const PowerStep* best = nullptr;
    std::int64_t best_off = slack_ + kNear;
    for (const PowerStep& step : steps) {
      const std::int64_t off = std::max({step.from_ns - at, at - step.to_ns, std::int64_t{0}});
      if (off > best_off || (best != nullptr && off == best_off)) continue;
      best = &step;
      best_off = off;
    }
    return best;
  }

  std::optional<Allowed> allowed_near(std::int64_t zone) const {
    const PowerSteps steps = steps_around(question_.points, begin_ - zone, end_ - zone, 0.5);
    const PowerStep* fall = nearest(steps.falls, end_ - zone);
    const PowerStep* rise = nearest(steps.rises, begin_ - zone);
    if (fall == nullptr && rise == nullptr) return std::nullopt;
    if (fall == nullptr) return by_rise(*rise);
    const Allowed end = by_fall(*fall);
    if (rise == nullptr) return end;
    const auto common = both(end, by_rise(*rise));
    return common ? common : end;
  }

  /// Without stamps: the one pair of steps that is as long as the load.
  Result<ClockJoin> join_freely() const {
    if (question_.stated_offset && question_.begin_ns) return stated(0);
    const auto& points = question_.points;
    // Half of the load's own readings lie above that.
    const auto span = static_cast<double>(points.back().at_ns - points.front().at_ns);
    const double half_load = 0.5 * static_cast<double>(end_ - begin_) / std::max(span, 1.0);
    const PowerSteps steps = steps_around(points, points.front().at_ns, points.back().at_ns,
                                          1 - std::min(half_load, 0.5));
    const auto tolerance = std::max<std::int64_t>(
        5 * kSecond, static_cast<std::int64_t>(kLengthOff * static_cast<double>(end_ - begin_)));
    std::vector<Allowed> found;
    for (const PowerStep& rise : steps.rises) {
      for (const PowerStep& fall : steps.falls) {
        const std::int64_t length = fall.to_ns - rise.from_ns;
        if (fall.from_ns < rise.to_ns || std::abs(length - (end_ - begin_)) > tolerance) continue;
        found.push_back(both(by_fall(fall), by_rise(rise)).value_or(by_fall(fall)));
      }
    }
    if (found.size() == 1) return by_step(0, found.front());
    return failure(ErrorKind::missing,
                   fmt::format("{} steps of power are as long as the load ({:.1f} s), so that when "
                               "it ran is not known",
                               found.size(), seconds_of(end_ - begin_).value()),
                   "give --start TIME, when the load began, by the power log's clock");
  }

  const ClockQuestion& question_;
  std::int64_t begin_, end_, slack_;
};

}  // namespace

Result<ClockJoin> joined_clock(const ClockQuestion& question) {
  if (question.points.size() < 2) {
    return failure(ErrorKind::missing,
                   "the power log has fewer than two readings of all devices (InferenceX: "
                   "insufficient_power_samples)",
                   "log for longer, or choose the devices: --gpus");
  }
  TRY(ClockJoin join, Joiner(question).join());
  if (join.zone_ns == 0) return join;
  join.zone_found = true;
  join.how += fmt::format("; local times {:+g} h off, found by where the load lies",
                          seconds_of(-join.zone_ns).value() / 3600);
  return join;
}

}  // namespace tokenjoule
