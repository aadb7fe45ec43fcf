#pragma once

#include <span>

#include "base/result.hpp"

namespace tokenjoule {

/// Lengths of a query in tokens.
struct QueryLengths {
  double input = 0;
  double output = 0;
};

/// Energy of one query of these lengths, in watt-hours, above 0.
struct LengthEnergy {
  QueryLengths lengths;
  double wh = 0;
};

/// Wh of a query = input tokens * wh_input + output tokens * wh_output.
struct LengthFit {
  double wh_input = 0;        ///< watt-hours per input token, not below 0
  double wh_output = 0;       ///< watt-hours per output token, not below 0
  double mean_deviation = 0;  ///< root of the mean square of (fit - published) / published
  double most_deviation = 0;  ///< the largest of them, with its sign

  double wh_of(const QueryLengths& lengths) const {
    return wh_input * lengths.input + wh_output * lengths.output;
  }
};

/// Least squares of the deviations relative to each published energy, so that a short query counts
/// as much as a long one; neither part may be negative. An error with fewer than three different
/// lengths, or where they stand in one line: then the two parts cannot be told apart.
Result<LengthFit> fit_lengths(std::span<const LengthEnergy> rows);

/// Do the lengths lie inside of those of the rows: in the convex hull of their input and output
/// lengths, its edges included? Outside, the fit would be asked for what no row shows.
bool in_span(std::span<const LengthEnergy> rows, const QueryLengths& lengths);

}  // namespace tokenjoule
