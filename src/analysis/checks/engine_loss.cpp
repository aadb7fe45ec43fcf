#include <algorithm>
#include <map>
#include <string>

#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

/// Classes of failures that mean that nobody was there to answer.
constexpr std::string_view kNobody[] = {"refused", "reset", "ended_early", "timeout",
                                        "unreachable"};

std::optional<MonoTime> last_token(const Facts& facts) {
  std::optional<MonoTime> last;
  for (const AnswerTokens& answer : facts.tokens.answers) last = std::max(last, answer.last);
  return last;
}

/// Requests that failed behind `last`, by class.
std::map<std::string, std::int64_t> failures_behind(const Run& run, std::optional<MonoTime> last) {
  std::map<std::string, std::int64_t> failures;
  for (const RequestRecord& request : run.requests) {
    if (request.outcome != Outcome::failed || !request.end) continue;
    if (last && *request.end < *last) continue;
    ++failures[request.failure.substr(0, request.failure.find(": "))];
  }
  return failures;
}

std::int64_t sum_of(const std::map<std::string, std::int64_t>& failures, bool nobody_only) {
  std::int64_t sum = 0;
  for (const auto& [kind, count] : failures) {
    const bool nobody =
        std::find(std::begin(kNobody), std::end(kNobody), kind) != std::end(kNobody);
    if (nobody || !nobody_only) sum += count;
  }
  return sum;
}

std::string words_for(const Facts& facts, std::optional<MonoTime> last,
                      const std::map<std::string, std::int64_t>& failures) {
  std::string kinds;
  for (const auto& [kind, count] : failures) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", kind, count);
  }
  std::string since = "no token ever came";
  if (last && facts.window.span) {
    const double at = to_seconds(*last - facts.window.span->begin).value();
    since = at < 0 ? fmt::format("the last token came {:.1f} s before the window", -at)
                   : fmt::format("the last token came {:.1f} s into the window of {:.1f} s", at,
                                 to_seconds(facts.window.span->length()).value());
  }
  return fmt::format("the engine was lost: {}, and {} requests failed from then on{}", since,
                     sum_of(failures, false), kinds.empty() ? "" : " (" + kinds + ")");
}

}  // namespace

/// What comes behind the last token of a run is energy for nothing, and says nothing of the load.
void check_engine_loss(const Facts& facts, std::vector<CheckFinding>& findings) {
  const Run& run = facts.run;
  const auto last = last_token(facts);
  const auto failures = failures_behind(run, last);
  const bool given_up = run.close && run.close->reason == "engine_lost";
  if (!given_up && sum_of(failures, true) < thresholds::kLostFailures) return;
  if (last && facts.window.span && *last >= facts.window.span->end) return;
  findings.push_back({"engine_lost", Severity::unusable, words_for(facts, last, failures),
                      "see the log of the engine, start it again, and measure again",
                      std::nullopt});
}

}  // namespace tokenjoule
