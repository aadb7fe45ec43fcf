#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.hpp"
#include "model/signal.hpp"
#include "sensors/nvml/nvml_values.hpp"

namespace tokenjoule {

/// What decides how a GPU's values are to be read.
struct NvmlGpu {
  std::string uuid;
  std::string name;
  std::optional<unsigned> architecture;  ///< nvml::Architecture
  std::string driver;                    ///< version
};

/// A signal with the values it is made of.
struct NvmlSignal {
  Signal signal;                ///< its id is set by the sensor
  std::vector<NvmlKey> keys;    ///< added up; where one is missing there is no reading
  bool zero_is_absent = false;  ///< a GPU that answers draws power: 0 mW is "not supported"
};

/// What can be read of a GPU, from what it answered when asked for everything.
struct NvmlSignals {
  std::vector<NvmlSignal> fast;  ///< energy and power: read at every poll
  std::vector<NvmlSignal> slow;  ///< limits, clocks, temperature, …: read once a second
  std::string left_out;          ///< why a counter that is there is not read; "" if none
};

/// Energy: field 83, else the function of that name. Power: average and instant, by field where the
/// driver has them, else nvmlDeviceGetPowerUsage. On a superchip (by its name, or it has power of
/// the module's scope) the module is read beside the GPU; which of them its counter covers is told
/// by field 191, or known (GH200: the module); where it is not, the counter is left out, since a
/// counter of the wrong boundary is a wrong figure.
NvmlSignals signals_of(const NvmlGpu& gpu, const NvmlValues& probed);

/// Readings of the signals for which all values are there.
std::vector<Reading> readings_of(const std::vector<NvmlSignal>& signals, const NvmlValues& values);

/// "Hopper"; "" for one not known here.
std::string_view nvml_architecture_name(unsigned architecture);

/// Whether nvmlDeviceGetPowerUsage is the mean over the last second: on Ampere and later, but not
/// on the GA100 chip (A100, A800, A30). nullopt where the architecture is not known.
std::optional<bool> power_usage_is_average(const NvmlGpu& gpu);

}  // namespace tokenjoule
