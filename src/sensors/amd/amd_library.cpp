#include "sensors/amd/amd_library.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "devices/sysfs.hpp"
#include "model/containment.hpp"
#include "sensors/amd/gpu_metrics.hpp"
#include "sensors/gpu_files.hpp"

namespace tokenjoule {

namespace {

using amd_smi::PowerCap;
using amd_smi::Processor;
using Smi = std::shared_ptr<const AmdSmi>;
using Read = std::function<Result<double>(const AmdSmi&, Processor)>;

class LibraryValue final : public ValueSource {
 public:
  LibraryValue(Smi smi, Processor gpu, Read read)
      : smi_(std::move(smi)), gpu_(gpu), read_(std::move(read)) {}
  Result<double> read(MonoTime) override { return read_(*smi_, gpu_); }

 private:
  Smi smi_;
  Processor gpu_;
  Read read_;
};

/// One GPU while it is being looked at.
struct Gpu {
  Processor handle = nullptr;
  std::string address;
  std::uint16_t pci_device = 0;
  int partitions = 1;
  std::vector<SensorValue> powers;
  std::optional<AmdSmi::EnergyCount> first;
  MonoTime first_at;
  std::string why_no_energy;

  std::string id() const { return pci_device_id(address); }
  Boundary boundary() const {
    return holds_a_cpu(pci_device) ? Boundary::gpu_module : Boundary::gpu_board;
  }
  Signal signal(Measurand measurand, std::string source, std::string unit, double to_si) const {
    Signal signal{.sensor = "amd", .device = id(), .measurand = measurand};
    signal.boundary = boundary();
    signal.source = std::move(source);
    signal.raw_unit = std::move(unit);
    signal.to_si = to_si;
    return signal;
  }
};

template <typename Number>
Result<double> as_number(Result<Number> result) {
  return result.map([](Number number) { return static_cast<double>(number); });
}

template <typename Number>
Result<double> present(std::optional<Number> value, const char* what) {
  if (value && *value != 0) return static_cast<double>(*value);
  return failure(ErrorKind::retry, fmt::format("{}: not available", what));
}

/// A signal that reads now; nothing where it does not.
void add_if_there(std::vector<SensorValue>& values, const Smi& smi, const Gpu& gpu, Signal signal,
                  Read read, Pace pace) {
  auto source = std::make_unique<LibraryValue>(smi, gpu.handle, std::move(read));
  if (source->read({})) values.push_back({std::move(signal), std::move(source), pace});
}

void open_powers(const Smi& smi, Gpu& gpu) {
  const auto add = [&](const char* name, std::optional<unsigned> AmdSmi::Power::*member) {
    add_if_there(
        gpu.powers, smi, gpu,
        gpu.signal(Measurand::power, fmt::format("amdsmi_get_power_info {}", name), "W", 1),
        [=](const AmdSmi& library, Processor handle) -> Result<double> {
          TRY(const AmdSmi::Power power, library.power(handle));
          return present(power.*member, name);
        },
        Pace::each_poll);
  };
  add("average_socket_power", &AmdSmi::Power::average_w);
  add("current_socket_power", &AmdSmi::Power::current_w);
}

void open_energy(const AmdSmi& smi, Gpu& gpu, Clock& clock) {
  gpu.first_at = clock.now();
  const auto count = smi.energy_count(gpu.handle);
  if (!count) {
    gpu.why_no_energy = count.error().message;
  } else if (!(count->resolution_uj > 0) || count->resolution_uj > 1e6) {
    gpu.why_no_energy =
        fmt::format("one count of it would be {:g} uJ by its library", count->resolution_uj);
  } else {
    gpu.first = *count;
  }
}

/// AMD's library says 15.3 uJ and means 2^-16 J (15.2588 uJ): see gpu_metrics.hpp.
bool is_two_to_the_minus_16(double resolution_uj) {
  return resolution_uj > 15.2 && resolution_uj < 15.35;
}
double joules_per_count(double resolution_uj) {
  return is_two_to_the_minus_16(resolution_uj) ? kAmdJoulesPerCount : resolution_uj * 1e-6;
}

std::optional<Watts> power_now(Gpu& gpu, MonoTime now) {
  for (SensorValue& power : gpu.powers) {
    const auto raw = power.source->read(now);
    if (raw) return Watts(*raw);
  }
  return std::nullopt;
}

void check_energy(const AmdSmi& smi, Gpu& gpu, Clock& clock) {
  if (!gpu.first) return;
  const MonoTime now = clock.now();
  const auto count = smi.energy_count(gpu.handle);
  if (!count) {
    gpu.why_no_energy = count.error().message;
    return;
  }
  const double counts = static_cast<double>(count->counts) - static_cast<double>(gpu.first->counts);
  gpu.why_no_energy =
      why_amd_energy_is_wrong(Joules(counts * joules_per_count(gpu.first->resolution_uj)),
                              power_now(gpu, now), to_seconds(now - gpu.first_at));
}

bool has_energy(const Gpu& gpu) { return gpu.first && gpu.why_no_energy.empty(); }

Device device_of(const AmdSmi& smi, const Gpu& gpu, const std::filesystem::path& root) {
  const auto folder = root / "sys/bus/pci/devices" / gpu.address;
  Device device{.id = gpu.id(), .name = smi.name(gpu.handle).value_or(""), .kind = DeviceKind::gpu};
  if (device.name.empty()) device.name = sysfs_text(folder / "product_name").value_or("");
  if (device.name.empty()) device.name = "AMD GPU";
  device.label = gpu.address;
  device.facts["pci_address"] = gpu.address;
  device.facts[kReadByFact] = smi.description();
  add_amd_facts(device, folder);
  if (gpu.partitions > 1) device.facts["partitions"] = std::to_string(gpu.partitions);
  if (gpu.boundary() == Boundary::gpu_module) device.facts[kContainsFact] = kCpuAndMemory;
  if (is_two_die_module(gpu.pci_device)) device.facts["covers"] = "both dies of its module";
  if (!gpu.why_no_energy.empty()) device.facts[kLeftOutFact] = "energy: " + gpu.why_no_energy;
  return device;
}

SensorValue energy_value(const Smi& smi, const Gpu& gpu) {
  const double resolution_uj = gpu.first->resolution_uj;
  const bool usual = is_two_to_the_minus_16(resolution_uj);
  Signal signal = gpu.signal(
      Measurand::energy, fmt::format("amdsmi_get_energy_count ({:.4g} uJ stated)", resolution_uj),
      usual ? "2^-16 J" : fmt::format("{:g} uJ", resolution_uj), joules_per_count(resolution_uj));
  signal.kind = SignalKind::counter;
  const auto read = [resolution_uj](const AmdSmi& library, Processor handle) -> Result<double> {
    TRY(const AmdSmi::EnergyCount count, library.energy_count(handle));
    if (count.resolution_uj == resolution_uj) return static_cast<double>(count.counts);
    return failure(ErrorKind::unavailable,
                   fmt::format("one count of its energy was {:g} uJ and is {:g} uJ now",
                               resolution_uj, count.resolution_uj));
  };
  return {std::move(signal), std::make_unique<LibraryValue>(smi, gpu.handle, read)};
}

void add_limits(const Smi& smi, const Gpu& gpu, std::vector<SensorValue>& values) {
  const auto add = [&](Measurand measurand, const char* name, std::uint64_t PowerCap::*member) {
    add_if_there(
        values, smi, gpu,
        gpu.signal(measurand, fmt::format("amdsmi_get_power_cap_info {}", name), "uW", 1e-6),
        [=](const AmdSmi& library, Processor handle) -> Result<double> {
          TRY(const PowerCap cap, library.power_cap(handle));
          return present(std::optional(cap.*member), name);
        },
        Pace::each_second);
  };
  add(Measurand::power_limit_enforced, "power_cap", &PowerCap::cap);
  add(Measurand::power_limit_default, "default_power_cap", &PowerCap::default_cap);
  add(Measurand::power_limit_max, "max_power_cap", &PowerCap::highest);
  add(Measurand::power_limit_min, "min_power_cap", &PowerCap::lowest);
}

void add_state(const Smi& smi, const Gpu& gpu, std::vector<SensorValue>& values) {
  add_limits(smi, gpu, values);
  const auto add = [&](Signal signal, Read read) {
    add_if_there(values, smi, gpu, std::move(signal), std::move(read), Pace::each_second);
  };
  const bool junction = smi->temperature_c(gpu.handle, amd_smi::kJunction).has_value();
  const int sensor = junction ? amd_smi::kJunction : amd_smi::kEdge;
  add(gpu.signal(Measurand::temperature,
                 fmt::format("amdsmi_get_temp_metric {}", junction ? "junction" : "edge"), "degC",
                 1),
      [=](const AmdSmi& library, Processor handle) {
        return as_number(library.temperature_c(handle, sensor));
      });
  add(gpu.signal(Measurand::sm_clock, "amdsmi_get_clock_info GFX", "MHz", 1),
      [](const AmdSmi& library, Processor handle) {
        return as_number(library.clock_mhz(handle, amd_smi::kGraphicsClock));
      });
  add(gpu.signal(Measurand::memory_clock, "amdsmi_get_clock_info MEM", "MHz", 1),
      [](const AmdSmi& library, Processor handle) {
        return as_number(library.clock_mhz(handle, amd_smi::kMemoryClock));
      });
  add(gpu.signal(Measurand::utilisation, "amdsmi_get_gpu_activity gfx_activity", "%", 0.01),
      [](const AmdSmi& library, Processor handle) {
        return as_number(library.utilisation_percent(handle));
      });
  add(gpu.signal(Measurand::memory_used, "amdsmi_get_gpu_memory_usage VRAM", "B", 1),
      [](const AmdSmi& library, Processor handle) {
        return as_number(library.memory_used_bytes(handle));
      });
}

std::string why_not_read(const Gpu& gpu) {
  if (!gpu.powers.empty() || has_energy(gpu)) return "";
  if (is_two_die_module(gpu.pci_device)) {
    return "the second die of a module: its power is in that of the first";
  }
  return "it gives neither power nor energy (a guest of a virtual machine does not)";
}

/// Each GPU once; the partition with the lowest function stands for all.
Result<std::vector<Gpu>> listed_gpus(const AmdSmi& smi) {
  std::vector<std::pair<unsigned, Gpu>> found;
  TRY(const auto handles, smi.gpus());
  for (const Processor handle : handles) {
    TRY(const AmdSmi::PciAddress address, smi.pci_address(handle));
    const auto known = std::find_if(found.begin(), found.end(), [&](const auto& other) {
      return other.second.address == address.gpu;
    });
    if (known == found.end()) {
      Gpu gpu;
      gpu.handle = handle;
      gpu.address = address.gpu;
      gpu.pci_device = smi.pci_device(handle).value_or(0);
      found.emplace_back(address.function, std::move(gpu));
      continue;
    }
    ++known->second.partitions;
    if (address.function >= known->first) continue;
    known->first = address.function;
    known->second.handle = handle;
  }
  std::vector<Gpu> gpus;
  for (auto& [function, gpu] : found) gpus.push_back(std::move(gpu));
  return gpus;
}

void add_gpu(const Smi& smi, Gpu gpu, const std::filesystem::path& root, AmdGpus& found) {
  found.devices.push_back(device_of(*smi, gpu, root));
  if (has_energy(gpu)) found.values.push_back(energy_value(smi, gpu));
  for (SensorValue& power : gpu.powers) found.values.push_back(std::move(power));
  add_state(smi, gpu, found.values);
}

}  // namespace

Result<AmdGpus> amd_gpus_in_library(Smi smi, const std::filesystem::path& root, Clock& clock) {
  AmdGpus found;
  TRY(std::vector<Gpu> gpus, listed_gpus(*smi));
  for (Gpu& gpu : gpus) {
    open_powers(smi, gpu);
    open_energy(*smi, gpu, clock);
  }
  if (!gpus.empty()) clock.sleep_until(clock.now() + kAmdCheckTime, {});
  for (Gpu& gpu : gpus) {
    check_energy(*smi, gpu, clock);
    if (const std::string reason = why_not_read(gpu); !reason.empty()) {
      found.notes.push_back(fmt::format("{}: {}", gpu.address, reason));
    } else {
      add_gpu(smi, std::move(gpu), root, found);
    }
  }
  const std::string driver = kernel_release(root);
  for (SensorValue& value : found.values) value.signal.driver = driver;
  if (!found.devices.empty()) return found;
  return failure(ErrorKind::missing,
                 found.notes.empty() ? fmt::format("{} finds no AMD GPU", smi->description())
                                     : fmt::format("{}", fmt::join(found.notes, "; ")),
                 "see what amd-smi says of it");
}

}  // namespace tokenjoule
