#include "sensors/gpu_files.hpp"

#include <utility>

namespace tokenjoule {

std::string pci_device_id(const std::string& pci_address) { return "pci:" + pci_address; }

Signal gpu_signal(const GpuFile& file, const std::string& sensor, const std::string& device) {
  Signal signal{.sensor = sensor, .device = device, .measurand = file.measurand};
  signal.boundary = file.boundary;
  signal.source = file.file.filename().string();
  signal.raw_unit = file.raw_unit;
  signal.to_si = file.to_si;
  return signal;
}

void add_context(std::vector<SensorValue>& values, const GpuFile& file, const std::string& sensor,
                 const std::string& device) {
  auto source = file_value(file.file, file.absent);
  if (!source || !(*source)->read({})) return;
  values.push_back({gpu_signal(file, sensor, device), std::move(*source), Pace::each_second});
}

}  // namespace tokenjoule
