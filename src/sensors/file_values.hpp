#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/quantity.hpp"
#include "devices/sysfs.hpp"
#include "sensors/value_sensor.hpp"

namespace tokenjoule {

/// Which numbers of a file stand for "not known".
struct AbsentNumbers {
  bool zero = false;                ///< a board never draws 0 W
  std::optional<double> from = {};  ///< this and all above: a sentinel of the driver
};

/// The number in a file. An error says why the file cannot be opened.
Result<std::unique_ptr<ValueSource>> file_value(const std::filesystem::path& file,
                                                AbsentNumbers absent = {});

/// Volts times amperes out of two files, in the product of their units; they are read one after the
/// other.
Result<std::unique_ptr<ValueSource>> file_product(const std::filesystem::path& first,
                                                  const std::filesystem::path& second);

/// A counter of energy that starts again at 0 behind its range.
struct WrappingRange {
  Joules range;
  Watts most;  ///< more than the thing measured can draw: tells a wrap from a reset
};
/// Whether so long a time between two reads may hide a further wrap.
bool may_hide_a_wrap(const WrappingRange& range, Seconds elapsed);
/// Whether a fall from `before` to `after` is a wrap: the energy then drawn is possible.
bool is_a_wrap(const WrappingRange& range, Joules before, Joules after, Seconds elapsed);

/// The counter in a file, as raw values of `to_si` joules each. Where a wrap cannot be told from a
/// reset, or may have been missed, it gives no further value: an interval would be made up.
/// @param range absent: it never wraps, and a fall is left to the analysis
Result<std::unique_ptr<ValueSource>> file_counter(const std::filesystem::path& file, double to_si,
                                                  std::optional<WrappingRange> range);

}  // namespace tokenjoule
