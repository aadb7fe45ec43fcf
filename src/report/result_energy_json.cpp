#include <nlohmann/json.hpp>

#include "report/json_values.hpp"
#include "report/result_parts.hpp"

namespace tokenjoule {

extern template nlohmann::ordered_json components_json(const std::vector<BoundItem>& items);

namespace {

using Json = nlohmann::ordered_json;
using Values = JsonValues<Json>;

Json limits_json(const PowerLimits& limits) {
  return {{"requested", Values::of(limits.requested)},
          {"enforced", Values::of(limits.enforced)},
          {"default", Values::of(limits.by_default)},
          {"min", Values::of(limits.lowest)},
          {"max", Values::of(limits.highest)}};
}

Json device_json(const DeviceEnergy& device) {
  return {{"id", device.id},
          {"name", Values::of(device.name)},
          {"label", Values::of(device.label)},
          {"group", Values::of(device.group)},
          {"instrument", Values::of(device.instrument)},
          {"method", Values::of(device.method)},
          {"simulated", device.simulated},
          {"joules", Values::of(device.joules)},
          {"counter_joules", Values::of(device.counter_joules)},
          {"integrated_joules", Values::of(device.integrated_joules)},
          {"edge_bound_joules", Values::of(device.edge_bound)},
          {"gain_bound_joules", Values::of(device.gain_bound)},
          {"mean_watts", Values::of(device.mean_power)},
          {"idle_watts", Values::of(device.idle_power)},
          {"active_joules", Values::of(device.active_joules)},
          {"step_s", Values::of(device.step)},
          {"max_gap_s", Values::of(device.max_gap)},
          {"power_limit_enforced_watts", Values::of(device.limits_after.enforced)},
          {"power_limit_default_watts", Values::of(device.limits_after.by_default)},
          {"power_limits_before_watts", limits_json(device.limits_before)},
          {"power_limits_after_watts", limits_json(device.limits_after)},
          {"share_of_limit", Values::of(device.share_of_limit)},
          {"throttled_s", Values::of(device.throttled)},
          {"temperature_mean_c", Values::of(device.temperature_mean_c)},
          {"sm_clock_mean_mhz", Values::of(device.sm_clock_mean_mhz)},
          {"memory_clock_mean_mhz", Values::of(device.memory_clock_mean_mhz)},
          {"utilisation_mean", Values::of(device.utilisation_mean)},
          {"memory_used_mean_bytes", Values::of(device.memory_used_mean_bytes)}};
}

Json devices_json(const std::vector<DeviceEnergy>& devices) {
  Json list = Json::array();
  for (const DeviceEnergy& device : devices) list.push_back(device_json(device));
  return list;
}

Json energy_json(const BoundaryEnergy& energy) {
  Json json = {{"boundary", name_of(energy.boundary)},
               {"method", Values::of(energy.method)},
               {"joules", Values::of(energy.joules)}};
  if (!energy.joules) Values::put_reason(json, energy.reason);
  json["systematic_bound_joules"] = Values::of(energy.systematic_bound);
  json["components"] = components_json<Json>(energy.components);
  json["active_joules"] = Values::of(energy.active_joules);
  json["idle_joules"] = Values::of(energy.idle_joules);
  json["groups"] = Json::object();
  for (const auto& [group, joules] : energy.groups) json["groups"][group] = Values::of(joules);
  json["devices"] = devices_json(energy.devices);
  if (energy.not_added.empty()) return json;
  json["not_added"] = Json::array();
  for (const Excluded& item : energy.not_added) {
    json["not_added"].push_back({{"what", item.what}, {"reason", item.reason}});
  }
  return json;
}

Json idle_json(const IdleReport& idle) {
  Json json = {{"state", idle.state},
               {"duration_s", Values::of(idle.duration)},
               {"watts", Values::of(idle.watts)}};
  if (!idle.watts) Values::put_reason(json, idle.reason);
  return json;
}

Json calibration_json(const std::optional<Calibration>& calibration) {
  if (!calibration) return nullptr;
  return {{"gain", Values::of(calibration->gain)},
          {"half_width_relative", Values::of(calibration->half_width)},
          {"certificate", Values::of(calibration->certificate)},
          {"date", Values::of(calibration->date)}};
}

Json instrument_json(const Instrument& instrument) {
  return {{"id", instrument.id},
          {"kind", Values::of(instrument.kind)},
          {"model", Values::of(instrument.model)},
          {"driver", Values::of(instrument.driver)},
          {"quantity", Values::of(instrument.quantity)},
          {"field", Values::of(instrument.source)},
          {"step_s", Values::of(instrument.step)},
          {"averaging_s", Values::of(instrument.averaging)},
          {"accuracy",
           {{"half_width_relative", Values::of(instrument.accuracy.half_width_relative)},
            {"distribution", Values::of(instrument.accuracy.distribution)},
            {"basis", Values::of(instrument.accuracy.basis)},
            {"source", Values::of(instrument.accuracy.source)}}},
          {"calibration", calibration_json(instrument.calibration)}};
}

}  // namespace

template <typename J>
void put_energy(J& json, const Report& report) {
  json["energy"] = Json::array();
  for (const BoundaryEnergy& energy : report.energy) json["energy"].push_back(energy_json(energy));
  json["other_gpus"] = devices_json(report.other_gpus);
  json["idle"] = idle_json(report.idle);
  json["instruments"] = Json::array();
  for (const Instrument& item : report.instruments) {
    json["instruments"].push_back(instrument_json(item));
  }
  json["factors"] = {{{"name", "pue"},
                      {"value", nullptr},
                      {"reason", "not stated"},
                      {"unit", "1"},
                      {"year", nullptr},
                      {"source", nullptr}}};
}

template void put_energy(Json& json, const Report& report);

}  // namespace tokenjoule
