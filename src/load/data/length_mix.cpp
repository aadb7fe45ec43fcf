#include "load/data/length_mix.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// What stands behind the last `mark`, as a weight; 1 where there is no mark.
std::optional<double> weight_behind(std::string_view& item, char mark) {
  const auto at = item.rfind(mark);
  if (at == std::string_view::npos) return 1;
  const auto weight = number_in(trimmed(item.substr(at + 1)));
  item = trimmed(item.substr(0, at));
  return weight && *weight > 0 && *weight <= 1e9 ? weight : std::nullopt;
}

}  // namespace

Result<std::vector<LengthPair>> length_mix_in(std::string_view text) {
  const std::string hint = "write --mix 8192/1024:0.5,1024/8192:0.5";
  std::vector<LengthPair> mix;
  for (std::string_view item : split(text, ',')) {
    const std::string_view whole = item = trimmed(item);
    const auto weight = weight_behind(item, ':');
    const auto slash = item.find('/');
    if (!weight || slash == std::string_view::npos) {
      return failure(ErrorKind::usage,
                     fmt::format("\"{}\" is no PROMPT/ANSWER:WEIGHT", quoted(whole)), hint);
    }
    TRY(const LengthSpec input, length_spec_in(item.substr(0, slash)));
    TRY(const LengthSpec output, length_spec_in(item.substr(slash + 1)));
    mix.push_back({input, output, *weight});
  }
  return mix;
}

std::string text_of(const std::vector<LengthPair>& mix) {
  std::string text;
  for (const LengthPair& pair : mix) {
    text += fmt::format("{}{}/{}:{:g}", text.empty() ? "" : ",", pair.input.text(),
                        pair.output.text(), pair.weight);
  }
  return text;
}

Result<std::vector<ModelShare>> model_shares_in(std::string_view text) {
  std::vector<ModelShare> shares;
  for (std::string_view item : split(text, ',')) {
    const std::string_view whole = item = trimmed(item);
    const auto weight = weight_behind(item, '=');
    if (!weight || item.empty()) {
      return failure(ErrorKind::usage, fmt::format("\"{}\" is no NAME=WEIGHT", quoted(whole)),
                     "write --lora adapter-a=3,adapter-b=1");
    }
    for (const ModelShare& earlier : shares) {
      if (earlier.name != item) continue;
      return failure(ErrorKind::usage, fmt::format("{} is named twice", quoted(item)),
                     "name each model once, with its whole weight");
    }
    shares.push_back({std::string(item), *weight});
  }
  return shares;
}

}  // namespace tokenjoule
