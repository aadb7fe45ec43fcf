#include <algorithm>

#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/thresholds.hpp"
#include "model/engine_settings.hpp"

namespace tokenjoule {

namespace {

/// Settings under which the time and energy of a token depend on what the text is.
constexpr const char* kTextMatters[] = {
    "speculative_decoding", "speculative_config", "speculation", "speculative", "moe",
    "num_experts"};

/// Longest prompt and answer together of any request that the engine took to its end, as counted or
/// else as asked for. One that was refused, as too long perhaps, says nothing of its setting.
double longest_request(const Facts& facts) {
  double longest = 0;
  for (std::size_t i = 0; i < facts.run.requests.size(); ++i) {
    const RequestRecord& request = facts.run.requests[i];
    if (request.outcome != Outcome::completed) continue;
    const auto asked = static_cast<double>(request.output_tokens_asked);
    const double output = std::max(asked, facts.tokens.answers[i].total);
    longest = std::max(longest, prompt_tokens_of(request).value_or(0) + output);
  }
  return longest;
}

}  // namespace

void check_engine(const Facts& facts, std::vector<CheckFinding>& findings) {
  if (!facts.run.engine || facts.run.requests.empty()) return;
  const EngineInfo& engine = *facts.run.engine;
  const bool text_matters = std::any_of(std::begin(kTextMatters), std::end(kTextMatters),
                                        [&](const char* key) { return engine_has(engine, key); });
  if (facts.settings.random_prompts && text_matters) {
    findings.push_back({"random_text", Severity::note,
                        "prompts are random text, and this engine speculates or routes tokens to "
                        "experts: real text may cost less or more",
                        "measure with prompts of your own kind as well", std::nullopt});
  }
  const double longest = longest_request(facts);
  const auto room = engine_number(engine, "max_model_len");
  if (!room || longest <= 0 || *room >= thresholds::kContextRoom * longest) return;
  // It took more than it says that it does: the setting is not that of these requests.
  if (longest > *room) return;
  findings.push_back(
      {"context_tuned", Severity::note,
       fmt::format("the engine takes {:.0f} tokens a request, the longest one here "
                   "may have {:.0f}: one with room for longer requests may need more "
                   "energy for the same load",
                   *room, longest),
       "state max_model_len beside the figure", std::nullopt});
}

}  // namespace tokenjoule
