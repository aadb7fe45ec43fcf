#pragma once

#include <compare>
#include <cstdint>

#include "base/quantity.hpp"

namespace tokenjoule {

/// A length of time in whole nanoseconds: what clocks give and calendars need.
struct Nanoseconds {
  std::int64_t count = 0;

  constexpr Nanoseconds& operator+=(Nanoseconds other) {
    count += other.count;
    return *this;
  }
  friend constexpr Nanoseconds operator+(Nanoseconds a, Nanoseconds b) {
    return {a.count + b.count};
  }
  friend constexpr Nanoseconds operator-(Nanoseconds a, Nanoseconds b) {
    return {a.count - b.count};
  }
  friend constexpr Nanoseconds operator*(Nanoseconds a, std::int64_t factor) {
    return {a.count * factor};
  }
  friend constexpr Nanoseconds operator/(Nanoseconds a, std::int64_t divisor) {
    return {a.count / divisor};
  }
  friend constexpr auto operator<=>(Nanoseconds, Nanoseconds) = default;
};

constexpr Nanoseconds microseconds(std::int64_t count) { return {count * 1'000}; }
constexpr Nanoseconds milliseconds(std::int64_t count) { return {count * 1'000'000}; }
constexpr Nanoseconds whole_seconds(std::int64_t count) { return {count * 1'000'000'000}; }

constexpr Seconds to_seconds(Nanoseconds span) {
  return Seconds(static_cast<double>(span.count) * 1e-9);
}
/// Rounded to the nearest nanosecond; |span| must be below 292 years.
constexpr Nanoseconds to_nanoseconds(Seconds span) {
  const double ns = span.value() * 1e9;
  return {static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5)};
}

/// An instant on the steady clock, counted from the run's own origin (negative: before it).
struct MonoTime {
  std::int64_t ns = 0;

  constexpr MonoTime& operator+=(Nanoseconds span) {
    ns += span.count;
    return *this;
  }
  friend constexpr MonoTime operator+(MonoTime at, Nanoseconds span) {
    return {at.ns + span.count};
  }
  friend constexpr MonoTime operator-(MonoTime at, Nanoseconds span) {
    return {at.ns - span.count};
  }
  friend constexpr Nanoseconds operator-(MonoTime a, MonoTime b) { return {a.ns - b.ns}; }
  friend constexpr auto operator<=>(MonoTime, MonoTime) = default;
};

/// Seconds since the run's origin.
constexpr Seconds since_origin(MonoTime at) { return to_seconds(Nanoseconds{at.ns}); }
constexpr MonoTime mono_at(Seconds since_origin) { return {to_nanoseconds(since_origin).count}; }

/// From `begin` to `end`, begin <= end.
struct TimeSpan {
  MonoTime begin;
  MonoTime end;

  constexpr Nanoseconds length() const { return end - begin; }
  constexpr MonoTime middle() const { return begin + length() / 2; }
  constexpr bool contains(MonoTime at) const { return begin <= at && at < end; }
  friend constexpr auto operator<=>(TimeSpan, TimeSpan) = default;
};

/// An instant on the wall clock, in nanoseconds since 1970-01-01 UTC.
struct WallTime {
  std::int64_t unix_ns = 0;
  friend constexpr auto operator<=>(WallTime, WallTime) = default;
};

}  // namespace tokenjoule
