#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace tokenjoule {

/// The worst severity decides. A finding on another boundary than the headline's spoils only that
/// one: for the run as a whole it counts as care at most. With `strict`, care counts as unusable.
Verdict verdict_of(std::vector<CheckFinding> findings, std::optional<Boundary> headline,
                   bool strict);

/// Why a boundary's energy figures are null: the codes that spoil them; "" where none does.
std::string spoilt_by(const Verdict& verdict, Boundary boundary, bool strict);

}  // namespace tokenjoule
