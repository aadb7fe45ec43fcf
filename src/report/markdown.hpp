#pragma once

#include <string>
#include <string_view>

#include "model/report.hpp"

namespace tokenjoule {

/// report.md: the whole result as GitHub-flavoured Markdown, the verdict first, with the provenance
/// that a reader needs to check it: instruments, uncertainty budget, options, hash of the record.
std::string report_markdown(const Report& report);

/// Foreign text as Markdown that shows it and does nothing else: one line, no table bar, no HTML,
/// no emphasis, no link. Must not stand at the start of a line.
std::string markdown_text(std::string_view foreign);
/// Foreign text as a code span; backticks in it become apostrophes. "" gives "".
std::string markdown_code(std::string_view foreign);

}  // namespace tokenjoule
