#pragma once

#include <string>
#include <vector>

#include "devices/nvml.hpp"
#include "model/signal.hpp"
#include "sensors/nvml/nvml_signals.hpp"

namespace tokenjoule {

/// A GPU that may be opened, with what it offers.
struct OpenedGpu {
  nvml::Device handle = nullptr;
  Device device;
  NvmlSignals signals;
  std::string no_power;  ///< why it gives neither energy nor power; "" if it does
};

/// All GPUs of the machine, each once. MIG instances are not GPUs: their whole GPU is there.
struct OpenedGpus {
  std::vector<OpenedGpu> gpus;
  unsigned listed = 0;     ///< GPUs that the driver counts
  std::string not_opened;  ///< why the others could not be opened; "" if all were
};

/// Asks each GPU what it is and what it offers. Errors: none is there, none may be opened, none
/// gives energy or power; each with the reason.
Result<OpenedGpus> open_nvml_gpus(const Nvml& nvml);

/// Whether the UUID is one that only simulated GPUs have.
bool is_simulated_gpu(std::string_view uuid);

/// NVML's "00000000:3B:00.0" as the kernel writes it: "0000:3b:00.0". Other text as it is.
std::string pci_address_in(std::string_view bus_id);

}  // namespace tokenjoule
