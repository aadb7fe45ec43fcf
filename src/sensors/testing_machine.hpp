#pragma once

#include "io/testing_tree.hpp"
#include "sensors/perf/scripted_perf.hpp"

namespace tokenjoule {

/// A tree of files in which every sensor that reads files finds what it measures.
inline void write_machine(const TestTree& tree) {
  tree.write("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  tree.write("sys/class/powercap/intel-rapl:0/energy_uj", "5\n");
  tree.write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  write_perf_unit(tree, "0");
  write_perf_event(tree, "energy-pkg", "event=0x02");
}

}  // namespace tokenjoule
