#include "analysis/settings.hpp"

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// "dataset": "random", or {"name": "random"}.
std::string dataset_name(const JsonView& dataset) {
  const JsonView name = dataset.is(JsonNode::Type::object) ? dataset["name"] : dataset;
  return std::string(name.string().value_or("random"));
}

std::optional<Seconds> limit_in(const JsonView& view) {
  const auto limit = view.number();
  return limit && *limit > 0 ? std::optional(Seconds(*limit)) : std::nullopt;
}

/// What an importer found; care at most, since it only read what others wrote.
std::vector<CheckFinding> imported_findings(const JsonView& findings) {
  std::vector<CheckFinding> all;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    CheckFinding finding;
    finding.code = findings[i]["code"].string().value_or("");
    const bool care = findings[i]["severity"].string() != "note";
    finding.severity = care ? Severity::care : Severity::note;
    finding.message = findings[i]["message"].string().value_or("");
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace

LoadSettings settings_of(const RunHeader& header) {
  LoadSettings settings;
  const auto document = JsonDocument::parse(header.configuration_json);
  if (!document) return settings;
  const JsonView root = document->root();
  const bool has_rate = root["request_rate_per_s"].number().value_or(0) > 0;
  settings.open_loop = root["mode"].string() == "open" || has_rate;
  settings.drives_load = settings.open_loop || root["concurrency"].present();
  const std::string dataset = dataset_name(root["dataset"]);
  const bool random = dataset == "random" || dataset == "synthetic";
  settings.random_prompts = random || root["dataset"]["made_up_prompts"].boolean().value_or(false);
  // A trace of Azure has lengths only; other data sets may share what they ask.
  settings.unique_prompts =
      (random || dataset == "azure") && root["prefix_len"].number().value_or(0) <= 0;
  const JsonView slo = root["slo"];
  settings.service_level = {limit_in(slo["ttft_s"]), limit_in(slo["tpot_s"]),
                            limit_in(slo["e2e_s"])};
  settings.harness = std::string(root["preset"].string().value_or(""));
  const JsonView unverified = root["tls_not_verified"];
  for (std::size_t i = 0; i < unverified.size(); ++i) {
    settings.unverified.emplace_back(unverified[i].string().value_or("unknown"));
  }
  settings.is_import = root["import"].present();
  settings.imported = imported_findings(root["import"]["findings"]);
  const JsonView absent = root["sensors_absent"];
  for (std::size_t i = 0; i < absent.size(); ++i) {
    const JsonView sensor = absent.member(i);
    auto& of = settings.absent_sensors[std::string(absent.key(i))];
    of.reason = sensor["reason"].string().value_or("");
    for (std::size_t j = 0; j < sensor["reads"].size(); ++j) {
      const auto boundary = boundary_named(sensor["reads"][j].string().value_or(""));
      if (boundary) of.reads.push_back(*boundary);
    }
  }
  if (const auto limit = root["expect_power_limit_w"].number()) {
    settings.expected_power_limit = Watts(*limit);
  }
  return settings;
}

}  // namespace tokenjoule
