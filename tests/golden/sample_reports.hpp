#pragma once

#include <string>
#include <vector>

#include "model/report.hpp"

namespace tokenjoule {

/// A report made up by hand, to see how each format writes it.
struct SampleReport {
  std::string name;
  Report report;
};

/// A run on simulated GPUs with everything known, usable with care.
Report simulated_report();
/// A run that gave nothing to divide: most is unknown, each with its reason.
Report unusable_report();
/// A run whose energy is modelled from CPU time.
Report modelled_report();
/// Texts from outside that try to break a format: bars, quotes, line ends, escape sequences, HTML,
/// formulas, bytes that are not UTF-8, numbers that are none.
Report hostile_report();

/// The four above and the report as it is when nothing has been put into it.
std::vector<SampleReport> sample_reports();

}  // namespace tokenjoule
