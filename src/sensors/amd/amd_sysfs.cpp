#include "sensors/amd/amd_sysfs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "devices/drm_cards.hpp"
#include "devices/hwmon.hpp"
#include "io/file.hpp"
#include "model/containment.hpp"
#include "sensors/amd/gpu_metrics.hpp"
#include "sensors/gpu_files.hpp"

namespace tokenjoule {

namespace {

constexpr double kMicro = 1e-6;
constexpr char kSensor[] = "amd";

class MetricsEnergy final : public ValueSource {
 public:
  MetricsEnergy(SysfsFile file, std::uint32_t pci_device)
      : file_(std::move(file)), pci_device_(pci_device) {}

  Result<double> read(MonoTime) override {
    TRY(const std::string_view bytes, file_.bytes());
    TRY(const std::uint64_t counts, energy_counts_in(bytes, pci_device_));
    return static_cast<double>(counts);
  }

 private:
  SysfsFile file_;
  std::uint32_t pci_device_;
};

/// One GPU while it is being looked at.
struct Gpu {
  DrmCard card;
  HwmonChip chip;
  std::vector<SensorValue> powers;
  std::unique_ptr<ValueSource> energy;
  std::optional<double> first_counts;
  MonoTime first_at;
  std::string why_no_energy;

  std::string id() const { return pci_device_id(card.pci_address); }
  Boundary boundary() const {
    return holds_a_cpu(card.device) ? Boundary::gpu_module : Boundary::gpu_board;
  }
};

void open_powers(Gpu& gpu) {
  for (const char* name : {"power1_average", "power1_input"}) {
    GpuFile file{gpu.chip.folder / name, Measurand::power, gpu.boundary(), "uW", kMicro,
                 {.zero = true}};
    auto source = file_value(file.file, file.absent);
    if (!source || !(*source)->read({})) continue;
    gpu.powers.push_back({gpu_signal(file, kSensor, gpu.id()), std::move(*source)});
  }
}

void open_energy(Gpu& gpu, Clock& clock) {
  auto file = SysfsFile::open(gpu.card.folder / "gpu_metrics");
  if (!file) {
    gpu.why_no_energy = file.error().message;
    return;
  }
  gpu.energy = std::make_unique<MetricsEnergy>(std::move(*file), gpu.card.device);
  gpu.first_at = clock.now();
  const auto counts = gpu.energy->read(gpu.first_at);
  if (counts) {
    gpu.first_counts = *counts;
  } else {
    gpu.why_no_energy = counts.error().message;
    gpu.energy.reset();
  }
}

std::optional<Watts> power_now(Gpu& gpu, MonoTime now) {
  for (SensorValue& power : gpu.powers) {
    const auto raw = power.source->read(now);
    if (raw) return Watts(*raw * kMicro);
  }
  return std::nullopt;
}

/// A counter that is constant, or counts in another unit than it should, is not used.
void check_energy(Gpu& gpu, Clock& clock) {
  if (gpu.energy == nullptr) return;
  const MonoTime now = clock.now();
  const auto counts = gpu.energy->read(now);
  const auto power = power_now(gpu, now);
  if (!counts) {
    gpu.why_no_energy = counts.error().message;
  } else {
    const Joules counted((*counts - *gpu.first_counts) * kAmdJoulesPerCount);
    const Seconds elapsed = to_seconds(now - gpu.first_at);
    gpu.why_no_energy = why_amd_energy_is_wrong(counted, power, elapsed);
    if (gpu.why_no_energy.empty()) return;
  }
  gpu.energy.reset();
}

Device device_of(const Gpu& gpu) {
  const auto text = [&](const char* name) {
    return sysfs_text(gpu.card.folder / name).value_or("");
  };
  Device device{.id = gpu.id(), .name = text("product_name"), .kind = DeviceKind::gpu};
  if (device.name.empty()) device.name = "AMD GPU";
  device.label = gpu.card.name;
  device.facts["pci_address"] = gpu.card.pci_address;
  add_amd_facts(device, gpu.card.folder);
  if (gpu.boundary() == Boundary::gpu_module) device.facts[kContainsFact] = kCpuAndMemory;
  if (is_two_die_module(gpu.card.device)) {
    device.facts["covers"] = "both dies of its module";
  }
  if (!gpu.why_no_energy.empty()) device.facts[kLeftOutFact] = "energy: " + gpu.why_no_energy;
  return device;
}

/// Channel of a kind whose label file says so: freq2 for "mclk".
std::optional<int> channel_labelled(const HwmonChip& chip, const char* kind, const char* label) {
  for (const int number : hwmon_channels(chip, kind, "input")) {
    if (sysfs_text(chip.folder / fmt::format("{}{}_label", kind, number)) == label) return number;
  }
  return std::nullopt;
}

void add_state(const Gpu& gpu, std::vector<SensorValue>& values) {
  const auto add = [&](const std::filesystem::path& file, Measurand measurand,
                       std::string_view unit, double to_si, AbsentNumbers absent = {}) {
    add_context(values, {file, measurand, gpu.boundary(), unit, to_si, absent}, kSensor, gpu.id());
  };
  const auto& chip = gpu.chip.folder;
  add(chip / "power1_cap", Measurand::power_limit_enforced, "uW", kMicro, {.zero = true});
  add(chip / "power1_cap_default", Measurand::power_limit_default, "uW", kMicro, {.zero = true});
  add(chip / "power1_cap_max", Measurand::power_limit_max, "uW", kMicro, {.zero = true});
  add(chip / "power1_cap_min", Measurand::power_limit_min, "uW", kMicro, {.zero = true});
  const auto hottest = channel_labelled(gpu.chip, "temp", "junction");
  const int temperature = hottest.value_or(channel_labelled(gpu.chip, "temp", "edge").value_or(1));
  add(chip / fmt::format("temp{}_input", temperature), Measurand::temperature, "mdegC", 1e-3);
  if (const auto clock = channel_labelled(gpu.chip, "freq", "sclk")) {
    add(chip / fmt::format("freq{}_input", *clock), Measurand::sm_clock, "Hz", kMicro);
  }
  if (const auto clock = channel_labelled(gpu.chip, "freq", "mclk")) {
    add(chip / fmt::format("freq{}_input", *clock), Measurand::memory_clock, "Hz", kMicro);
  }
  add(gpu.card.folder / "gpu_busy_percent", Measurand::utilisation, "%", 0.01);
  add(gpu.card.folder / "mem_info_vram_used", Measurand::memory_used, "B", 1);
}

void add_gpu(Gpu gpu, AmdGpus& found) {
  found.devices.push_back(device_of(gpu));
  if (gpu.energy != nullptr) {
    GpuFile file{gpu.card.folder / "gpu_metrics", Measurand::energy, gpu.boundary(), "2^-16 J",
                 kAmdJoulesPerCount};
    Signal signal = gpu_signal(file, kSensor, gpu.id());
    signal.source += " energy_accumulator";
    signal.kind = SignalKind::counter;
    found.values.push_back({std::move(signal), std::move(gpu.energy)});
  }
  for (SensorValue& power : gpu.powers) found.values.push_back(std::move(power));
  add_state(gpu, found.values);
}

/// Why a GPU is not looked at, or not read in the end; "" where it is.
std::string why_not_looked_at(const DrmCard& card) {
  if (sysfs_text(card.folder / "power/runtime_status") == "suspended") {
    return "asleep, and reading would wake it: let something run on it first";
  }
  const auto metrics = file_bytes(card.folder / "gpu_metrics");
  if (metrics && is_of_integrated_graphics(*metrics)) {
    return "graphics inside a CPU, whose power is its package's: see rapl";
  }
  return "";
}

std::string why_not_read(const Gpu& gpu) {
  if (!gpu.powers.empty() || gpu.energy != nullptr) return "";
  if (is_two_die_module(gpu.card.device)) {
    return "the second die of a module: its power is in that of the first";
  }
  return "it gives neither power nor energy (a guest of a virtual machine does not)";
}

void note(AmdGpus& found, const DrmCard& card, const std::string& reason) {
  found.notes.push_back(fmt::format("{} ({}): {}", card.pci_address, card.name, reason));
}

std::vector<Gpu> opened_gpus(const std::filesystem::path& root, AmdGpus& found, Clock& clock) {
  std::vector<Gpu> gpus;
  for (const DrmCard& card : drm_cards(root).cards) {
    if (card.vendor != kPciVendorAmd) continue;
    const std::string reason = why_not_looked_at(card);
    if (!reason.empty()) {
      note(found, card, reason);
      continue;
    }
    Gpu gpu{card, {}, {}, nullptr, {}, {}, ""};
    const auto chips = hwmon_chips(card.folder / "hwmon");
    if (!chips.empty()) gpu.chip = chips.front();
    open_powers(gpu);
    open_energy(gpu, clock);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace

Result<AmdGpus> amd_gpus_in_sysfs(const std::filesystem::path& root, Clock& clock) {
  AmdGpus found;
  std::vector<Gpu> gpus = opened_gpus(root, found, clock);
  if (!gpus.empty()) clock.sleep_until(clock.now() + kAmdCheckTime, {});
  for (Gpu& gpu : gpus) {
    check_energy(gpu, clock);
    if (const std::string reason = why_not_read(gpu); !reason.empty()) {
      note(found, gpu.card, reason);
    } else {
      add_gpu(std::move(gpu), found);
    }
  }
  const std::string driver = kernel_release(root);
  for (SensorValue& value : found.values) value.signal.driver = driver;
  if (!found.devices.empty()) return found;
  if (!found.notes.empty()) {
    return failure(ErrorKind::missing, fmt::format("{}", fmt::join(found.notes, "; ")),
                   "see what rocm-smi or amd-smi says of it");
  }
  return failure(ErrorKind::missing, "no AMD GPU with the amdgpu driver is in /sys/class/drm",
                 "sudo modprobe amdgpu; in a container: --device /dev/dri and the host's /sys");
}

}  // namespace tokenjoule
