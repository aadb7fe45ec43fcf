#include "sensors/redfish/redfish_meters.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"
#include "sensors/redfish/redfish_chassis.hpp"

namespace tokenjoule {
namespace {

std::optional<double> number_of(const JsonView& view) {
  if (const auto number = view.number()) return number;
  const auto text = view.string();
  return text ? number_in(trimmed(*text)) : std::nullopt;
}

Signal power_signal(const std::string& device, Boundary boundary, const std::string& source) {
  return {.sensor = "redfish",
          .device = device,
          .measurand = Measurand::power,
          .kind = SignalKind::gauge,
          .boundary = boundary,
          .source = source,
          .raw_unit = "W"};
}

Signal energy_signal(const std::string& device, Boundary boundary, const std::string& source) {
  const bool joules = ends_with(source, "EnergyJoules/Reading");
  return {.sensor = "redfish",
          .device = device,
          .measurand = Measurand::energy,
          .kind = SignalKind::counter,
          .boundary = boundary,
          .source = source,
          .raw_unit = joules ? "J" : "kWh",
          .to_si = joules ? 1.0 : 1000 * kJoulesPerWattHour};
}

/// A number above zero, which a node that is measured has.
bool has_value(const JsonView& page, std::string_view pointer) {
  const auto value = number_of(redfish_at(page, pointer));
  return value && *value > 0;
}

class NodeFinder {
 public:
  NodeFinder(const RedfishPages& pages, const RedfishWish& wish, const RedfishChassis& chassis)
      : pages_(pages), wish_(wish), chassis_(chassis), id_(device_id()) {}

  Result<RedfishNode> node() {
    if (wish_.source != RedfishWish::Source::supplies) TRY_DO(add_totals());
    if (node_.meters.empty() && wish_.source != RedfishWish::Source::chassis) {
      TRY_DO(add_supplies());
    }
    if (!node_.meters.empty()) return std::move(node_);
    return failure(ErrorKind::missing,
                   fmt::format("the chassis {} tells no power and no energy", chassis_.id),
                   "choose another one with chassis=ID, or read its supply: a PDU, or ipmi");
  }

 private:
  std::string device_id() const {
    if (!wish_.device.empty()) return wish_.device;
    if (!chassis_.identity.empty()) return "redfish:" + chassis_.identity;
    return fmt::format("redfish:{}/{}", wish_.host, chassis_.id);
  }

  Boundary boundary(Boundary usual) const { return wish_.boundary.value_or(usual); }

  void add_device(const std::string& id, const std::string& label) {
    node_.devices.push_back(
        {.id = id, .name = chassis_.model, .kind = DeviceKind::node, .label = label});
  }

  /// Totals of the chassis. The newer page first: it may count energy as well.
  Status add_totals() {
    const Boundary covers = boundary(Boundary::node_ac);
    bool has_power = false;
    if (!chassis_.environment.empty()) {
      TRY(const JsonDocument page, pages_(chassis_.environment));
      has_power = add_environment(page.root(), covers);
    }
    if (!has_power && !chassis_.power.empty()) {
      TRY(const JsonDocument page, pages_(chassis_.power));
      add_power_control(page.root(), covers);
    }
    if (!node_.meters.empty()) add_device(id_, chassis_.id);
    return {};
  }

  bool add_environment(const JsonView& page, Boundary covers) {
    for (const char* pointer : {"EnergyJoules/Reading", "EnergykWh/Reading"}) {
      if (!has_value(page, pointer)) continue;
      node_.meters.push_back({.page = chassis_.environment,
                              .pointer = pointer,
                              .signal = energy_signal(id_, covers, pointer)});
      break;  // the same counter once more, in coarser steps
    }
    constexpr char kPower[] = "PowerWatts/Reading";
    if (!has_value(page, kPower)) return false;
    node_.meters.push_back({.page = chassis_.environment,
                            .pointer = kPower,
                            .signal = power_signal(id_, covers, kPower)});
    return true;
  }

  /// The first entry is the whole chassis; further ones are parts of it.
  void add_power_control(const JsonView& page, Boundary covers) {
    const std::string entry = "PowerControl/0/";
    const std::string now = entry + "PowerConsumedWatts";
    const std::string mean = entry + "PowerMetrics/AverageConsumedWatts";
    const std::string interval = entry + "PowerMetrics/IntervalInMin";
    if (has_value(page, now)) {
      node_.meters.push_back(
          {.page = chassis_.power, .pointer = now, .signal = power_signal(id_, covers, now)});
    } else if (has_value(page, mean) && has_value(page, interval)) {
      RedfishMeter meter{.page = chassis_.power,
                         .pointer = mean,
                         .conditions = {{interval, redfish_at(page, interval).text()}},
                         .signal = power_signal(id_, covers, mean)};
      meter.signal.averaging = Seconds(60 * *number_of(redfish_at(page, interval)));
      node_.meters.push_back(std::move(meter));
    }
  }

  Status add_supplies() {
    TRY(std::vector<RedfishSupply> supplies, redfish_supplies(pages_, chassis_));
    const auto reads = [](const char* what) {
      return [what](const RedfishSupply& supply) { return supply.has.count(what) != 0; };
    };
    const bool input = std::any_of(supplies.begin(), supplies.end(), reads("input"));
    const bool output = std::any_of(supplies.begin(), supplies.end(), reads("output"));
    if (!input && !output) return {};
    const Boundary covers = boundary(input ? Boundary::node_ac : Boundary::node_dc);
    for (RedfishSupply& supply : supplies) add_supply(supply, input, covers);
    return {};
  }

  /// One that gives no value now stands there all the same: without it the node is not whole.
  void add_supply(RedfishSupply& supply, bool input, Boundary covers) {
    const std::string device = id_ + "/" + supply.id;
    add_device(device, supply.id);
    const std::string power = input ? supply.input_pointer : supply.output_pointer;
    node_.meters.push_back({.page = supply.page,
                            .pointer = power,
                            .conditions = supply.conditions,
                            .of_whole_node = false,
                            .signal = power_signal(device, covers, power)});
    if (!input || supply.has.count("energy") == 0) return;
    node_.meters.push_back({.page = supply.page,
                            .pointer = supply.energy_pointer,
                            .conditions = supply.conditions,
                            .of_whole_node = false,
                            .signal = energy_signal(device, covers, supply.energy_pointer)});
  }

  const RedfishPages& pages_;
  const RedfishWish& wish_;
  const RedfishChassis& chassis_;
  std::string id_;
  RedfishNode node_;
};

}  // namespace

std::optional<double> redfish_value(const JsonView& page, const RedfishMeter& meter) {
  for (const auto& [pointer, expected] : meter.conditions) {
    if (redfish_at(page, pointer).text() != expected) return std::nullopt;
  }
  const auto value = number_of(redfish_at(page, meter.pointer));
  if (!value || *value < 0) return std::nullopt;
  const bool is_power = meter.signal.measurand == Measurand::power;
  if (is_power && meter.of_whole_node && *value == 0) return std::nullopt;
  return value;
}

Result<RedfishNode> redfish_node(const RedfishPages& pages, const RedfishWish& wish) {
  TRY(const RedfishChassis chassis, redfish_chassis(pages, wish.chassis));
  return NodeFinder(pages, wish, chassis).node();
}

}  // namespace tokenjoule
