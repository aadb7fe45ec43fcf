#include "report/plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/json_values.hpp"
#include "report/markdown.hpp"
#include "report/numbers.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 5;

struct Heading {
  std::string_view section;
  std::string_view title;
};
constexpr Heading kHeadings[] = {
    {"current", "Current"},
    {"energy_per_token", "Energy per token"},
    {"power", "Power, a day, a year, heat"},
    {"query", "Per query"},
    {"idle_hours", "Idle hours charged to tokens"},
    {"site", "Site: energy, cost, carbon, water"},
    {"budget", "What the budget buys"},
    {"price_bound", "Bound that the price sets"},
    {"eu_report", "Report under Regulation (EU) 2024/1364 (the legal assessment is yours)"},
};

std::string_view title_of(std::string_view section) {
  for (const Heading& heading : kHeadings) {
    if (heading.section == section) return heading.title;
  }
  return section;
}

/// Five digits, of large numbers all before the point; no zeros behind the last digit that tells.
std::string number_text(double value) {
  if (std::abs(value) >= 1e5 && std::abs(value) < 1e15) return grouped(std::llround(value));
  std::string text = significant(value, kDigits);
  if (text.find('.') == std::string::npos || text.find('e') != std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string value_text(const PlanLine& line) {
  if (!line.value) return not_known(line.reason);
  const std::string unit = line.unit == "1" ? "" : " " + line.unit;
  return number_text(*line.value) + unit;
}

/// Sources in the order of first use; a line shows the number of its own.
class Sources {
 public:
  std::string mark(const std::string& source) {
    if (source.empty()) return "";
    auto at = std::find(all_.begin(), all_.end(), source);
    if (at == all_.end()) at = all_.insert(all_.end(), source);
    return fmt::format(" [{}]", at - all_.begin() + 1);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

/// Columns that a terminal shows the text in: bytes that start a UTF-8 sequence.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > columns(text) ? width - columns(text) : 0, ' ');
}

struct Widths {
  std::size_t title = 0, value = 0, kind = 0;
};

/// Of all lines, but those that have no value: their reason is as long as it is.
Widths widths_of(const Plan& plan) {
  Widths widths;
  for (const PlanLine& line : plan.lines) {
    widths.title = std::max(widths.title, columns(line.title));
    if (line.value) widths.value = std::max(widths.value, columns(value_text(line)));
    widths.kind = std::max(widths.kind, columns(line.kind));
  }
  return widths;
}

std::string table_line(const PlanLine& line, const Widths& widths, Sources& sources) {
  std::string text = "  " + padded(line.title, widths.title) + "  ";
  const std::string mark = sources.mark(line.source);
  if (!line.value) return text + value_text(line) + mark + '\n';
  text += padded(value_text(line), widths.value) + "  " + padded(line.kind, widths.kind) + "  ";
  return text + line.formula + mark + '\n';
}

}  // namespace

std::string plan_table(const Plan& plan) {
  const Widths widths = widths_of(plan);
  Sources sources;
  std::string text;
  std::string section;
  for (const PlanLine& line : plan.lines) {
    if (line.section != section)
      text += fmt::format("{}{}\n", section.empty() ? "" : "\n", title_of(line.section));
    section = line.section;
    text += table_line(line, widths, sources);
  }
  if (!plan.notes.empty()) text += "\nNotes\n";
  for (const auto& note : plan.notes) text += "  " + note + '\n';
  if (!sources.all().empty()) text += "\nSources of constants\n";
  for (std::size_t i = 0; i < sources.all().size(); ++i)
    text += fmt::format("  [{}] {}\n", i + 1, sources.all()[i]);
  return text;
}

std::string plan_markdown(const Plan& plan) {
  Sources sources;
  std::string text = "# Plan\n";
  std::string section;
  for (const PlanLine& line : plan.lines) {
    if (line.section != section) {
      text += fmt::format("\n## {}\n\n| | value | kind | formula |\n|---|---|---|---|\n",
                          title_of(line.section));
    }
    section = line.section;
    text += fmt::format("| {} | {} | {} | {}{} |\n", line.title, markdown_text(value_text(line)),
                        markdown_text(line.kind), markdown_text(line.formula),
                        sources.mark(line.source));
  }
  if (!plan.notes.empty()) text += "\n## Notes\n\n";
  for (const auto& note : plan.notes) text += "- " + markdown_text(note) + '\n';
  if (!sources.all().empty()) text += "\n## Sources of constants\n\n";
  for (std::size_t i = 0; i < sources.all().size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, markdown_text(sources.all()[i]));
  return text;
}

std::string plan_json(const Plan& plan) {
  Json json;
  json["schema"] = "tokenjoule.plan/1";
  json["sections"] = Json::object();
  for (const PlanLine& line : plan.lines) {
    Json& entry = json["sections"][line.section][line.key];
    entry["value"] = JsonValues<Json>::of(line.value);
    if (!line.value) JsonValues<Json>::put_reason(entry, line.reason);
    entry["unit"] = line.unit;
    entry["kind"] = JsonValues<Json>::of(line.kind);
    entry["title"] = line.title;
    entry["formula"] = JsonValues<Json>::of(line.formula);
    entry["source"] = JsonValues<Json>::of(line.source);
  }
  json["notes"] = plan.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tokenjoule
