#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/signal_choice.hpp"
#include "model/containment.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// A power that counts once, under however many names it is read. The first is the one listed
/// first.
using CountedDevice = std::vector<const Device*>;

/// The devices whose energies make up a boundary, so that no power is counted twice.
struct CountedDevices {
  std::vector<CountedDevice> counted;      ///< in the order listed
  std::vector<Excluded> not_added;         ///< parts and doubles of these, and why
  std::string ambiguous;                   ///< two that may share power: no sum; "" for none
  std::vector<std::string> missing_feeds;  ///< "n1 lacks pdu-b": read in part only
  std::vector<std::string> lone_outlets;   ///< outlets of which no node is stated
};

/// By the containment of the chosen devices that have a reading at the boundary; at a GPU boundary
/// every chosen GPU belongs to it.
CountedDevices counted_devices(const Run& run, Boundary boundary);

/// All readings of one power, under all of its names.
DeviceSources sources_of(const Run& run, const CountedDevice& device, Boundary boundary);

/// The same, told apart by the sensor that reads them.
std::map<std::string, DeviceSources> sources_by_sensor(const Run& run, const CountedDevice& device,
                                                       Boundary boundary);

/// A device at a boundary with the sensors that read it there.
Scope scope_of(const Run& run, const Device& device, Boundary boundary);

}  // namespace tokenjoule
