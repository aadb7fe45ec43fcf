#include "analysis/full_run.hpp"

#include <algorithm>

#include "analysis/figures.hpp"

namespace tokenjoule {

namespace {

/// From the first send to the last token of any request.
std::optional<TimeSpan> span_of(const Run& run, const TokenFacts& tokens) {
  std::optional<TimeSpan> span;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const MonoTime sent = run.requests[i].sent;
    const MonoTime last = tokens.answers[i].last.value_or(sent);
    if (!span) span = TimeSpan{sent, last};
    span->begin = std::min(span->begin, sent);
    span->end = std::max(span->end, last);
  }
  return span;
}

TokenCounts counts_of(const FullRun& full) {
  TokenCounts counts;
  counts.output = counts.output_good = full.output_tokens;
  counts.prompt_submitted = full.prompt_tokens;
  return counts;
}

void add_figures(FullRun& full, const BoundaryMeasure* measure, const std::string& reason) {
  const TokenCounts counts = counts_of(full);
  FigureInputs inputs;
  inputs.energy = measure == nullptr ? nullptr : &measure->energy;
  inputs.no_energy_reason = reason;
  inputs.tokens = &counts;
  inputs.queries = static_cast<double>(full.requests);
  inputs.duration = full.duration;
  Figures all = figures_of(inputs);
  for (const char* key : {"joules_per_output_token", "joules_per_total_token",
                          "watt_hours_per_query", "output_tokens_per_second"}) {
    full.figures[key] = std::move(all[key]);
  }
}

}  // namespace

FullRun full_run_of(const Run& run, const SeriesTable& series, const TokenFacts& tokens,
                    std::optional<Boundary> boundary, const std::string& no_energy_reason) {
  FullRun full;
  const auto span = span_of(run, tokens);
  if (!span || span->end <= span->begin) {
    full.reason = run.requests.empty() ? "no requests were recorded" : "no answer brought a token";
    return full;
  }
  full.duration = to_seconds(span->length());
  full.output_tokens = tokens.client.completed_run;
  full.prompt_tokens = tokens.client.completed_prompts_run;
  for (const RequestRecord& request : run.requests) {
    full.requests += request.outcome == Outcome::completed ? 1 : 0;
  }
  if (!boundary) {
    full.reason = "no energy was measured";
    add_figures(full, nullptr, full.reason);
    return full;
  }
  const BoundaryMeasure measure = measured_boundary(run, series, *boundary, *span);
  full.joules = measure.energy.joules;
  full.reason = measure.energy.reason;
  add_figures(full, &measure, no_energy_reason);
  return full;
}

}  // namespace tokenjoule
