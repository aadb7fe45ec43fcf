#pragma once

#include <optional>
#include <vector>

#include "analysis/settings.hpp"
#include "analysis/token_counts.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The client's counts joined with the engine's own counters.
struct TokenFacts {
  std::vector<AnswerTokens> answers;  ///< one a request of the run, in its order
  ClientTokens client;                ///< its `counts` complete
  std::optional<double> prompt_run_by_engine;
  double output_rounding = 0, prompt_rounding = 0;  ///< of the engine's figures over the load
  bool engine_restarted = false;                    ///< during the load: nothing to compare
  bool expected = false;  ///< a load ran or the engine counts: no tokens is a finding
};
/// Where no client recorded its requests: how many the engine's counter says finished in the
/// window, if it is known at any time (per_step); else nothing is known.
std::optional<double> finished_by_engine(const Run& run, TimeSpan window);

TokenFacts token_facts(const Run& run, std::optional<TimeSpan> window,
                       const LoadSettings& settings);

}  // namespace tokenjoule
