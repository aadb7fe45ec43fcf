#include "report/formats.hpp"

#include "report/csv.hpp"
#include "report/markdown.hpp"
#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace tokenjoule {

namespace {

std::string plain_table(const Report& report) { return terminal_table(report); }
std::string csv_file(const Report& report) { return csv_header() + csv_row(report); }

constexpr ReportFormat kFormats[] = {
    {"table", "for reading on a terminal", ".txt", plain_table},
    {"markdown", "the whole result for reading, with its provenance", ".md", report_markdown},
    {"json", "the whole result, by its schema", ".json", result_json},
    {"csv", "the main values in one row under a header", ".csv", csv_file},
};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat* report_format_named(std::string_view name) {
  for (const ReportFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace tokenjoule
