#pragma once

#include "app/command_line.hpp"
#include "published/footing.hpp"

namespace tokenjoule {

/// What the options about energy ask for, with the tables that they name. It is not to be moved
/// once taken: `footing` points at the tables beside it.
struct FootingChoice {
  FootingOptions footing;
  GpuCatalogue catalogue = GpuCatalogue::embedded();
  PowerTable power = PowerTable::embedded();
};

/// Takes --watts, --power-table, --hardware-table, --power-as-of, --kind and --achieved, and reads
/// the tables.
Status take_footing_options(const ParsedOptions& parsed, FootingChoice& choice);

/// Why rows have no figure of a kind, and what of --watts no row has, to standard error.
void tell_footing(const PublishedSet& set, const Footing& footing);

}  // namespace tokenjoule
