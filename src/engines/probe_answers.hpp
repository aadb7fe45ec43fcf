#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_view.hpp"
#include "engines/dialect.hpp"

namespace tokenjoule {

// How dialects read the answers to the probes.

/// The JSON that a page answered with status 200; nullopt for anything else.
std::optional<JsonDocument> json_at(const ProbeAnswers& answers, const std::string& path);
/// The metrics page, if there is a readable one.
std::optional<PrometheusPage> metrics_page_of(const ProbeAnswers& answers);
/// Whether the metrics page has a family whose name begins so.
bool has_family_beginning(const ProbeAnswers& answers, std::string_view prefix);
/// "owned_by" of the first model of /v1/models; "" if it does not say.
std::string owner_of_models(const ProbeAnswers& answers);
/// "sim-8b" of "/models/llm/sim-8b": a path on the server says nothing to others.
std::string last_part_of_path(std::string_view path);

/// Adds a value that the server reported; an absent one is not added.
void add_reported(EngineInfo& info, const std::string& name, const JsonView& value);
/// The same from text: "True", "None" and numbers become JSON, the rest a string.
void add_reported_text(EngineInfo& info, const std::string& name, std::string_view text);
/// Kind, model, all models, and the context length where /v1/models has it.
EngineInfo info_from_models(std::string_view kind, const ProbeAnswers& answers);

}  // namespace tokenjoule
