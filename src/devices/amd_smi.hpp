#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "devices/amd_smi_abi.hpp"
#include "io/library.hpp"

namespace tokenjoule {

/// AMD's management library, opened at run time and initialised for the life of this object. Its
/// structs differ from one major version to the next without saying so: only those whose SONAME is
/// of version 24 to 26 are used, and only where the struct with the powers is written up to its
/// last member and not behind its end. Before 26.2 it gives one GPU's values for another's where
/// two threads call it: all calls of this process wait for each other.
class AmdSmi {
 public:
  /// @param library a path or a name; "" looks for the versions known here where they usually are.
  /// Errors: `missing` where it is not there, not this library, of a version or with structs that
  /// are not known here; those of the calls that list the GPUs.
  static Result<std::unique_ptr<AmdSmi>> open(const std::string& library);
  ~AmdSmi();
  AmdSmi(const AmdSmi&) = delete;
  AmdSmi& operator=(const AmdSmi&) = delete;

  /// "libamd_smi.so.26, version 26.0.2".
  const std::string& description() const { return description_; }
  /// GPUs, with each partition of one as a processor of its own.
  Result<std::vector<amd_smi::Processor>> gpus() const;

  struct PciAddress {
    std::string gpu;        ///< "0000:c1:00.0", with function 0
    unsigned function = 0;  ///< above 0: a partition of that GPU
  };
  Result<PciAddress> pci_address(amd_smi::Processor gpu) const;
  Result<std::uint16_t> pci_device(amd_smi::Processor gpu) const;
  Result<std::string> name(amd_smi::Processor gpu) const;

  struct EnergyCount {
    std::uint64_t counts = 0;
    double resolution_uj = 0;  ///< as the library states it: 15.3
  };
  Result<EnergyCount> energy_count(amd_smi::Processor gpu) const;
  struct Power {
    std::optional<unsigned> current_w;
    std::optional<unsigned> average_w;
  };
  /// What is not available, or 0, is absent.
  Result<Power> power(amd_smi::Processor gpu) const;
  Result<amd_smi::PowerCap> power_cap(amd_smi::Processor gpu) const;
  Result<std::int64_t> temperature_c(amd_smi::Processor gpu, int sensor) const;
  Result<unsigned> clock_mhz(amd_smi::Processor gpu, int clock) const;
  Result<unsigned> utilisation_percent(amd_smi::Processor gpu) const;
  Result<std::uint64_t> memory_used_bytes(amd_smi::Processor gpu) const;

 private:
  explicit AmdSmi(SharedLibrary library) : library_(std::move(library)) {}
  template <typename... Arguments>
  Status call(const char* function, Arguments... arguments) const;
  /// A list that is asked for its length first.
  template <typename... Owner>
  Result<std::vector<void*>> list_from(const char* function, Owner... owner) const;
  Status find_version();
  Status check_structs() const;

  SharedLibrary library_;
  const amd_smi::PowerLayout* power_ = nullptr;
  std::string description_;
};

/// What one of AMD SMI's codes means: "not supported by this GPU or driver".
std::string_view amd_smi_words_for(amd_smi::Return code);
/// The error for a code other than kSuccess. Kinds: retry (busy, time-out, interrupted: the next
/// read may succeed), unavailable (no such GPU any more, not initialised), else missing.
Error amd_smi_error(amd_smi::Return code, std::string_view function);

}  // namespace tokenjoule
