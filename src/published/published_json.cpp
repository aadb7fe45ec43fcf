#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "published/published_table.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json text(std::string_view value) { return value.empty() ? Json(nullptr) : Json(value); }
Json truth(const std::optional<bool>& value) { return value ? Json(*value) : Json(nullptr); }

Json statistic_json(const PublishedStatistic& statistic) {
  return {{"mean", number(statistic.mean)},
          {"median", number(statistic.median)},
          {"p90", number(statistic.p90)},
          {"p99", number(statistic.p99)},
          {"p99_9", number(statistic.p999)}};
}

Json rate_json(const PublishedResult& row) {
  const auto rate = user_rate(row);
  if (!rate) return nullptr;
  return {{"value", rate->tokens_per_s}, {"statistic", rate->is_median ? "median" : "mean"}};
}

Json value_json(const std::optional<double>& value) {
  return value ? Json({{"value", *value}}) : Json(nullptr);
}

std::optional<double> times(const std::optional<double>& value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

/// Under the names that result.json has where the meaning is the same.
Json figures_json(const PublishedTable& table, const TableLine& line) {
  const PublishedFigure& figure = *line.figure;
  constexpr double kWhPerMillion = 1e6 / 3600;
  Json figures = {
      {"joules_per_output_token", value_json(figure.j_output)},
      {"joules_per_total_token", value_json(figure.j_total)},
      {"joules_per_input_token", value_json(figure.j_input)},
      {"watt_hours_per_query_nominal", value_json(figure.wh_query)},
      {"watt_hours_per_query", value_json(times(figure.j_answer, 1.0 / 3600))},
      {"joules_per_query", value_json(figure.j_answer)},
      {"watt_hours_per_million_output_tokens", value_json(times(figure.j_output, kWhPerMillion))},
      {"watt_hours_per_million_total_tokens", value_json(times(figure.j_total, kWhPerMillion))},
      {"kilowatt_hours_per_day", value_json(times(figure.system_w, 0.024))},
  };
  for (const Comparator& comparator : table.comparators) {
    const Column column = column_of(comparator);
    const CellValue cell = column.at(line);
    const auto* minutes = std::get_if<double>(&cell.value);
    figures[comparator.name + "_minutes"] = minutes ? Json({{"value", *minutes}}) : Json(nullptr);
  }
  return figures;
}

Json load_json(const PublishedResult& row) {
  return {{"concurrency", number(row.concurrency)},
          {"batch_limit", number(row.batch_limit)},
          {"input_len_nominal", number(row.nominal_input_len)},
          {"output_len_nominal", number(row.nominal_output_len)},
          {"input_len_mean", number(row.mean_input_len)},
          {"output_len_mean", number(row.mean_output_len)},
          {"completed", number(row.completed)},
          {"total_tokens_per_second", number(row.system.total)},
          {"input_tokens_per_second", number(row.system.input)},
          {"output_tokens_per_second", number(row.system.output)},
          {"queries_per_second", number(row.requests_per_s)},
          {"interactivity_tokens_per_second", rate_json(row)},
          {"ttft_seconds", statistic_json(row.ttft)},
          {"tpot_seconds", statistic_json(row.tpot)},
          {"e2e_latency_seconds", statistic_json(row.e2e)}};
}

Json attribution_json(const PublishedResult& row) {
  const PublishedAttribution& by = row.attribution;
  return {{"words", attribution_of(row)},
          {"round", text(by.round)},
          {"id", text(by.id)},
          {"submitter", text(by.submitter)},
          {"system", text(by.system)},
          {"division", text(by.division)},
          {"suite", text(by.suite)},
          {"availability", text(by.availability)},
          {"url", text(by.url)}};
}

Json unknown_json(const PublishedResult& row) {
  Json unknown = Json::object();
  for (const UnknownMember& member : row.unknown) unknown[std::string(member.key)] = member.text;
  return unknown;
}

/// The parts of "a;b;c".
Json parts_json(std::string_view joined) {
  Json parts = Json::array();
  for (const auto part : split(joined, ';')) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// Places count from 1, as in every message about them.
Json origin_json(const PublishedResult& row) {
  return {{"file", row.origin.file}, {"row", row.origin.row + 1}};
}

Json line_json(const PublishedTable& table, const TableLine& line) {
  const PublishedResult& row = *line.row;
  const PublishedFigure& figure = *line.figure;
  return {
      {"source", name_of(row.source)},
      {"origin", origin_json(row)},
      {"model", text(row.model)},
      {"model_path", text(row.model_path)},
      {"gpu", text(row.gpu.empty() ? row.hardware : row.gpu)},
      {"hardware", text(row.hardware)},
      {"gpus", number(row.gpus)},
      {"framework", text(row.framework)},
      {"precision", text(row.precision)},
      {"speculation", text(row.speculation)},
      {"scenario", text(row.scenario)},
      {"date", text(row.date)},
      {"disaggregated", truth(row.disaggregated)},
      {"prefill_gpus", number(row.prefill.gpus)},
      {"decode_gpus", number(row.decode.gpus)},
      {"load", load_json(row)},
      {"energy_kind", name_of(figure.kind)},
      {"limit_source", figure.limit_source ? Json(name_of(*figure.limit_source)) : Json(nullptr)},
      {"basis", text(figure.basis)},
      {"gpus_used", number(gpus_used(row))},
      {"gpus_charged", number(figure.gpus_charged)},
      {"watts_per_gpu", number(figure.gpu_w)},
      {"watts", number(figure.system_w)},
      {"measured_share_of_limit", number(figure.measured_share)},
      {"figures", figures_json(table, line)},
      {"flags", parts_json(line.flags)},
      {"audit_errors", parts_json(line.errors)},
      {"attribution", attribution_json(row)},
      {"unknown", unknown_json(row)}};
}

Json files_json(const PublishedSet& set) {
  Json files = Json::array();
  for (const PublishedFile& file : set.files)
    files.push_back({{"name", file.name}, {"importer", text(file.importer)}});
  return files;
}

Json refusals_json(const PublishedTable& table) {
  Json refused = Json::array();
  for (const Refusal& refusal : table.footing->refusals) {
    refused.push_back({{"origin", origin_json(table.set->rows[refusal.row])},
                       {"energy_kind", name_of(refusal.kind)},
                       {"why", refusal.why}});
  }
  return refused;
}

Json problems_json(const PublishedSet& set) {
  Json problems = Json::array();
  for (const ReadProblem& problem : set.problems) {
    problems.push_back({{"file", problem.file},
                        {"row", problem.row ? Json(*problem.row + 1) : Json(nullptr)},
                        {"message", problem.message}});
  }
  return problems;
}

Json definitions_json() {
  Json definitions = Json::object();
  for (const Column& column : published_columns()) {
    if (column.about_energy) definitions[column.name] = column.words;
  }
  for (const EnergyKind kind : {EnergyKind::measured_gpu, EnergyKind::measured_wall,
                                EnergyKind::provisioned, EnergyKind::ceiling, EnergyKind::modelled})
    definitions[std::string(name_of(kind))] = words_of(kind);
  return definitions;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string published_json(const PublishedTable& table) {
  std::string text = "{\"schema\":\"tokenjoule.published/1\",\n\"tool\":";
  text += dumped({{"name", "tokenjoule"}, {"version", table.tool_version}});
  text += ",\n\"definitions\":" + dumped(definitions_json());
  text += ",\n\"notices\":" + dumped(notices_of(table));
  text += ",\n\"files\":" + dumped(files_json(*table.set));
  text += ",\n\"rows\":[";
  for (std::size_t i = 0; i < table.lines.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + dumped(line_json(table, table.lines[i]));
  text += "],\n\"refused\":" + dumped(refusals_json(table));
  text += ",\n\"problems\":" + dumped(problems_json(*table.set));
  text += ",\n\"duplicates_dropped\":" + std::to_string(table.set->duplicates) + "}\n";
  return text;
}

}  // namespace tokenjoule
