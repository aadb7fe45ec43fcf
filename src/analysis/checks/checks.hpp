#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/facts.hpp"
#include "model/report.hpp"

namespace tokenjoule {

/// A code that a finding may carry; docs/checks.md has a row for each.
struct CheckCode {
  std::string_view code;
  std::string_view severities;  ///< "care, unusable": those that it is given with
};
std::span<const CheckCode> check_codes();

/// What all checks have to say of a run.
std::vector<CheckFinding> all_findings(const Facts& facts);

/// What one check says of several devices, gathered into one finding a severity.
class Gathered {
 public:
  Gathered(std::string code, std::string advice, std::optional<Boundary> boundary = std::nullopt)
      : code_(std::move(code)), advice_(std::move(advice)), boundary_(boundary) {}
  void add(Severity severity, std::string detail);
  void append_to(std::vector<CheckFinding>& findings) const;

 private:
  std::string code_, advice_;
  std::optional<Boundary> boundary_;
  std::vector<std::string> details_[3];  ///< by severity
};

// One function a subject, in the file of that name; checks.cpp lists them.
void check_coverage(const Facts& facts, std::vector<CheckFinding>& findings);
void check_counters(const Facts& facts, std::vector<CheckFinding>& findings);
void check_limits(const Facts& facts, std::vector<CheckFinding>& findings);
void check_idle(const Facts& facts, std::vector<CheckFinding>& findings);
void check_nodes(const Facts& facts, std::vector<CheckFinding>& findings);
void check_tokens(const Facts& facts, std::vector<CheckFinding>& findings);
void check_engine(const Facts& facts, std::vector<CheckFinding>& findings);
void check_engine_loss(const Facts& facts, std::vector<CheckFinding>& findings);
void check_record(const Facts& facts, std::vector<CheckFinding>& findings);
void check_tenants(const Facts& facts, std::vector<CheckFinding>& findings);
void check_client(const Facts& facts, std::vector<CheckFinding>& findings);
void check_import(const Facts& facts, std::vector<CheckFinding>& findings);

}  // namespace tokenjoule
