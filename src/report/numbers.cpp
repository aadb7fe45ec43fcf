#include "report/numbers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

/// Blanks between groups of three digits of the whole part.
std::string with_groups(const std::string& number) {
  const std::size_t start = number.empty() || number[0] != '-' ? 0 : 1;
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string text = number.substr(0, start);
  for (std::size_t i = start; i < point; ++i) {
    if (i > start && (point - i) % 3 == 0) text += ' ';
    text += number[i];
  }
  return text + number.substr(point);
}

/// The power of ten of the first digit, once the value is rounded to `digits` digits: -2 for
/// 0.0746 and 0 for 0.9999 at 3 digits.
int decade(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

/// Rounded at the decimal place `place` (2: hundredths, -2: hundreds).
std::string rounded_at(double value, int place) {
  const double step = std::pow(10.0, std::max(-place, 0));
  const double whole_steps = place >= 0 ? value : std::round(value / step) * step;
  const std::string number = fmt::format("{:.{}f}", whole_steps, std::max(place, 0));
  const bool zero = number.find_first_not_of("-0.") == std::string::npos;
  return with_groups(zero && number[0] == '-' ? number.substr(1) : number);
}

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  const int first = decade(value, digits);
  if (first < -6 || first >= 15) return fmt::format("{:.{}e}", value, digits - 1);
  return rounded_at(value, digits - 1 - first);
}

std::string with_bound(double value, double bound, int digits) {
  if (!std::isfinite(value)) return "n/a";
  if (!std::isfinite(bound) || bound <= 0) return significant(value, digits);
  const int first = decade(bound, 2);
  if (first < -9 || first >= 15 || std::abs(value) >= 1e15) {
    return fmt::format("{:.{}e} ± {:.1e}", value, digits - 1, bound);
  }
  return rounded_at(value, 1 - first) + " ± " + rounded_at(bound, 1 - first);
}

std::string grouped(std::int64_t count) { return with_groups(fmt::format("{}", count)); }

std::string count_text(double count) {
  if (!std::isfinite(count)) return "n/a";
  const bool whole = std::abs(count) >= 1000 || count == std::round(count);
  return std::abs(count) >= 1e15 ? fmt::format("{:.3e}", count) : rounded_at(count, whole ? 0 : 1);
}

std::string duration_text(Seconds span) {
  const double seconds = span.value();
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 0.9995e-3) return significant(seconds * 1e6, 3) + " µs";
  if (size < 0.9995) return significant(seconds * 1e3, 3) + " ms";
  if (size < 600) return significant(seconds, 3) + " s";
  return count_text(seconds) + " s";
}

std::string percent(double share) {
  const double hundredths = share * 100;
  return (std::abs(hundredths) < 1 ? significant(hundredths, 2) : significant(hundredths, 3)) +
         " %";
}

std::string not_known(std::string_view reason) {
  return reason.empty() ? "n/a" : fmt::format("n/a ({})", reason);
}

std::string figure_text(const Figure& figure) {
  if (!figure.value) return not_known(figure.reason);
  const std::string number = figure.systematic_bound
                                 ? with_bound(*figure.value, *figure.systematic_bound)
                                 : significant(*figure.value, 4);
  return figure.unit.empty() ? number : number + " " + figure.unit;
}

std::string or_not_known(std::optional<double> value, std::string_view unit, int digits) {
  if (!value) return "n/a";
  return unit.empty() ? significant(*value, digits)
                      : fmt::format("{} {}", significant(*value, digits), unit);
}

std::string or_not_known(std::optional<Seconds> span) {
  return span ? duration_text(*span) : "n/a";
}

std::string joules_text(std::optional<Joules> energy) {
  return energy ? significant(energy->value(), 4) + " J" : "n/a";
}

std::string watts_text(std::optional<Watts> power) {
  return power ? significant(power->value(), 3) + " W" : "n/a";
}

std::string count_or_not_known(std::optional<double> count) {
  return count ? count_text(*count) : "n/a";
}

}  // namespace tokenjoule
