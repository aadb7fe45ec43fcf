#pragma once

#include <string>

#include "model/plan.hpp"

namespace tokenjoule {

/// A plan for reading: a table a section with value, kind and formula; numbers in brackets point to
/// the sources of constants, listed below it.
std::string plan_table(const Plan& plan);
/// The same as GitHub-flavoured Markdown.
std::string plan_markdown(const Plan& plan);
/// The same as JSON ("tokenjoule.plan/1"): full precision, null with a reason for what is unknown.
std::string plan_json(const Plan& plan);

}  // namespace tokenjoule
