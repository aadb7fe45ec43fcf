#pragma once

#include <string>
#include <utility>

#include "analysis/plan/plan.hpp"

/// The sections of a plan; used by plan_of alone.
namespace tokenjoule {

/// Collects lines under the heading set last.
class PlanWriter {
 public:
  explicit PlanWriter(Plan& plan) : plan_(plan) {}
  void section(std::string name) { section_ = std::move(name); }
  /// A line with the heading filled in.
  void add(PlanLine line) {
    line.section = section_;
    plan_.lines.push_back(std::move(line));
  }
  void note(std::string sentence) { plan_.notes.push_back(std::move(sentence)); }

 private:
  Plan& plan_;
  std::string section_;
};

/// Kind of what a figure gives for a whole day or year: a measurement of a minute is a model of
/// that; what was stated or is a ceiling stays one.
std::string extended(const std::string& kind);

void plan_energy_per_token(const PlanInputs& in, PlanWriter& out);
void plan_power(const PlanInputs& in, PlanWriter& out);
Status plan_current(const PlanInputs& in, PlanWriter& out);
void plan_query(const PlanInputs& in, PlanWriter& out);
void plan_site(const PlanInputs& in, PlanWriter& out);
Status plan_budget(const PlanInputs& in, PlanWriter& out);
Status plan_idle_hours(const PlanInputs& in, PlanWriter& out);
Status plan_price_bound(const PlanInputs& in, PlanWriter& out);
void plan_eu(const PlanInputs& in, PlanWriter& out);

/// Energy of a day where the power of all its hours is known.
std::optional<Given<Joules>> energy_per_day(const PlanInputs& in);

}  // namespace tokenjoule
