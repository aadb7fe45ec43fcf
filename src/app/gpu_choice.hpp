#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// What is known about which GPUs the engine computes on.
struct GpuQuestion {
  std::vector<std::string> named;      ///< --gpus: labels ("0"), UUIDs or their beginnings
  bool all = false;                    ///< --all-gpus
  bool sensor_named = false;           ///< the user named the sensor that lists them
  bool engine_is_local = false;        ///< the URL is on this machine
  std::vector<std::string> of_engine;  ///< UUIDs on which the engine's processes compute, if seen
  std::string of_engine_how;           ///< how that was seen; or why it was not
  std::vector<std::string> of_others;  ///< UUIDs where others compute, the engine unseen
};

/// Sets `chosen` and `chosen_by` of every device. GPUs: those named, all, those that the engine's
/// processes were seen on, or the only one there is where the user named its sensor or the engine
/// runs on this machine, unless the driver shows others computing there and not the engine, or
/// lists GPUs that could not be opened. Nothing is guessed: where it cannot be told, an error lists
/// the GPUs and the ways out. Other devices are always chosen: they are there since the user asked
/// for them.
Status choose_gpus(std::vector<Device>& devices, const GpuQuestion& question);

}  // namespace tokenjoule
