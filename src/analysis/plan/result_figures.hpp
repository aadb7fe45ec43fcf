#pragma once

#include <string_view>

#include "analysis/plan/plan.hpp"

namespace tokenjoule {

/// What a result.json of ours says for a plan: energy per output token and per query, power in the
/// window, idle power, throughput; each with its kind, from the result's boundary and method.
/// `name` stands in messages and in PlanInputs::from_note. Errors (missing): no result of ours,
/// several results in one file, or energy that is null there, with the reason written there.
Result<PlanInputs> plan_inputs_in(std::string_view result_json, std::string_view name);

}  // namespace tokenjoule
