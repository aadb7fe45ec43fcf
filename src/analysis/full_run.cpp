#include "analysis/full_run.hpp"

#include <algorithm>

#include "analysis/figures.hpp"

namespace tokenjoule {

namespace {

/// Which requests of a run are looked at.
using Keeps = bool (*)(const RequestRecord& request);
bool keeps_all(const RequestRecord&) { return true; }
bool keeps_measured(const RequestRecord& request) { return !request.warmup; }

/// From the first send to the last token of any of them.
std::optional<TimeSpan> span_of(const Run& run, const TokenFacts& tokens, Keeps keeps) {
  std::optional<TimeSpan> span;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    if (!keeps(run.requests[i])) continue;
    const MonoTime sent = run.requests[i].sent;
    const MonoTime last = tokens.answers[i].last.value_or(sent);
    if (!span) span = TimeSpan{sent, last};
    span->begin = std::min(span->begin, sent);
    span->end = std::max(span->end, last);
  }
  return span;
}

/// Requests that completed, and their tokens.
void count_completed(FullRun& full, const Run& run, const TokenFacts& tokens, Keeps keeps) {
  full.output_tokens = full.prompt_tokens = 0.0;
  for (std::size_t i = 0; i < run.requests.size(); ++i) {
    const RequestRecord& request = run.requests[i];
    if (request.outcome != Outcome::completed || !keeps(request)) continue;
    ++full.requests;
    *full.output_tokens += tokens.answers[i].total;
    const auto prompt = prompt_tokens_of(request);
    full.prompt_tokens =
        prompt && full.prompt_tokens ? std::optional(*full.prompt_tokens + *prompt) : std::nullopt;
  }
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

/// Where the energy of a span comes from, or why there is none.
struct EnergySource {
  const SeriesTable& series;
  std::optional<Boundary> boundary;
  const std::string& no_energy_reason;
};

FullRun span_figures(const Run& run, const TokenFacts& tokens, const EnergySource& source,
                     Keeps keeps) {
  FullRun full;
  const auto span = span_of(run, tokens, keeps);
  if (!span || span->end <= span->begin) {
    full.reason = run.requests.empty() ? "no requests were recorded" : "no answer brought a token";
    return full;
  }
  full.duration = to_seconds(span->length());
  count_completed(full, run, tokens, keeps);
  if (!source.boundary) {
    full.reason = "no energy was measured";
    add_figures(full, nullptr, full.reason);
    return full;
  }
  const BoundaryMeasure measure = measured_boundary(run, source.series, *source.boundary, *span);
  full.joules = measure.energy.joules;
  full.reason = measure.energy.reason;
  add_figures(full, &measure, source.no_energy_reason);
  return full;
}

}  // namespace

FullRun full_run_of(const Run& run, const SeriesTable& series, const TokenFacts& tokens,
                    std::optional<Boundary> boundary, const std::string& no_energy_reason) {
  return span_figures(run, tokens, {series, boundary, no_energy_reason}, keeps_all);
}

FullRun harness_run_of(const Run& run, const SeriesTable& series, const TokenFacts& tokens,
                       std::optional<Boundary> boundary, const std::string& no_energy_reason) {
  return span_figures(run, tokens, {series, boundary, no_energy_reason}, keeps_measured);
}

}  // namespace tokenjoule
