#include "published/estimate.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

auto layout_key(const PublishedLayout& layout) {
  return std::make_tuple(layout.gpus, layout.tensor, layout.pipeline, layout.expert, layout.workers,
                         layout.dp_attention, layout.hardware);
}

/// All that must be the same for rows to be of one configuration.
auto configuration_key(const PublishedResult& row) {
  return std::make_tuple(row.source, row.model, row.hardware, row.gpu, row.framework, row.precision,
                         row.speculation, row.scenario, row.attribution.submitter,
                         row.attribution.system, row.disaggregated, row.multinode, row.gpus,
                         row.concurrency, row.batch_limit, row.request_rate, layout_key(row.whole),
                         layout_key(row.prefill), layout_key(row.decode));
}

/// The energy of a row's query with its lengths; nullopt: it has not both.
std::optional<LengthEnergy> energy_of(const PublishedResult& row, const PublishedFigure& figure) {
  LengthEnergy made;
  if (row.nominal_input_len && row.nominal_output_len && figure.wh_query) {
    made = {{*row.nominal_input_len, *row.nominal_output_len}, *figure.wh_query};
  } else if (row.mean_input_len && row.mean_output_len && figure.j_answer) {
    made = {{*row.mean_input_len, *row.mean_output_len}, *figure.j_answer / kJoulesPerWattHour};
  } else {
    return std::nullopt;
  }
  const bool usable = made.wh > 0 && made.lengths.input > 0 && made.lengths.output > 0;
  return usable ? std::optional(made) : std::nullopt;
}

bool same_lengths(const EstimateRow& a, const EstimateRow& b) {
  return a.published.lengths.input == b.published.lengths.input &&
         a.published.lengths.output == b.published.lengths.output;
}

/// Of rows of the same lengths the latest day stays. Lengths really used hardly ever repeat.
void keep_latest(Estimate& estimate, const PublishedSet& set) {
  auto& rows = estimate.rows;
  const auto before = [&](const EstimateRow& a, const EstimateRow& b) {
    return std::make_tuple(a.published.lengths.input, a.published.lengths.output,
                           set.rows[b.row].date) < std::make_tuple(b.published.lengths.input,
                                                                   b.published.lengths.output,
                                                                   set.rows[a.row].date);
  };
  std::stable_sort(rows.begin(), rows.end(), before);
  const std::size_t all = rows.size();
  rows.erase(std::unique(rows.begin(), rows.end(), same_lengths), rows.end());
  estimate.older = all - rows.size();
}

/// "" or why there is no estimate.
std::string fault_in(Estimate& estimate, const QueryLengths& lengths) {
  std::vector<LengthEnergy> published;
  for (const EstimateRow& row : estimate.rows) published.push_back(row.published);
  std::string spanned;
  for (const LengthEnergy& row : published)
    spanned += fmt::format("{}{:.0f}/{:.0f}", spanned.empty() ? "" : ", ", row.lengths.input,
                           row.lengths.output);
  auto fit = fit_lengths(published);
  if (!fit) return fmt::format("{}: {}", fit.error().message, spanned);
  estimate.outside = !in_span(published, lengths);
  if (estimate.outside)
    return fmt::format("its rows span {}, and {}/{} is outside", spanned, lengths.input,
                       lengths.output);
  estimate.fit = *fit;
  estimate.wh = fit->wh_of(lengths);
  return "";
}

using ConfigurationKey = decltype(std::tuple_cat(
    std::make_tuple(EnergyKind(), PooledText(), bool()), configuration_key(PublishedResult())));

std::map<ConfigurationKey, Estimate> grouped(const PublishedSet& set, const Footing& footing,
                                             Estimates& into) {
  std::map<ConfigurationKey, Estimate> groups;
  for (const PublishedFigure& figure : footing.figures) {
    const PublishedResult& row = set.rows[figure.row];
    const auto energy = energy_of(row, figure);
    if (!energy) {
      ++into.refused
            ["a row without energy per query of nominal lengths (isl, osl), or per answer with the "
             "lengths really used (mean_isl, mean_osl)"];
      continue;
    }
    const bool nominal = row.nominal_input_len && row.nominal_output_len && figure.wh_query;
    Estimate& estimate = groups[std::tuple_cat(std::make_tuple(figure.kind, figure.basis, nominal),
                                               configuration_key(row))];
    estimate.from = figure.kind;
    estimate.basis = figure.basis;
    estimate.nominal = nominal;
    estimate.rows.push_back({figure.row, *energy});
  }
  return groups;
}

std::string number_of(std::string_view name, const std::optional<double>& value) {
  return value ? fmt::format(", {} {}", name, *value) : "";
}

}  // namespace

Estimates estimates_of(const PublishedSet& set, const Footing& footing,
                       const QueryLengths& lengths) {
  Estimates made;
  for (auto& [key, estimate] : grouped(set, footing, made)) {
    keep_latest(estimate, set);
    const std::string fault = fault_in(estimate, lengths);
    if (fault.empty()) {
      made.found.push_back(std::move(estimate));
    } else {
      ++made.refused[fault];
      if (estimate.outside) made.outside.insert(fault);
    }
  }
  std::stable_sort(made.found.begin(), made.found.end(), [](const Estimate& a, const Estimate& b) {
    return std::make_tuple(a.from, a.wh) < std::make_tuple(b.from, b.wh);
  });
  return made;
}

std::string configuration_words(const PublishedResult& row) {
  std::string words = quoted(row.model);
  words += fmt::format(", {}", quoted(row.gpu.empty() ? row.hardware : row.gpu));
  if (row.gpus) words += fmt::format(" * {}", *row.gpus);
  for (const PooledText part : {row.framework, row.precision, row.attribution.system})
    words += part.empty() ? "" : fmt::format(", {}", quoted(part));
  if (!row.speculation.empty() && row.speculation != "none")
    words += fmt::format(", {}", quoted(row.speculation));
  words += number_of("tensor", row.whole.tensor) + number_of("expert", row.whole.expert);
  if (row.disaggregated.value_or(false)) {
    words += number_of("prefill GPUs", row.prefill.gpus);
    words += number_of("decode GPUs", row.decode.gpus);
  }
  return words + number_of("concurrency", row.concurrency) + number_of("batch", row.batch_limit);
}

}  // namespace tokenjoule
