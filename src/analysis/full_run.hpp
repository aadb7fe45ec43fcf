#pragma once

#include "analysis/boundary_energy.hpp"
#include "analysis/tokens.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// All energy from the first send to the last token over everything that completed: ramp, tail and
/// the warm-up included. `no_energy_reason`: why its energy figures are null, "" if they are not.
FullRun full_run_of(const Run& run, const SeriesTable& series, const TokenFacts& tokens,
                    std::optional<Boundary> boundary, const std::string& no_energy_reason);

/// The same of the measured requests alone, from the first one's send to the last one's end: what a
/// harness reports that counts its ramp and its drain.
FullRun harness_run_of(const Run& run, const SeriesTable& series, const TokenFacts& tokens,
                       std::optional<Boundary> boundary, const std::string& no_energy_reason);

}  // namespace tokenjoule
