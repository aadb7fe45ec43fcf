#pragma once

#include <span>
#include <string_view>

namespace tokenjoule {

/// What the key of a figure stands for.
struct Metric {
  std::string_view key;         ///< as in result.json: "joules_per_output_token"
  std::string_view unit;        ///< "J/token"
  std::string_view title;       ///< a few words for a table: "energy per output token"
  std::string_view definition;  ///< one sentence
  std::string_view formula;     ///< number in docs/methods.md: "M12"
  bool energy = false;          ///< needs joules: null in an unusable result
  bool distribution = false;    ///< a Summary over requests or events, not one number
};

/// All figures, in the order in which a table shows them. docs/metrics.md has a row for each.
std::span<const Metric> metrics();
/// nullptr where no figure has that key.
const Metric* metric_named(std::string_view key);

}  // namespace tokenjoule
