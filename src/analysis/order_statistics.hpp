#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace tokenjoule {

/// Calls `take` with each of some values: the same ones in the same order each time it is called.
using EachValue = std::function<void(const std::function<void(double)>& take)>;

/// The values at these places of the ascending order (from 0, each below their number), without
/// holding them: four passes, each of which settles 16 bits of every value looked for.
/// Values must not be NaN.
std::vector<double> order_statistics(const EachValue& values,
                                     const std::vector<std::int64_t>& ranks);

/// summary_of for more values than should be held, as the gaps of all tokens are: the same
/// percentiles; the mean by Neumaier's compensated sum (Zeitschrift fuer Angewandte Mathematik und
/// Mechanik 54, 1974), which hardly depends on the order.
Summary summary_of_many(const EachValue& values, std::string unit, std::string reason_if_none);

}  // namespace tokenjoule
