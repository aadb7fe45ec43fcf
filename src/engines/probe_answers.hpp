#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_view.hpp"
#include "engines/dialect.hpp"

namespace tokenjoule {

// How dialects read the answers to the probes.

/// The JSON that a page answered with status 200; nullopt for anything else.
std::optional<JsonDocument> json_at(const ProbeAnswers& answers, const std::string& path);
/// The metrics page, if there is a readable one.
std::optional<PrometheusPage> metrics_page_of(const ProbeAnswers& answers,
                                              const std::string& path = "/metrics");
/// Whether the metrics page has a family whose name begins so.
bool has_family_beginning(const ProbeAnswers& answers, std::string_view prefix,
                          const std::string& path = "/metrics");
/// "owned_by" of the first model of /v1/models; "" if it does not say.
std::string owner_of_models(const ProbeAnswers& answers);
/// "sim-8b" of "/models/llm/sim-8b": a path on the server says nothing to others.
std::string last_part_of_path(std::string_view path);

/// Adds a value that the server reported; an absent one is not added.
void add_reported(EngineInfo& info, const std::string& name, const JsonView& value);
/// The same from text: "True", "None" and numbers become JSON, the rest a string.
void add_reported_text(EngineInfo& info, const std::string& name, std::string_view text);
/// A member or label of the engine's, and the name of that setting here.
struct SettingName {
  const char* theirs;
  const char* ours;
};
/// Adds the settings that a gauge has as labels. Where its series differ in one (the engines of a
/// data-parallel group), there is no one value to report.
void add_labels(EngineInfo& info, const PrometheusPage& page, std::string_view family,
                const std::vector<SettingName>& settings);
/// The same of a JSON object's members.
void add_members(EngineInfo& info, const JsonView& object,
                 const std::vector<SettingName>& settings);
/// Kind, model, all models, and the context length where /v1/models has it.
EngineInfo info_from_models(std::string_view kind, const ProbeAnswers& answers);

}  // namespace tokenjoule
