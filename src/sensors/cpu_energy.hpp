#pragma once

#include <compare>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/cpu_topology.hpp"
#include "sensors/value_sensor.hpp"

namespace tokenjoule {

/// What the CPU's energy counters cover. Package holds core and the chip's other parts, but not the
/// memory; psys holds the packages.
enum class CpuPartKind { package, core, dram, psys };

/// One counter's worth of CPU. Sensors that read the same part give it the same device and
/// boundary, so that it counts once.
struct CpuPart {
  CpuPartKind kind = CpuPartKind::package;
  int package = 0;
  std::optional<int> die;  ///< only where the package has several of them
  friend auto operator<=>(const CpuPart&, const CpuPart&) = default;
};
/// "package-0", "package-0-die-1".
std::string package_name(const CpuPart& part);
/// "cpu:package-0", "memory:package-0", "node:psys".
std::string device_id_of(const CpuPart& part);

/// A part together with where it is read.
struct CpuCounter {
  CpuPart part;
  Signal signal;  ///< what the sensor knows of it: source, unit, modulus
  Result<std::unique_ptr<ValueSource>> source;
};

/// What a sensor of CPU energy found.
struct CpuCounters {
  std::string sensor;
  std::vector<CpuCounter> counters;
  std::vector<std::string> left_out;  ///< what is there and not read, each with its reason
  std::vector<CpuPlace> places;       ///< the machine's sockets, as the kernel tells; may be empty
  CpuModel model;
  std::string driver;
};

/// Takes the die off parts whose package has one only, so that all sensors name it alike.
void name_dies_only_where_several(std::vector<CpuPart*> parts);

/// The most that a part can draw, to tell a wrap of its counter from a reset.
Watts most_of(CpuPartKind kind);

/// Opens a sensor. Each counter is read once, and again after 20 ms where it shows 0: one that
/// stands at 0 belongs to a virtual machine and measures nothing. Of a kind that can be read for
/// one package, every other package's signal stands in the record too, readable or not: a sum never
/// lacks a socket without saying so. An error where nothing can be read: that of the first counter.
Result<std::unique_ptr<Sensor>> cpu_energy_sensor(CpuCounters found, const std::string& group,
                                                  Clock& clock);

/// Why a machine has no CPU energy counters at all, and what to do, from what its CPU says.
Error no_cpu_counters(std::string message, const CpuModel& model, std::string_view otherwise);

}  // namespace tokenjoule
