#include "analysis/figures.hpp"

#include <fmt/core.h>

#include "base/check.hpp"
#include "model/metrics.hpp"

namespace tokenjoule {

namespace {

constexpr const char* kNoInterval =
    "a 95 % interval needs batches of the window: not computed by this version";
constexpr double kMillion = 1e6;

/// A numerator or denominator with its worst-case bounds, in its own unit.
struct Part {
  std::optional<double> value;
  std::string reason;  ///< why value is absent
  std::string name;    ///< "tokens.output"
  std::vector<BoundItem> bounds;
};

Part energy_part(const FigureInputs& inputs) {
  Part part;
  if (inputs.energy == nullptr) {
    part.reason = inputs.no_energy_reason;
    return part;
  }
  part.name = fmt::format("energy.{}", name_of(inputs.energy->boundary));
  part.bounds = inputs.energy->components;
  if (!inputs.no_energy_reason.empty()) {
    part.reason = inputs.no_energy_reason;
  } else if (inputs.energy->joules) {
    part.value = inputs.energy->joules->value();
  } else {
    part.reason = inputs.energy->reason;
  }
  return part;
}

std::vector<BoundItem> token_bounds(const FigureInputs& inputs) {
  const std::string source =
      inputs.tokens->source == "engine_counter"
          ? "tokens that the engine counted between the reads of its page around the edge"
          : "tokens of one event of each answer that the edge cuts";
  return {{"tokens at the window's start", inputs.token_start_bound, "rectangular", false, source},
          {"tokens at the window's end", inputs.token_end_bound, "rectangular", false, source}};
}

Part token_part(const FigureInputs& inputs, std::optional<double> value, std::string name,
                const std::string& reason) {
  const std::string& no_tokens = inputs.tokens->reason;
  return {value,
          value               ? ""
          : no_tokens.empty() ? reason
                              : no_tokens,
          std::move(name), token_bounds(inputs)};
}

/// Output tokens and one kind of prompt tokens together.
Part sum_part(const FigureInputs& inputs, std::optional<double> prompt, const std::string& name,
              const std::string& reason) {
  const auto output = inputs.tokens->output;
  const auto sum = output && prompt ? std::optional(*output + *prompt) : std::nullopt;
  return token_part(inputs, sum, name + " + tokens.output", reason);
}

std::string unit_of(const std::string& key) {
  const Metric* metric = metric_named(key);
  TJ_ASSERT(metric != nullptr);
  return std::string(metric->unit);
}

/// numerator / denominator x factor, with each bound carried over into the figure's unit.
Figure ratio(const std::string& key, const Part& over, const Part& under, double factor = 1.0) {
  Figure figure;
  figure.unit = unit_of(key);
  figure.numerator = over.name;
  figure.denominator = under.name;
  figure.interval_reason = kNoInterval;
  if (!over.value || !under.value) {
    figure.reason = !over.value ? over.reason : under.reason;
    return figure;
  }
  if (!(*under.value > 0)) {
    figure.reason = fmt::format("{} is 0 in the window", under.name);
    return figure;
  }
  figure.value = *over.value / *under.value * factor;
  double relative = 0;
  const auto carry = [&](const Part& part) {
    for (const BoundItem& item : part.bounds) {
      if (!(*part.value > 0)) continue;
      const double share = item.half_width / *part.value;
      relative += share;
      figure.components.push_back(item);
      figure.components.back().half_width = *figure.value * share;
    }
  };
  carry(over);
  carry(under);
  figure.systematic_bound = *figure.value * relative;
  return figure;
}

Part duration_part(const FigureInputs& inputs) {
  Part part{std::nullopt, "there is no window", "window.duration", {}};
  if (inputs.duration) part.value = inputs.duration->value();
  return part;
}

void add_energy_figures(Figures& figures, const FigureInputs& inputs, const Part& output,
                        const Part& total) {
  const auto& tokens = *inputs.tokens;
  const Part energy = energy_part(inputs);
  const Part computed =
      sum_part(inputs, tokens.prompt_computed, "tokens.prompt_computed",
               "neither usage nor the engine's counters say which prompt tokens were computed");
  const Part good = token_part(inputs, tokens.output_good, "tokens.output of completed requests",
                               "the engine's counters do not say which requests completed");
  const bool has_requests = tokens.output_good.has_value() || inputs.queries > 0;
  Part queries{has_requests ? std::optional(inputs.queries) : std::nullopt,
               has_requests ? "" : "no requests were recorded",
               "requests.in_window",
               {}};
  if (!has_requests && inputs.queries_by_engine) {
    queries = {inputs.queries_by_engine, "", "engine.requests.completed", {}};
  }
  const auto put = [&](const std::string& key, const Part& under, double factor = 1.0) {
    figures[key] = ratio(key, energy, under, factor);
  };
  put("joules_per_output_token", output);
  put("joules_per_total_token", total);
  put("joules_per_computed_token", computed);
  put("joules_per_good_output_token", good);
  put("watt_hours_per_query", queries, 1 / kJoulesPerWattHour);
  put("watt_hours_per_million_output_tokens", output, kMillion / kJoulesPerWattHour);
  put("watt_hours_per_million_total_tokens", total, kMillion / kJoulesPerWattHour);
  put("mean_watts", duration_part(inputs));
}

void add_goodput(Figures& figures, const Goodput& goodput, const Part& duration) {
  const Part good{static_cast<double>(goodput.good), "", "requests that met the service level", {}};
  const Part sent{static_cast<double>(goodput.sent), "", "requests sent in the window", {}};
  figures["good_request_share"] = ratio("good_request_share", good, sent);
  figures["good_requests_per_second"] = ratio("good_requests_per_second", good, duration);
}

}  // namespace

Figures figures_of(const FigureInputs& inputs) {
  const auto& tokens = *inputs.tokens;
  const Part output =
      token_part(inputs, tokens.output, "tokens.output", "the output tokens are not known");
  const Part total = sum_part(inputs, tokens.prompt_submitted, "tokens.prompt_submitted",
                              "neither usage nor the load says how long the prompts were");
  Figures figures;
  add_energy_figures(figures, inputs, output, total);
  const Part duration = duration_part(inputs);
  figures["output_tokens_per_second"] = ratio("output_tokens_per_second", output, duration);
  Part users{std::nullopt, "no requests were recorded", "window.duration x requests in flight", {}};
  if (inputs.in_flight && duration.value) users.value = *inputs.in_flight * *duration.value;
  const std::string key = "output_tokens_per_second_per_user";
  figures[key] = ratio(key, output, users);
  if (inputs.goodput) add_goodput(figures, *inputs.goodput, duration);
  return figures;
}

}  // namespace tokenjoule
