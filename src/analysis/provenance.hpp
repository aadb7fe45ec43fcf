#pragma once

#include <string>
#include <vector>

#include "analysis/facts.hpp"
#include "model/report.hpp"

namespace tokenjoule {

/// What the headline's figures include, in words: "2 x GPU board with its memory".
std::vector<std::string> included_in(const Facts& facts);

/// What they leave out, and why: measured beside them, not measured, or outside of what was asked.
std::vector<Excluded> excluded_from(const Facts& facts);

/// Every energy and power signal of the run, as the instrument that it is.
std::vector<Instrument> instruments_of(const Facts& facts);

}  // namespace tokenjoule
