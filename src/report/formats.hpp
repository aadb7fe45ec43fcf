#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/report.hpp"

namespace tokenjoule {

/// A way to write one result down.
struct ReportFormat {
  std::string_view name;       ///< as --format takes it
  std::string_view summary;    ///< for the help
  std::string_view extension;  ///< of a file in it, with its dot
  std::string (*render)(const Report&);
};

/// All formats. A new one is one row in formats.cpp.
std::span<const ReportFormat> report_formats();
/// nullptr: there is none of that name.
const ReportFormat* report_format_named(std::string_view name);

}  // namespace tokenjoule
