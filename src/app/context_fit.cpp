#include "app/context_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

std::int64_t longest_of(const LengthSpec& spec) {
  const bool bounded =
      spec.shape == LengthSpec::Shape::fixed || spec.shape == LengthSpec::Shape::uniform;
  return bounded ? spec.high : static_cast<std::int64_t>(std::floor(spec.mean));
}

/// Prompt and answer of the longest request of a load without a data set.
std::pair<std::int64_t, std::int64_t> longest_request(const MeasureOptions& options) {
  std::pair<std::int64_t, std::int64_t> longest{0, 0};
  const auto take = [&](const LengthSpec& input, const LengthSpec& output) {
    const std::pair<std::int64_t, std::int64_t> asked{longest_of(input) + options.prefix_len,
                                                      longest_of(output)};
    if (asked.first + asked.second > longest.first + longest.second) longest = asked;
  };
  for (const LengthPair& pair : options.mix) take(pair.input, pair.output);
  if (options.mix.empty()) take(options.input_len, options.output_len);
  return longest;
}

/// Of a conversation the last turn is the longest: it has all that was said before.
std::int64_t longest_of(const PoolEntry& entry, const MeasureOptions& options) {
  const auto answer = [&](std::int64_t output) {
    return output > 0 ? output : longest_of(options.output_len);
  };
  std::int64_t tokens = options.prefix_len + entry.input + answer(entry.output);
  for (const Turn& turn : entry.later) tokens += turn.input + answer(turn.output);
  return tokens;
}

/// Who takes no more than that. A length that the user states is nobody's in particular.
std::string taker_of(const ProbedEngine& engine) {
  const auto length = engine.info.configuration.find("max_model_len");
  const bool reported =
      length != engine.info.configuration.end() && length->second.from == "reported";
  return reported && !engine.shortest_context_url.empty() ? engine.shortest_context_url
                                                          : "the engine";
}

}  // namespace

Status check_context(const MeasureOptions& options, const ProbedEngine& engine) {
  const auto context = context_of(engine.info);
  if (!context || options.dataset) return {};
  const auto [input, output] = longest_request(options);
  if (input + output <= *context) return {};
  const std::string load = options.preset.empty() ? "a request" : "--preset " + options.preset;
  return failure(
      ErrorKind::usage,
      fmt::format("{} of {} prompt and {} answer tokens is longer than the {} tokens that {} takes "
                  "(max_model_len)",
                  load, input, output, *context, taker_of(engine)),
      "give shorter lengths (--input-len, --output-len), or start the engine with a longer context "
      "(vLLM: --max-model-len, SGLang: --context-length, llama.cpp: --ctx-size, which its slots "
      "share)");
}

std::string too_long_words(const MeasureOptions& options, const RequestPool& pool,
                           const ProbedEngine& engine) {
  const auto context = context_of(engine.info);
  if (!context) return "";
  const auto too_long =
      std::count_if(pool.entries.begin(), pool.entries.end(),
                    [&](const PoolEntry& entry) { return longest_of(entry, options) > *context; });
  if (too_long == 0) return "";
  return fmt::format(
      "{} of {} requests of the data set are longer than the {} tokens that {} takes "
      "(max_model_len): it may refuse them, and they count as failed\n",
      too_long, pool.entries.size(), *context, taker_of(engine));
}

}  // namespace tokenjoule
