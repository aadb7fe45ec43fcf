#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "published/audit_table.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

/// Findings in the order of the audit, at most so many of a rule as are to be shown.
template <typename OnFinding>
void for_each_shown(const AuditTable& audit, OnFinding on_finding) {
  for (const RuleFindings& rule : by_rule(audit)) {
    std::size_t shown = 0;
    for (const AuditFinding& finding : rule.findings) {
      if (audit.per_rule && shown++ >= *audit.per_rule) break;
      on_finding(finding);
    }
  }
}

const PublishedResult* row_of(const AuditTable& audit, const AuditFinding& finding) {
  return finding.row ? &audit.set->rows[*finding.row] : nullptr;
}

std::optional<RowOrigin> origin_of(const AuditTable& audit, const AuditFinding& finding) {
  if (finding.row) return audit.set->rows[*finding.row].origin;
  return std::nullopt;
}

/// A cell that a spreadsheet would run as a formula gets a quote in front of it.
std::string csv_cell(std::string_view foreign) {
  std::string text = quoted(foreign, 1000);
  if (!text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos)
    text = "'" + text;
  return text.find_first_of(",\"") == std::string::npos ? text : fmt::format("\"{}\"", text);
}

std::string csv_number(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "";
}

std::string csv_values(const AuditFinding& finding) {
  std::string text;
  for (const AuditValue& value : finding.shown_values())
    text += fmt::format("{}{}={}", text.empty() ? "" : "; ", value.name, value.value);
  return text;
}

std::string csv_file_and_row(const AuditTable& audit, const AuditFinding& finding) {
  if (const auto origin = origin_of(audit, finding))
    return fmt::format("{},{}", csv_cell(audit.set->files[origin->file].name), origin->row + 1);
  if (!finding.unread) return ",";
  const auto& [file, row] = *finding.unread;
  return fmt::format("{},{}", csv_cell(audit.set->files[file].name),
                     row ? std::to_string(*row + 1) : "");
}

std::string csv_row_words(const PublishedResult* row) {
  if (row == nullptr) return ",,,,,,,,,";
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", name_of(row->source),
                     csv_cell(row->attribution.id), csv_cell(row->hardware),
                     csv_cell(row->framework), csv_cell(row->model), csv_cell(row->precision),
                     csv_number(row->concurrency), csv_number(row->nominal_input_len),
                     csv_number(row->nominal_output_len), csv_cell(row->date));
}

Json json_of_row(const PublishedResult& row) {
  Json json = Json::object();
  const auto text = [&](const char* key, PooledText value) {
    if (!value.empty()) json[key] = value;
  };
  const auto number = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  json["source"] = name_of(row.source);
  text("id", row.attribution.id);
  text("hardware", row.hardware);
  text("framework", row.framework);
  text("model", row.model);
  text("precision", row.precision);
  text("scenario", row.scenario);
  number("concurrency", row.concurrency);
  number("batch_limit", row.batch_limit);
  number("input_len", row.nominal_input_len);
  number("output_len", row.nominal_output_len);
  text("date", row.date);
  return json;
}

Json json_of(const AuditTable& audit, const AuditFinding& finding) {
  Json json = {{"rule", finding.rule->code}, {"severity", name_of(finding.severity)}};
  json["file"] = nullptr;
  json["row"] = nullptr;
  if (const auto origin = origin_of(audit, finding)) {
    json["file"] = audit.set->files[origin->file].name;
    json["row"] = origin->row + 1;
  } else if (finding.unread) {
    json["file"] = audit.set->files[finding.unread->file].name;
    if (finding.unread->row) json["row"] = *finding.unread->row + 1;
  }
  if (const PublishedResult* const row = row_of(audit, finding)) json["about"] = json_of_row(*row);
  json["words"] = finding.words;
  Json values = Json::object();
  for (const AuditValue& value : finding.shown_values())
    values[std::string(value.name)] = value.value;
  json["values"] = std::move(values);
  json["threshold"] = finding.rule->threshold;
  json["source"] = finding.rule->source;
  return json;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of_rules(const AuditTable& audit) {
  Json rules = Json::array();
  for (const RuleFindings& rule : by_rule(audit)) {
    Json json = {{"code", rule.rule->code}, {"name", rule.rule->name}, {"what", rule.rule->what}};
    for (const auto& [severity, count] : counted(rule.findings))
      json[std::string(name_of(severity))] = count;
    rules.push_back(std::move(json));
  }
  return rules;
}

}  // namespace

std::string audit_csv(const AuditTable& audit) {
  std::string text =
      "rule,name,severity,file,row,source,id,hardware,framework,model,precision,concurrency,"
      "input_len,output_len,date,words,values,threshold,rule_source\n";
  for_each_shown(audit, [&](const AuditFinding& finding) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", finding.rule->code,
                   finding.rule->name, name_of(finding.severity), csv_file_and_row(audit, finding),
                   csv_row_words(row_of(audit, finding)), csv_cell(finding.words),
                   csv_cell(csv_values(finding)), csv_cell(finding.rule->threshold),
                   csv_cell(finding.rule->source));
  });
  return text;
}

std::string audit_json(const AuditTable& audit) {
  Json files = Json::array();
  for (const PublishedFile& file : audit.set->files) files.push_back(file.name);
  Json counts = Json::object();
  for (const AuditSeverity severity :
       {AuditSeverity::error, AuditSeverity::warning, AuditSeverity::note, AuditSeverity::fact})
    counts[std::string(name_of(severity))] = 0;
  for (const auto& [severity, count] : counted(audit.findings))
    counts[std::string(name_of(severity))] = count;
  // Findings are written one by one: a hundred thousand rows have as many.
  std::string text = fmt::format(
      "{{\"schema\":\"tokenjoule.audit/1\",\"tool_version\":{},\n\"files\":{},\n\"rows\":{},"
      "\"counts\":{},\n\"rules\":{},\n\"findings\":[",
      dumped(audit.tool_version), dumped(files), audit.rows, dumped(counts),
      dumped(json_of_rules(audit)));
  const char* separator = "\n";
  for_each_shown(audit, [&](const AuditFinding& finding) {
    text += separator + dumped(json_of(audit, finding));
    separator = ",\n";
  });
  return text + "\n]}\n";
}

}  // namespace tokenjoule
