#include "app/outputs.hpp"

#include <cstdlib>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/analyse.hpp"
#include "base/json_view.hpp"
#include "base/text.hpp"
#include "io/digest.hpp"
#include "io/file.hpp"
#include "record/run_reader.hpp"
#include "report/csv.hpp"
#include "report/markdown.hpp"
#include "report/result_json.hpp"
#include "report/terminal.hpp"

namespace tokenjoule {

namespace {

/// The question that the record's own configuration asks, changed by what the caller chose.
Question question_for(const Run& run, const AnalysisChoice& choice) {
  Question question;
  if (const auto configuration = JsonDocument::parse(run.header.configuration_json)) {
    question.strict = configuration->root()["strict"].boolean().value_or(false);
    question.headline = boundary_named(configuration->root()["boundary"].string().value_or(""));
    question.definitions =
        peer_tool_named(configuration->root()["definitions"].string().value_or(""));
  }
  if (choice.strict) question.strict = *choice.strict;
  if (choice.boundary) question.headline = choice.boundary;
  if (choice.definitions) question.definitions = choice.definitions;
  question.tool_version = run.header.tool_version;
  question.result_id = uuid_of(fmt::format(
      "{} {} strict={} boundary={}{}", run.sha256, kMethodVersion, question.strict,
      question.headline ? name_of(*question.headline) : "default",
      question.definitions ? fmt::format(" definitions={}", name_of(*question.definitions)) : ""));
  return question;
}

TerminalStyle terminal_style() {
  TerminalStyle style;
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = size.ws_col;
  style.colour = terminal && std::getenv("NO_COLOR") == nullptr;
  const char* locale = std::getenv("LC_ALL");
  if (locale == nullptr || *locale == '\0') locale = std::getenv("LC_CTYPE");
  if (locale == nullptr || *locale == '\0') locale = std::getenv("LANG");
  const std::string lower = lower_case(locale == nullptr ? "" : locale);
  style.utf8 = lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
  return style;
}

std::string csv_of(const std::vector<Report>& reports) {
  std::string csv = csv_header();
  for (const Report& report : reports) csv += csv_row(report);
  return csv;
}

std::string markdown_of(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) text += (text.empty() ? "" : "\n") + report_markdown(report);
  return text;
}

std::string json_of(const std::vector<Report>& reports) {
  if (reports.size() == 1) return result_json(reports.front());
  std::string text = "[\n";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    std::string one = result_json(reports[i]);
    while (!one.empty() && one.back() == '\n') one.pop_back();
    text += one + (i + 1 < reports.size() ? ",\n" : "\n");
  }
  return text + "]\n";
}

}  // namespace

std::string default_folder() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("tokenjoule-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
}

Result<Report> judged(const std::filesystem::path& record, const AnalysisChoice& choice) {
  TRY(const Run run, read_run(record));
  return analyse(run, question_for(run, choice));
}

Status write_results(const Report& report, const std::filesystem::path& folder) {
  TRY_DO(write_new_file(folder / "result.json", result_json(report)));
  TRY_DO(write_new_file(folder / "result.csv", csv_of({report})));
  return write_new_file(folder / "report.md", report_markdown(report));
}

Status write_points(const std::vector<Report>& reports, const std::filesystem::path& folder) {
  TRY_DO(write_new_file(folder / "result.csv", csv_of(reports)));
  return write_new_file(folder / "report.md", markdown_of(reports));
}

std::string printed(const std::vector<Report>& reports, OutputFormat format) {
  switch (format) {
    case OutputFormat::json: return json_of(reports);
    case OutputFormat::csv: return csv_of(reports);
    case OutputFormat::markdown: return markdown_of(reports);
    case OutputFormat::table: break;
  }
  return reports.size() == 1 ? terminal_table(reports.front(), terminal_style())
                             : points_table(reports, terminal_style());
}

}  // namespace tokenjoule
