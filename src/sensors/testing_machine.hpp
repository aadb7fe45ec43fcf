#pragma once

#include "io/testing_tree.hpp"
#include "sensors/amd/testing_metrics.hpp"
#include "sensors/perf/scripted_perf.hpp"

namespace tokenjoule {

/// A tree of files in which every sensor that reads files finds what it measures.
inline void write_machine(const TestTree& tree) {
  tree.write("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  tree.write("sys/class/powercap/intel-rapl:0/energy_uj", "5\n");
  tree.write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  write_amd_card(tree, "card0", "0000:c1:00.0", "0x74a1");
  tree.write("sys/class/drm/card0/device/hwmon/hwmon2/power1_input", "60000000\n");
  tree.write("sys/class/drm/card0/device/hwmon/hwmon2/power1_cap", "750000000\n");
  const std::string intel = "sys/class/drm/card1/device/";
  tree.write(intel + "uevent", "PCI_SLOT_NAME=0000:03:00.0\n");
  tree.write(intel + "vendor", "0x8086\n");
  tree.write(intel + "hwmon/hwmon4/name", "i915\n");
  tree.write(intel + "hwmon/hwmon4/energy1_input", "5000000\n");
  const std::string jetson = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon5/";
  tree.write(jetson + "in1_label", "VDD_IN\n");
  tree.write(jetson + "in1_input", "5000\n");
  tree.write(jetson + "curr1_input", "3000\n");
  tree.write("sys/class/hwmon/hwmon6/device/power1_oem_info", "Grace Power Socket 0\n");
  tree.write("sys/class/hwmon/hwmon6/device/power1_average", "150000000\n");
  write_perf_unit(tree, "0");
  write_perf_event(tree, "energy-pkg", "event=0x02");
}

}  // namespace tokenjoule
