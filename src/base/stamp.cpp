#include "base/stamp.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86400 * kSecond;
constexpr std::size_t kLongest = 64;  // no stamp is
/// Unix nanoseconds of the year 2100: later ones are no times of logs, and sums of two stay small.
constexpr double kLatest = 4.1e18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Exactly so many digits at the start of `rest`, which then starts behind them.
std::optional<int> take_digits(std::string_view& rest, std::size_t count) {
  if (rest.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(rest[i])) return std::nullopt;
    value = value * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(count);
  return value;
}

bool take(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> day_ns(int year, int month, int day) {
  if (year < 1970 || year > 2099) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay;
}

/// A date in one of the orders known, at the start of `rest`.
std::optional<std::int64_t> take_date(std::string_view& rest) {
  std::string_view text = rest;
  std::optional<int> year, month, day;
  const std::size_t first = text.find_first_not_of("0123456789");
  if (first == 4) {  // 2026/06/10, 2026-06-10
    const char between = text[4];
    if (between != '/' && between != '-') return std::nullopt;
    year = take_digits(text, 4);
    if (!take(text, between)) return std::nullopt;
    month = take_digits(text, 2);
    if (!take(text, between)) return std::nullopt;
    day = take_digits(text, 2);
  } else if (first == 2) {  // 07-17-2024: month first, as MLPerf writes it
    month = take_digits(text, 2);
    if (!take(text, '-')) return std::nullopt;
    day = take_digits(text, 2);
    if (!take(text, '-')) return std::nullopt;
    year = take_digits(text, 4);
  } else if (first == 8) {  // 20260610
    year = take_digits(text, 4);
    month = take_digits(text, 2);
    day = take_digits(text, 2);
  }
  if (!year || !month || !day) return std::nullopt;
  const auto ns = day_ns(*year, *month, *day);
  if (ns) rest = text;
  return ns;
}

struct TimeOfDay {
  std::int64_t ns = 0;
  Seconds resolution{1};
};

/// A fraction ".165" behind whole seconds.
void take_fraction(std::string_view& rest, TimeOfDay& time) {
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',') || !is_digit(rest[1])) return;
  rest.remove_prefix(1);
  std::int64_t unit = kSecond;
  while (!rest.empty() && is_digit(rest.front())) {
    unit /= 10;
    time.ns += unit * (rest.front() - '0');
    rest.remove_prefix(1);
  }
  time.resolution = Seconds(std::max<double>(static_cast<double>(unit), 1) * 1e-9);
}

/// "20:34:26.165" or "204228".
std::optional<TimeOfDay> take_time(std::string_view& rest) {
  const auto hour = take_digits(rest, 2);
  const bool colons = take(rest, ':');
  const auto minute = take_digits(rest, 2);
  if (colons && !take(rest, ':')) return std::nullopt;
  const auto second = take_digits(rest, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  TimeOfDay time;
  time.ns = (static_cast<std::int64_t>(*hour) * 3600 + *minute * 60 + *second) * kSecond;
  take_fraction(rest, time);
  return time;
}

std::optional<Stamp> dated(std::string_view text) {
  const auto day = take_date(text);
  if (!day || text.empty()) return std::nullopt;
  if (std::string_view(" T-").find(text.front()) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  const auto time = take_time(text);
  if (!time) return std::nullopt;
  Stamp stamp{*day + time->ns, true, false, time->resolution};
  if (text = trimmed(text); text.empty()) return stamp;
  const auto zone = zone_in(text);
  if (!zone) return std::nullopt;
  stamp.ns -= zone->count;
  stamp.zone_known = true;
  return stamp;
}

/// How many digits stand behind the point.
std::size_t decimals_of(std::string_view text) {
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : text.size() - point - 1;
}

/// Unix time, by its size; Unix seconds of our days have ten digits before the point.
std::optional<Stamp> counted(std::string_view text) {
  const auto number = number_in(text);
  if (!number || *number < 0 || *number > kLatest) return std::nullopt;
  double unit = 1e9;  // ns of one second
  if (*number >= 1e17) {
    unit = 1;
  } else if (*number >= 1e14) {
    unit = 1e3;
  } else if (*number >= 1e11) {
    unit = 1e6;
  }
  const auto whole = integer_in(text);
  Stamp stamp;
  // A double cannot hold Unix nanoseconds; whole numbers are not taken through one.
  if (whole && *whole <= static_cast<std::int64_t>(kLatest / unit)) {
    stamp.ns = *whole * static_cast<std::int64_t>(unit);
  } else {
    if (*number * unit > kLatest) return std::nullopt;
    const double seconds = std::floor(*number * unit * 1e-9);
    stamp.ns = static_cast<std::int64_t>(seconds) * kSecond +
               static_cast<std::int64_t>((*number * unit * 1e-9 - seconds) * 1e9);
  }
  stamp.absolute = *number >= 1e8;
  stamp.zone_known = stamp.absolute;
  const double digits = static_cast<double>(std::min<std::size_t>(decimals_of(text), 9));
  stamp.resolution = Seconds(std::max(unit * 1e-9 * std::pow(10.0, -digits), 1e-9));
  return stamp;
}

}  // namespace

std::optional<Stamp> stamp_in(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  if (const auto stamp = counted(text)) return stamp;
  return dated(text);
}

std::optional<Stamp> dated_stamp_in(std::string_view text) {
  text = trimmed(text);
  return text.empty() || text.size() > kLongest ? std::nullopt : dated(text);
}

bool is_calendar_day(std::string_view text) {
  constexpr std::size_t kSize = std::string_view("2026-07-13").size();
  if (text.size() != kSize || text[4] != '-') return false;
  return take_date(text) && text.empty();
}

double unix_seconds_of(const Stamp& stamp) {
  // Apart, as a double cannot hold Unix nanoseconds.
  return static_cast<double>(stamp.ns / kSecond) + static_cast<double>(stamp.ns % kSecond) * 1e-9;
}

std::optional<Nanoseconds> zone_in(std::string_view text) {
  text = trimmed(text);
  const std::string lower = lower_case(text);
  if (lower == "utc" || lower == "z" || lower == "gmt") return Nanoseconds{0};
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const std::int64_t sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  take(text, ':');
  const auto minutes = text.empty() ? std::optional(0) : take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 14 || *minutes > 59) return std::nullopt;
  return whole_seconds(sign * (*hours * 3600 + *minutes * 60));
}

}  // namespace tokenjoule
