#pragma once

#include <string>

#include "devices/drm_cards.hpp"
#include "model/signal.hpp"
#include "sensors/file_values.hpp"

namespace tokenjoule {

/// Id of a GPU that has no UUID: "pci:0000:c1:00.0". Sensors that read the same GPU in different
/// ways give it the same one.
std::string pci_device_id(const std::string& pci_address);

/// A file of a GPU that gives one signal.
struct GpuFile {
  std::filesystem::path file;
  Measurand measurand = Measurand::power;
  Boundary boundary = Boundary::gpu_board;
  std::string_view raw_unit;
  double to_si = 1.0;
  AbsentNumbers absent = {};
};
/// The signal as all of a sensor's signals begin; source is the file's name.
Signal gpu_signal(const GpuFile& file, const std::string& sensor, const std::string& device);
/// Adds what can be opened and reads as a number now to the values read once a second: limits,
/// temperatures, clocks. Context that is not there costs nothing.
void add_context(std::vector<SensorValue>& values, const GpuFile& file, const std::string& sensor,
                 const std::string& device);

}  // namespace tokenjoule
