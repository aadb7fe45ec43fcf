#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/report.hpp"

namespace tokenjoule {

/// The columns of result.csv, each named by the path of its value in result.json. "energy." stands
/// for the entry of the headline boundary; "verdict.reasons" is the list of codes.
std::span<const std::string_view> csv_columns();
/// The names in one line (RFC 4180, but with a bare line feed at the end).
std::string csv_header();
/// One result in one line, under csv_header(). Unknown is empty. Text that a spreadsheet would take
/// for a formula gets an apostrophe in front; line ends and control characters become blanks.
std::string csv_row(const Report& report);

}  // namespace tokenjoule
