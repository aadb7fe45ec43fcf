#include "model/engine_settings.hpp"

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

std::optional<double> engine_number(const EngineInfo& engine, const std::string& key) {
  const auto at = engine.configuration.find(key);
  if (at == engine.configuration.end()) return std::nullopt;
  const auto document = JsonDocument::parse(at->second.json);
  return document ? document->root().number() : std::nullopt;
}

bool engine_has(const EngineInfo& engine, const std::string& key) {
  const auto at = engine.configuration.find(key);
  if (at == engine.configuration.end()) return false;
  const auto document = JsonDocument::parse(at->second.json);
  if (!document || !document->root().present()) return false;
  const JsonView value = document->root();
  if (const auto boolean = value.boolean()) return *boolean;
  if (const auto number = value.number()) return *number > 0;
  if (const auto text = value.string()) {
    const std::string word = lower_case(*text);
    return !word.empty() && word != "false" && word != "none" && word != "0";
  }
  return true;
}

}  // namespace tokenjoule
