#include "report/csv.hpp"

#include "base/check.hpp"
#include "base/json_view.hpp"
#include "base/text.hpp"
#include "report/result_json.hpp"
#include "report/safe_text.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kColumns[] = {
    "result_id",
    "tool.version",
    "method_version",
    "configuration.label",
    "verdict.status",
    "verdict.reasons",
    "simulated",
    "modelled",
    "boundary.name",
    "window.start_unix_s",
    "window.duration_s",
    "engine.kind",
    "engine.version",
    "model.name",
    "model.weight_format",
    "model.tensor_parallel",
    "model.data_parallel",
    "model.max_context_tokens",
    "load.mode",
    "load.concurrency",
    "load.request_rate_per_s",
    "load.input_len_mean",
    "load.output_len_mean",
    "load.ignore_eos",
    "load.dataset.name",
    "load.seed",
    "requests.completed",
    "requests.failed",
    "requests.cancelled",
    "requests.in_window",
    "tokens.output",
    "tokens.prompt_submitted",
    "tokens.prompt_computed",
    "tokens.source",
    "energy.method",
    "energy.joules",
    "energy.systematic_bound_joules",
    "energy.active_joules",
    "idle.watts",
    "figures.mean_watts.value",
    "figures.joules_per_output_token.value",
    "figures.joules_per_output_token.systematic_bound",
    "figures.joules_per_total_token.value",
    "figures.joules_per_computed_token.value",
    "figures.joules_per_good_output_token.value",
    "figures.watt_hours_per_query.value",
    "figures.watt_hours_per_million_output_tokens.value",
    "figures.watt_hours_per_million_total_tokens.value",
    "figures.output_tokens_per_second.value",
    "figures.output_tokens_per_second_per_user.value",
    "figures.good_request_share.value",
    "figures.good_requests_per_second.value",
    "figures.ttft_seconds.p50",
    "figures.ttft_seconds.p99",
    "figures.tpot_seconds.p50",
    "figures.tpot_seconds.p99",
    "figures.itl_seconds.p50",
    "figures.itl_seconds.p99",
    "figures.e2e_latency_seconds.p50",
    "figures.e2e_latency_seconds.p99",
    "figures.interactivity_tokens_per_second.p5",
    "figures.interactivity_tokens_per_second.p50",
    "full_run.duration_s",
    "full_run.joules",
    "full_run.output_tokens",
    "client.limited",
    "client.lag_seconds.p99",
    "client.send_lateness_seconds.p99",
    "client.stream_wait_seconds.p50",
    "client.stream_wait_seconds.p99",
    "record.sha256",
};

/// Of a list, the item of the headline boundary; of an object, the member.
JsonView step_into(const JsonView& at, std::string_view key, const JsonView& root) {
  if (!at.is(JsonNode::Type::array)) return at[key];
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto boundary = at[i]["boundary"].string();
    if (boundary && boundary == root["boundary"]["name"].string()) return at[i][key];
  }
  return at[key];
}

std::string codes_in(const JsonView& reasons) {
  std::string codes;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (!codes.empty()) codes += ' ';
    codes += reasons[i]["code"].string().value_or("");
  }
  return codes;
}

std::string text_cell(std::string_view foreign) {
  std::string text = one_line(foreign);
  const std::string_view trimmed_text = trimmed(text);
  const bool formula = !trimmed_text.empty() &&
                       std::string_view("=+-@").find(trimmed_text[0]) != std::string_view::npos;
  if (formula) text.insert(0, "'");
  if (text.find_first_of(",\"'; ") == std::string::npos) return text;
  std::string quoted_text = "\"";
  for (const char c : text) quoted_text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted_text + "\"";
}

std::string cell_of(const JsonView& root, std::string_view column) {
  JsonView at = root;
  for (const std::string_view key : split(column, '.')) at = step_into(at, key, root);
  if (column == "verdict.reasons") return text_cell(codes_in(at));
  if (!at.present()) return "";
  if (const auto text = at.string()) return text_cell(*text);
  const bool nested = at.is(JsonNode::Type::array) || at.is(JsonNode::Type::object);
  return nested ? text_cell(at.text()) : at.text();
}

}  // namespace

std::span<const std::string_view> csv_columns() { return kColumns; }

std::string csv_header() {
  std::string header;
  for (const std::string_view column : kColumns) {
    if (!header.empty()) header += ',';
    header += column;
  }
  return header + "\n";
}

std::string csv_row(const Report& report) {
  // Read back from the result itself, so that a column can never say something else than its path.
  const auto document = JsonDocument::parse(result_json(report));
  TJ_ASSERT(document.has_value());
  std::string row;
  for (const std::string_view column : kColumns) {
    if (column != kColumns[0]) row += ',';
    row += cell_of(document->root(), column);
  }
  return row + "\n";
}

}  // namespace tokenjoule
