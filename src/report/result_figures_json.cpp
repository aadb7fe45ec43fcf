#include <nlohmann/json.hpp>

#include "model/metrics.hpp"
#include "report/json_values.hpp"
#include "report/result_parts.hpp"
#include "report/sections.hpp"

namespace tokenjoule {

namespace {
using Json = nlohmann::ordered_json;
using Values = JsonValues<Json>;
}  // namespace

/// All effects are of type B (JCGM 100, 4.3): none was found by repeating.
template <typename J>
J components_json(const std::vector<BoundItem>& items) {
  Json list = Json::array();
  for (const BoundItem& item : items) {
    list.push_back({{"name", item.name},
                    {"type", "B"},
                    {"half_width", Values::of(item.half_width)},
                    {"distribution", item.distribution},
                    {"shared", item.shared},
                    {"source", Values::of(item.source)}});
  }
  return list;
}

template Json components_json(const std::vector<BoundItem>& items);

namespace {

Json figure_json(const Report& report, const Figure& figure) {
  Json json = {{"value", Values::of(figure.value)}};
  if (json["value"].is_null()) Values::put_reason(json, figure.reason);
  json["unit"] = figure.unit;
  json["interval95"] = nullptr;
  Values::put_reason(json, figure.interval_reason, "interval95_reason");
  json["systematic_bound"] = Values::of(figure.systematic_bound);
  json["numerator"] = Values::of(figure.numerator);
  json["denominator"] = Values::of(figure.denominator);
  const std::string method = energy_method(report, figure);
  if (!method.empty()) json["method"] = method;
  json["n_batches"] = nullptr;
  json["uncertainty"] = {{"expanded", nullptr},
                         {"coverage_factor", nullptr},
                         {"coverage_probability", nullptr},
                         {"components", components_json<Json>(figure.components)}};
  return json;
}

/// What the key means, for who holds no more than this file.
void put_definition(Json& json, std::string_view key) {
  const Metric* const metric = metric_named(key);
  if (metric == nullptr) return;
  json["definition"] = metric->definition;
  json["formula"] = metric->formula;
}

Json figures_json(const Report& report, const Figures& figures) {
  Json json = Json::object();
  for (const auto& [key, figure] : ordered(figures)) {
    json[key] = figure_json(report, *figure);
    put_definition(json[key], key);
  }
  return json;
}

Json summary_json(const Summary& summary) {
  Json json = {{"mean", Values::of(summary.mean)},
               {"p5", Values::of(summary.p5)},
               {"p50", Values::of(summary.p50)},
               {"p90", Values::of(summary.p90)},
               {"p95", Values::of(summary.p95)},
               {"p99", Values::of(summary.p99)},
               {"n", summary.n},
               {"unit", summary.unit}};
  if (json["p50"].is_null()) Values::put_reason(json, summary.reason);
  return json;
}

Json peer_metric_json(const PeerMetric& metric) {
  Json json = {{"name", metric.name},
               {"definition", metric.definition},
               {"nearest_figure", Values::of(metric.ours)}};
  if (metric.summary) {
    json.update(summary_json(*metric.summary));
    return json;
  }
  json["value"] = Values::of(metric.value);
  json["unit"] = metric.unit;
  if (!metric.value) Values::put_reason(json, metric.reason);
  return json;
}

Json counted_as_json(const std::optional<PeerView>& view) {
  if (!view) return nullptr;
  Json metrics = Json::array();
  for (const PeerMetric& metric : view->metrics) metrics.push_back(peer_metric_json(metric));
  return {{"tool", name_of(view->tool)}, {"rules", view->rules}, {"metrics", metrics}};
}

Json full_run_json(const Report& report, const FullRun& full_run) {
  Json json = {{"duration_s", Values::of(full_run.duration)},
               {"joules", Values::of(full_run.joules)}};
  if (!full_run.joules) Values::put_reason(json, full_run.reason);
  json["output_tokens"] = Values::of(full_run.output_tokens);
  json["prompt_tokens"] = Values::of(full_run.prompt_tokens);
  json["requests"] = full_run.requests;
  json["figures"] = figures_json(report, full_run.figures);
  return json;
}

}  // namespace

template <typename J>
void put_figures(J& json, const Report& report) {
  Json figures = figures_json(report, report.figures);
  for (const auto& [key, summary] : ordered(report.latency)) {
    figures[key] = summary_json(*summary);
    put_definition(figures[key], key);
  }
  json["figures"] = std::move(figures);
  Json by_boundary = Json::object();
  for (const auto& [boundary, of_boundary] : report.figures_by_boundary) {
    by_boundary[std::string(name_of(boundary))] = figures_json(report, of_boundary);
  }
  json["figures_by_boundary"] = std::move(by_boundary);
  json["full_run"] = full_run_json(report, report.full_run);
  json["counted_as"] = counted_as_json(report.counted_as);
  if (!report.harness) return;
  json["harness"] = full_run_json(report, *report.harness);
  json["harness"]["name"] = report.harness_name;
}

template void put_figures(Json& json, const Report& report);

}  // namespace tokenjoule
