#pragma once

#include <string>

#include "base/result.hpp"

namespace tokenjoule {

/// Headline energies of a query that others published, as a table for a terminal: from the table
/// data/published_energy.csv that the program carries.
Result<std::string> headline_table();

}  // namespace tokenjoule
