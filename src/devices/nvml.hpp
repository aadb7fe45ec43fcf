#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "devices/nvml_abi.hpp"
#include "devices/nvml_processes.hpp"
#include "io/library.hpp"

namespace tokenjoule {

/// NVIDIA's management library, opened at run time and initialised for the life of this object.
/// Keeping it open keeps the driver's counters: without persistence mode they start again at 0 when
/// the last client closes. One call takes 0.02 to 5 ms, more while the driver is busy. A function
/// that the library lacks is an error `missing` of that call alone. Errors: see nvml_error.hpp.
class Nvml {
 public:
  /// @param library a path or a name; "" looks for libnvidia-ml.so.1 where it usually is.
  static Result<std::unique_ptr<Nvml>> open(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  Result<std::string> driver_version() const;
  Result<std::string> library_version() const;
  /// Whole GPUs, also those that we may not open; MIG instances are not among them.
  Result<unsigned> device_count() const;
  Result<nvml::Device> device(unsigned index) const;

  Result<std::string> uuid(nvml::Device device) const;
  Result<std::string> name(nvml::Device device) const;
  Result<nvml::PciInfo> pci_info(nvml::Device device) const;
  Result<unsigned> architecture(nvml::Device device) const;
  Result<bool> persistence_mode(nvml::Device device) const;
  Result<bool> mig_mode(nvml::Device device) const;
  Result<int> virtualization_mode(nvml::Device device) const;

  /// Fills in all values by one call; each has its own result.
  Status field_values(nvml::Device device, std::span<nvml::FieldValue> values) const;
  Result<std::uint64_t> total_energy_mj(nvml::Device device) const;
  Result<unsigned> power_usage_mw(nvml::Device device) const;
  Result<unsigned> enforced_limit_mw(nvml::Device device) const;
  Result<unsigned> default_limit_mw(nvml::Device device) const;
  Result<unsigned> requested_limit_mw(nvml::Device device) const;
  struct LimitRange {
    unsigned min_mw = 0;
    unsigned max_mw = 0;
  };
  Result<LimitRange> limit_range(nvml::Device device) const;
  Result<unsigned> temperature_c(nvml::Device device) const;
  Result<unsigned> clock_mhz(nvml::Device device, nvml::Clock clock) const;
  /// Percent of the last sample period (0.17 to 1 s) in which a kernel ran.
  Result<unsigned> utilisation_percent(nvml::Device device) const;
  Result<std::uint64_t> memory_used_bytes(nvml::Device device) const;

  /// Compute processes on the GPU, with those on its MIG instances and those of an MPS server.
  Result<std::vector<NvmlProcess>> compute_processes(nvml::Device device) const;

 private:
  explicit Nvml(SharedLibrary library) : library_(std::move(library)) {}
  template <typename... Arguments>
  Status call(const char* function, Arguments... arguments) const;
  Result<unsigned> number_from(const char* function, nvml::Device device) const;
  Result<std::string> text_from(const char* function, nvml::Device device) const;
  Result<std::string> system_text_from(const char* function) const;
  Result<std::vector<NvmlProcess>> processes_from(const char* function, nvml::Device device) const;
  Result<std::vector<NvmlProcess>> processes_of_handle(nvml::Device device) const;
  std::vector<nvml::Device> mig_devices(nvml::Device device) const;

  SharedLibrary library_;
};

}  // namespace tokenjoule
