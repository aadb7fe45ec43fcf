#include "engines/probe_answers.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string json_text(std::string_view text) {
  using Json = nlohmann::ordered_json;
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::optional<JsonDocument> json_at(const ProbeAnswers& answers, const std::string& path) {
  const auto at = answers.find(path);
  if (at == answers.end() || at->second.status != 200) return std::nullopt;
  auto document = JsonDocument::parse(at->second.body);
  if (!document) return std::nullopt;
  return std::move(*document);
}

std::optional<PrometheusPage> metrics_page_of(const ProbeAnswers& answers,
                                              const std::string& path) {
  const auto at = answers.find(path);
  if (at == answers.end() || at->second.status != 200) return std::nullopt;
  auto page = prometheus_page(at->second.body, at->second.content_type);
  if (!page) return std::nullopt;
  return std::move(*page);
}

bool has_family_beginning(const ProbeAnswers& answers, std::string_view prefix,
                          const std::string& path) {
  const auto page = metrics_page_of(answers, path);
  return page && std::any_of(page->families.begin(), page->families.end(),
                             [&](const auto& family) { return starts_with(family.name, prefix); });
}

std::string owner_of_models(const ProbeAnswers& answers) {
  const auto document = json_at(answers, "/v1/models");
  if (!document) return "";
  return std::string(document->root()["data"][0]["owned_by"].string().value_or(""));
}

std::vector<std::string> model_names(const ProbeAnswers& answers) {
  std::vector<std::string> names;
  const auto document = json_at(answers, "/v1/models");
  if (!document) return names;
  const JsonView models = document->root()["data"];
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (const auto name = models[i]["id"].string()) names.emplace_back(*name);
  }
  return names;
}

std::string last_part_of_path(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return std::string(path.substr(path.find_last_of("/\\") + 1));
}

void add_reported(EngineInfo& info, const std::string& name, const JsonView& value) {
  if (value.present()) info.configuration[name] = {value.text(), "reported"};
}

void add_reported_text(EngineInfo& info, const std::string& name, std::string_view text) {
  if (text.empty() || text == "None") return;
  std::string json;
  if (text == "True" || text == "False") {
    json = lower_case(text);
  } else if (const auto document = JsonDocument::parse(text);
             document && document->root().is(JsonNode::Type::number)) {
    json = text;
  } else {
    json = json_text(text);
  }
  info.configuration[name] = {std::move(json), "reported"};
}

void add_labels(EngineInfo& info, const PrometheusPage& page, std::string_view family,
                const std::vector<SettingName>& settings) {
  const auto samples = page.samples_named(family);
  for (const SettingName& setting : settings) {
    std::set<std::string_view> values;
    for (const auto* sample : samples) values.insert(sample->label(setting.theirs).value_or(""));
    if (values.size() == 1) add_reported_text(info, setting.ours, *values.begin());
  }
}

void add_members(EngineInfo& info, const JsonView& object,
                 const std::vector<SettingName>& settings) {
  for (const SettingName& setting : settings) {
    add_reported(info, setting.ours, object[setting.theirs]);
  }
}

EngineInfo info_from_models(std::string_view kind, const ProbeAnswers& answers) {
  EngineInfo info;
  info.kind = kind;
  const std::vector<std::string> names = model_names(answers);
  if (names.empty()) return info;
  info.model = names.front();
  info.configuration["served_models"] = {nlohmann::ordered_json(names).dump(), "reported"};
  const auto document = json_at(answers, "/v1/models");
  const JsonView first = document->root()["data"][0];
  add_reported(info, "max_model_len", first["max_model_len"]);
  if (const auto root = first["root"].string()) {
    // A name of a public hub ("org/model") is kept, a folder of the server's disk is not.
    const bool on_disk =
        starts_with(*root, "/") || starts_with(*root, ".") || starts_with(*root, "~");
    add_reported_text(info, "model_root", on_disk ? last_part_of_path(*root) : std::string(*root));
  }
  return info;
}

}  // namespace tokenjoule
