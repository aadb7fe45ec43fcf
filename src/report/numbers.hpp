#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "model/report.hpp"

namespace tokenjoule {

/// The number rounded to so many significant digits, without an exponent where it is between 1e-6
/// and 1e15, whole parts of four digits and more grouped by threes with blanks: "35 210",
/// "0.0746". Not finite: "n/a".
std::string significant(double value, int digits);

/// The number with its bound, both cut where the bound has its second significant digit:
/// "0.0746 ± 0.0038", "35 200 ± 1 800". A bound of 0 says nothing of the digits: `digits` of them.
std::string with_bound(double value, double bound, int digits = 4);

/// A whole number with its digits grouped: "472 123".
std::string grouped(std::int64_t count);
/// A count of tokens or requests, which may be a share: whole from 1000 on, else one decimal
/// unless it is whole.
std::string count_text(double count);

/// Three significant digits in the unit that fits: "85.0 µs", "183 ms", "12.3 s", "88.0 s"; from
/// ten minutes on whole seconds, grouped.
std::string duration_text(Seconds span);
/// "98.2 %", "0.10 %": three digits at most.
std::string percent(double share);

/// "n/a (reason)"; "n/a" without one.
std::string not_known(std::string_view reason);

/// The value with its bound and unit, with as many digits as its bound supports, or `not_known`.
std::string figure_text(const Figure& figure);
/// `digits` significant digits and the unit, or "n/a".
std::string or_not_known(std::optional<double> value, std::string_view unit, int digits = 4);
std::string or_not_known(std::optional<Seconds> span);
std::string joules_text(std::optional<Joules> energy);
std::string watts_text(std::optional<Watts> power);
std::string count_or_not_known(std::optional<double> count);

}  // namespace tokenjoule
