#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "model/boundary.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The set of formulas and rules of docs/methods.md. Raised when a figure's definition changes.
constexpr std::string_view kMethodVersion = "methods/1";

/// What the caller wants to know beyond the record itself. All of it is an analysis option: two
/// analyses of one record with equal questions give equal reports, to the last bit.
struct Question {
  bool strict = false;                  ///< care counts as unusable
  std::optional<Boundary> headline;     ///< else gpu_board where measured, else the widest measured
  std::optional<TimeSpan> window;       ///< else the one of the record's own marks
  std::optional<PeerTool> definitions;  ///< whose counting is shown beside ours
  std::string result_id;     ///< computed by the caller from the record's hash and options
  std::string tool_version;  ///< of the analysing program; "": that of the recorder
};

/// Judges a run: energy, tokens and time of one window, figures, checks and the verdict. Pure, and
/// total: whatever a record lacks is absent in the report, with the reason beside it.
Report analyse(const Run& run, const Question& question);

}  // namespace tokenjoule
