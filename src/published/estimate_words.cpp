#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "published/estimate.hpp"
#include "published/published_table.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModel =
    "Wh of a query = input tokens * a + output tokens * b. The parts are fitted to published rows, "
    "not measured; attention that grows with the length is not in them";

std::string row_words(const PublishedSet& set, const EstimateRow& used) {
  const PublishedResult& row = set.rows[used.row];
  return fmt::format("    row {} of {}: {:.0f}/{:.0f} tokens, {:.4g} Wh{}{}\n", row.origin.row + 1,
                     quoted(set.files[row.origin.file].name, 200), used.published.lengths.input,
                     used.published.lengths.output, used.published.wh, row.date.empty() ? "" : ", ",
                     quoted(row.date, 10));
}

std::string estimate_words(const PublishedSet& set, const Estimate& estimate) {
  std::string text = fmt::format(
      "{:.4g} Wh  {}\n  modelled from {} ({}); {:.3g} Wh per input token, {:.3g} Wh per output "
      "token\n  residual {:.1f} % in the mean, {:+.1f} % at most, over {} rows at {}{}\n",
      estimate.wh, configuration_words(set.rows[estimate.rows.front().row]), name_of(estimate.from),
      quoted(estimate.basis, 200), estimate.fit.wh_input, estimate.fit.wh_output,
      estimate.fit.mean_deviation * 100, estimate.fit.most_deviation * 100, estimate.rows.size(),
      estimate.nominal ? "nominal lengths" : "lengths really used",
      estimate.older > 0
          ? fmt::format("; {} earlier rows of these lengths set aside", estimate.older)
          : "");
  for (const EstimateRow& row : estimate.rows) text += row_words(set, row);
  return text;
}

std::vector<std::string> notices_for(const PublishedSet& set, const Estimates& estimates) {
  PublishedTable table;
  table.set = &set;
  for (const Estimate& estimate : estimates.found) {
    for (const EstimateRow& row : estimate.rows)
      table.lines.push_back({&set.rows[row.row], nullptr});
  }
  return notices_of(table);
}

Json row_json(const PublishedSet& set, const EstimateRow& used) {
  const PublishedResult& row = set.rows[used.row];
  return {{"file", set.files[row.origin.file].name},
          {"row", row.origin.row + 1},
          {"date", row.date.empty() ? Json(nullptr) : Json(row.date)},
          {"input_len", used.published.lengths.input},
          {"output_len", used.published.lengths.output},
          {"watt_hours", used.published.wh},
          {"attribution", attribution_of(row)}};
}

Json estimate_json(const PublishedSet& set, const Estimate& estimate) {
  Json rows = Json::array();
  for (const EstimateRow& row : estimate.rows) rows.push_back(row_json(set, row));
  return {{"configuration", configuration_words(set.rows[estimate.rows.front().row])},
          {"energy_kind", name_of(EnergyKind::modelled)},
          {"from_energy_kind", name_of(estimate.from)},
          {"basis", estimate.basis},
          {"lengths", estimate.nominal ? "nominal" : "used"},
          {"watt_hours_per_query", estimate.wh},
          {"joules_per_query", estimate.wh * kJoulesPerWattHour},
          {"watt_hours_per_input_token", estimate.fit.wh_input},
          {"watt_hours_per_output_token", estimate.fit.wh_output},
          {"residual",
           {{"mean", estimate.fit.mean_deviation},
            {"most", estimate.fit.most_deviation},
            {"rows", estimate.rows.size()}}},
          {"earlier_rows_set_aside", estimate.older},
          {"rows", rows}};
}

}  // namespace

std::string estimates_text(const PublishedSet& set, const Estimates& estimates,
                           const QueryLengths& lengths, std::size_t most) {
  std::string text = fmt::format("A query with {} input and {} output tokens. {}.\n", lengths.input,
                                 lengths.output, kModel);
  std::size_t shown = 0;
  for (const Estimate& estimate : estimates.found) {
    if (shown++ == most) break;
    text += "\n" + estimate_words(set, estimate);
  }
  if (estimates.found.size() > most)
    text += fmt::format("\n{} more configurations: --rows shows them, --where narrows them\n",
                        estimates.found.size() - most);
  for (const std::string& notice : notices_for(set, estimates)) text += "\n" + notice + "\n";
  return text;
}

std::string estimates_json(const PublishedSet& set, const Estimates& estimates,
                           const QueryLengths& lengths, std::string_view tool_version) {
  Json found = Json::array();
  for (const Estimate& estimate : estimates.found) found.push_back(estimate_json(set, estimate));
  Json refused = Json::array();
  for (const auto& [why, count] : estimates.refused)
    refused.push_back({{"why", why}, {"count", count}});
  const Json all = {{"schema", "tokenjoule.estimate/1"},
                    {"tool", {{"name", "tokenjoule"}, {"version", tool_version}}},
                    {"model", kModel},
                    {"input_len", lengths.input},
                    {"output_len", lengths.output},
                    {"notices", notices_for(set, estimates)},
                    {"estimates", found},
                    {"refused", refused}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tokenjoule
