#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sensors/redfish/redfish_meters.hpp"

namespace tokenjoule {

/// The value at "PowerControl/0/PowerConsumedWatts": names of members and numbers of items.
JsonView redfish_at(const JsonView& page, std::string_view pointer);

struct RedfishChassis {
  std::string id;
  std::string identity;     ///< UUID or serial number, "" if it tells none
  std::string model;        ///< maker and model, "" if it tells none
  std::string environment;  ///< paths of its pages, "" for one that it has not
  std::string power;
  std::string supplies;  ///< of the collection in its PowerSubsystem
  bool has_supplies = false;
};

/// The chassis of that id, or the one of all that is the node (see redfish_node).
Result<RedfishChassis> redfish_chassis(const RedfishPages& pages, const std::string& id);

struct RedfishSupply {
  std::string id;
  std::string page;  ///< where its values stand
  std::string input_pointer;
  std::string output_pointer;
  std::string energy_pointer;
  std::vector<std::pair<std::string, std::string>> conditions;  ///< see RedfishMeter
  std::set<std::string> has;  ///< which of "input", "output" and "energy" it gives now
};

/// The power supplies of a chassis, each once, without those that are not plugged in.
Result<std::vector<RedfishSupply>> redfish_supplies(const RedfishPages& pages,
                                                    const RedfishChassis& chassis);

}  // namespace tokenjoule
