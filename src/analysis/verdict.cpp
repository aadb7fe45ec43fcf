#include "analysis/verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tokenjoule {

namespace {

Severity counted_severity(const CheckFinding& finding, bool strict) {
  return strict && finding.severity == Severity::care ? Severity::unusable : finding.severity;
}

VerdictStatus status_of(Severity severity) {
  switch (severity) {
    case Severity::note: return VerdictStatus::usable;
    case Severity::care: return VerdictStatus::care;
    case Severity::unusable: return VerdictStatus::unusable;
  }
  return VerdictStatus::unusable;
}

}  // namespace

Verdict verdict_of(std::vector<CheckFinding> findings, std::optional<Boundary> headline,
                   bool strict) {
  Verdict verdict;
  for (const CheckFinding& finding : findings) {
    Severity severity = counted_severity(finding, strict);
    const bool elsewhere = finding.boundary && finding.boundary != headline;
    if (elsewhere) severity = std::min(finding.severity, Severity::care);
    verdict.status = std::max(verdict.status, status_of(severity));
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const CheckFinding& a, const CheckFinding& b) {
                     return a.severity != b.severity ? a.severity > b.severity : a.code < b.code;
                   });
  verdict.reasons = std::move(findings);
  return verdict;
}

std::string spoilt_by(const Verdict& verdict, Boundary boundary, bool strict) {
  std::vector<std::string> codes;
  for (const CheckFinding& finding : verdict.reasons) {
    if (finding.boundary && finding.boundary != boundary) continue;
    if (counted_severity(finding, strict) != Severity::unusable) continue;
    if (std::find(codes.begin(), codes.end(), finding.code) == codes.end()) {
      codes.push_back(finding.code);
    }
  }
  return codes.empty() ? "" : fmt::format("unusable: {}", fmt::join(codes, ", "));
}

}  // namespace tokenjoule
