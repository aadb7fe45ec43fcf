#include "analysis/plan/result_figures.hpp"

#include <fmt/format.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string kind_of_result(const JsonView& root) {
  if (root["simulated"].boolean().value_or(false)) return "simulated";
  if (root["modelled"].boolean().value_or(false)) return "modelled";
  const std::string boundary(root["boundary"]["name"].string().value_or("unknown"));
  if (boundary == "gpu_board" || boundary == "gpu_module" || boundary == "chip")
    return "measured_gpu";
  return boundary == "node_ac" ? "measured_wall" : "measured_" + boundary;
}

template <typename T>
std::optional<Given<T>> figure(const JsonView& root, const std::string& key,
                               const std::string& kind, double to_si = 1) {
  const auto value = root["figures"][key]["value"].number();
  if (!value || *value <= 0) return std::nullopt;
  return Given<T>{T(*value * to_si), kind, key + " of the result"};
}

}  // namespace

Result<PlanInputs> plan_inputs_in(std::string_view result_json, std::string_view name) {
  auto document = JsonDocument::parse(result_json);
  if (!document) return unexpected(std::move(document).error().in(quoted(name)));
  const JsonView root = document->root();
  if (root.is(JsonNode::Type::array)) {
    return failure(ErrorKind::missing, fmt::format("{} holds several results", quoted(name)),
                   "give the result.json of one point");
  }
  if (!starts_with(root["schema"].string().value_or(""), "tokenjoule.result/")) {
    return failure(ErrorKind::missing, fmt::format("{} is no result of ours", quoted(name)),
                   "give a result.json of tokenjoule measure, analyze or import");
  }
  const std::string kind = kind_of_result(root);
  PlanInputs in;
  in.from_note = fmt::format("figures of {}: {}, verdict {}", quoted(name), kind,
                             root["verdict"]["status"].string().value_or("unknown"));
  in.energy = figure<JoulesPerToken>(root, "joules_per_output_token", kind);
  in.busy_power = figure<Watts>(root, "mean_watts", kind);
  in.throughput = figure<TokensPerSecond>(root, "output_tokens_per_second", kind);
  in.query_energy = figure<Joules>(root, "watt_hours_per_query", kind, kJoulesPerWattHour);
  if (const auto idle = root["idle"]["watts"].number())
    in.idle_power = Given<Watts>{Watts(*idle), kind, "idle.watts of the result"};
  if (!in.energy && !in.busy_power) {
    const auto reason = root["figures"]["joules_per_output_token"]["reason"].string();
    return failure(ErrorKind::missing,
                   fmt::format("{} has no energy figure: {}", quoted(name),
                               quoted(reason.value_or("no reason is written there"))),
                   "give a result whose verdict is usable");
  }
  return in;
}

}  // namespace tokenjoule
