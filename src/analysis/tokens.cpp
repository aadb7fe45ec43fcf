#include "analysis/tokens.hpp"

#include <algorithm>

#include "analysis/engine_counters.hpp"

namespace tokenjoule {

namespace {

bool moves_per_step(const Run& run, EngineMetric metric) {
  const EngineCounter* meaning = meaning_of(run, metric);
  return meaning != nullptr && meaning->clock == CounterClock::per_step;
}

/// Prompt tokens by the engine's counters over one span, as far as they are known.
struct PromptGrowth {
  std::optional<double> submitted, computed, cached;
};

/// Share of the submitted prompt tokens that was computed. Two of the three counts give it.
std::optional<double> computed_share(const PromptGrowth& grown) {
  if (grown.submitted.value_or(0) > 0) {
    if (grown.computed) return std::clamp(*grown.computed / *grown.submitted, 0.0, 1.0);
    if (grown.cached) return std::clamp(1.0 - *grown.cached / *grown.submitted, 0.0, 1.0);
  }
  if (!grown.computed || !grown.cached || *grown.computed + *grown.cached <= 0) return std::nullopt;
  return *grown.computed / (*grown.computed + *grown.cached);
}

/// Over the window only counters that move with each step tell of the same tokens.
PromptGrowth grown_in_window(const Run& run, TimeSpan window) {
  const auto grown = [&](EngineMetric metric) -> std::optional<double> {
    if (!moves_per_step(run, metric)) return std::nullopt;
    const auto growth = growth_in(run, metric, window);
    return growth ? std::optional(growth->grown) : std::nullopt;
  };
  return {grown(EngineMetric::prompt_tokens), grown(EngineMetric::prompt_tokens_computed),
          grown(EngineMetric::prompt_tokens_cached)};
}

PromptGrowth grown_over_load(const Run& run, std::optional<double> prompts_of_load) {
  const auto grown = [&](EngineMetric metric) -> std::optional<double> {
    const auto growth = growth_over_load(run, metric);
    return growth ? std::optional(growth->grown) : std::nullopt;
  };
  auto submitted = grown(EngineMetric::prompt_tokens);
  if (!submitted) submitted = prompts_of_load;
  return {submitted, grown(EngineMetric::prompt_tokens_computed),
          grown(EngineMetric::prompt_tokens_cached)};
}

std::optional<double> computed_share(const Run& run, TimeSpan window,
                                     std::optional<double> prompts_of_load) {
  if (const auto share = computed_share(grown_in_window(run, window))) return share;
  return computed_share(grown_over_load(run, prompts_of_load));
}

void split_prompts(const Run& run, TokenFacts& facts, TimeSpan window) {
  TokenCounts& counts = facts.client.counts;
  // Where no prompt was answered nothing is known of how prompts were worked on: that is not 0.
  if (counts.prompt_submitted.value_or(0) <= 0) {
    counts.prompt_cached.reset();
    return;
  }
  // More tokens from a cache than the prompts have is a count of something else.
  if (counts.prompt_cached > counts.prompt_submitted) counts.prompt_cached.reset();
  if (!counts.prompt_cached) {
    const auto share = computed_share(run, window, facts.client.prompt_run_high);
    if (!share) return;
    counts.prompt_cached = *counts.prompt_submitted * (1.0 - *share);
  }
  counts.prompt_computed = *counts.prompt_submitted - *counts.prompt_cached;
}

/// Tokens by totals alone, where no client recorded its requests: those of the engine's counters,
/// or those that a load generator logged, which an importer writes in their place.
void count_by_totals(const Run& run, ClientTokens& client, TimeSpan window, bool imported) {
  TokenCounts& counts = client.counts;
  const auto output = growth_in(run, EngineMetric::output_tokens, window);
  if (!counts.engine_counter_output || !output) return;
  counts.output = output->grown;
  client.start_bound = output->start_bound;
  client.end_bound = output->end_bound;
  counts.edge_bound_output = output->start_bound + output->end_bound;
  counts.source = imported ? "load_log" : "engine_counter";
  if (imported) counts.engine_counter_output = counts.engine_counter_output_run = std::nullopt;
  counts.output_by_failed = counts.output_by_cancelled = std::nullopt;  // totals do not tell
  counts.reason.clear();
  if (!moves_per_step(run, EngineMetric::prompt_tokens)) return;
  if (const auto prompts = growth_in(run, EngineMetric::prompt_tokens, window)) {
    counts.prompt_submitted = prompts->grown;
  }
}

void count_over_load(const Run& run, TokenFacts& facts) {
  if (const auto output = growth_over_load(run, EngineMetric::output_tokens)) {
    facts.client.counts.engine_counter_output_run = output->grown;
    facts.output_rounding = output->rounding;
  }
  if (const auto prompts = growth_over_load(run, EngineMetric::prompt_tokens)) {
    facts.prompt_run_by_engine = prompts->grown;
    facts.prompt_rounding = prompts->rounding;
  }
  const auto load = load_span(run);
  facts.engine_restarted = load && restarted_in(run, *load);
}

}  // namespace

std::optional<double> finished_by_engine(const Run& run, TimeSpan window) {
  if (!run.requests.empty() || !moves_per_step(run, EngineMetric::requests_finished))
    return std::nullopt;
  const auto finished = growth_in(run, EngineMetric::requests_finished, window);
  return finished ? std::optional(finished->grown) : std::nullopt;
}

TokenFacts token_facts(const Run& run, std::optional<TimeSpan> window,
                       const LoadSettings& settings) {
  TokenFacts facts;
  facts.answers.reserve(run.requests.size());
  for (const RequestRecord& request : run.requests) facts.answers.push_back(tokens_of(request));
  facts.client = client_tokens(run.requests, facts.answers, window);
  count_over_load(run, facts);
  TokenCounts& counts = facts.client.counts;
  if (window && moves_per_step(run, EngineMetric::output_tokens)) {
    if (const auto grown = growth_in(run, EngineMetric::output_tokens, *window)) {
      counts.engine_counter_output = grown->grown;
    }
  }
  if (window && run.requests.empty())
    count_by_totals(run, facts.client, *window, settings.is_import);
  if (window) split_prompts(run, facts, *window);
  const bool by_totals = counts.source == "engine_counter" || counts.source == "load_log";
  facts.expected = !run.requests.empty() || by_totals || (run.engine && settings.drives_load);
  return facts;
}

}  // namespace tokenjoule
