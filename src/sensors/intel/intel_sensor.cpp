#include "sensors/intel/intel_sensor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "devices/drm_cards.hpp"
#include "devices/hwmon.hpp"
#include "sensors/gpu_files.hpp"

namespace tokenjoule {

namespace {

constexpr double kMicro = 1e-6;
constexpr Nanoseconds kUntilSecondLook = milliseconds(100);

/// A counter of a GPU and what it covers.
struct Channel {
  int number = 0;
  std::string label;
  Boundary boundary = Boundary::chip;
  std::unique_ptr<ValueSource> source;
};

struct Gpu {
  DrmCard card;
  HwmonChip chip;
  std::vector<Channel> channels;
  std::vector<std::string> left_out;
};

/// The xe driver labels its channels. i915, and xe before it did, has one channel: of the package,
/// by the register that the driver reads, whatever its documentation calls it.
std::optional<Boundary> boundary_of(const std::string& label) {
  if (label == "card") return Boundary::gpu_board;
  if (label == "pkg" || label.empty()) return Boundary::chip;
  return std::nullopt;
}

void add_channel(Gpu& gpu, int number) {
  const std::string name = fmt::format("energy{}", number);
  const std::string label = sysfs_text(gpu.chip.folder / (name + "_label")).value_or("");
  const auto boundary = boundary_of(label);
  if (!boundary) {
    gpu.left_out.push_back(fmt::format("{} (\"{}\"): not known", name, quoted(label)));
    return;
  }
  // The driver extends a 32-bit register to 64 bits: a fall is a reset.
  auto source = file_counter(gpu.chip.folder / (name + "_input"), kMicro, std::nullopt);
  if (source) {
    gpu.channels.push_back({number, label, *boundary, std::move(*source)});
  } else {
    gpu.left_out.push_back(source.error().message);
  }
}

/// GPUs whose driver gives energy; the chips of single tiles ("i915_gt0") are parts of the whole.
std::vector<Gpu> gpus_at(const std::filesystem::path& root) {
  std::vector<Gpu> gpus;
  for (const DrmCard& card : drm_cards(root).cards) {
    if (card.vendor != kPciVendorIntel) continue;
    for (const HwmonChip& chip : hwmon_chips(card.folder / "hwmon")) {
      if (chip.name != "i915" && chip.name != "xe") continue;
      Gpu gpu{card, chip, {}, {}};
      for (const int number : hwmon_channels(chip, "energy", "input")) add_channel(gpu, number);
      gpus.push_back(std::move(gpu));
      break;
    }
  }
  return gpus;
}

/// Counters that stand at 0 while the GPU runs measure nothing: some cards' `card` does.
void leave_out_dead_channels(std::vector<Gpu>& gpus, Clock& clock) {
  const auto is_dead = [&](Gpu& gpu, Channel& channel) {
    const auto raw = channel.source->read(clock.now());
    if (raw && *raw > 0) return false;
    gpu.left_out.push_back(
        fmt::format("energy{}: {}", channel.number, raw ? "stands at 0" : raw.error().message));
    return true;
  };
  clock.sleep_until(clock.now() + kUntilSecondLook, {});
  for (Gpu& gpu : gpus) {
    std::erase_if(gpu.channels, [&](Channel& channel) { return is_dead(gpu, channel); });
  }
}

void add_limits(const Gpu& gpu, const Channel& channel, const std::string& device,
                std::vector<SensorValue>& values) {
  const auto add = [&](const char* item, Measurand measurand) {
    const std::string name = fmt::format("power{}_{}", channel.number, item);
    add_context(values,
                {gpu.chip.folder / name, measurand, channel.boundary, "uW", kMicro, {.zero = true}},
                "intel", device);
  };
  add("max", Measurand::power_limit_enforced);
  add("rated_max", Measurand::power_limit_default);
}

void add_gpu(Gpu& gpu, const std::string& driver, std::vector<Device>& devices,
             std::vector<SensorValue>& values) {
  const std::string id = pci_device_id(gpu.card.pci_address);
  Device device{.id = id, .name = "Intel GPU", .kind = DeviceKind::gpu, .label = gpu.card.name};
  device.facts["pci_address"] = gpu.card.pci_address;
  device.facts["pci_device"] = fmt::format("{:04x}", gpu.card.device);
  if (!gpu.left_out.empty()) {
    device.facts[kLeftOutFact] = fmt::format("{}", fmt::join(gpu.left_out, "; "));
  }
  // The widest first: its limit is the device's.
  std::sort(gpu.channels.begin(), gpu.channels.end(), [](const Channel& a, const Channel& b) {
    return width_of(a.boundary) > width_of(b.boundary);
  });
  for (Channel& channel : gpu.channels) {
    GpuFile file{gpu.chip.folder / fmt::format("energy{}_input", channel.number)};
    file.measurand = Measurand::energy;
    file.boundary = channel.boundary;
    file.raw_unit = "uJ";
    file.to_si = kMicro;
    Signal signal = gpu_signal(file, "intel", id);
    signal.kind = SignalKind::counter;
    signal.driver = fmt::format("{} {}", gpu.chip.name, driver);
    if (!channel.label.empty()) signal.source += fmt::format(" ({})", channel.label);
    values.push_back({std::move(signal), std::move(channel.source)});
    add_limits(gpu, channel, id, values);
  }
  devices.push_back(std::move(device));
}

Error no_gpus(const std::vector<Gpu>& gpus) {
  std::string why = "no Intel GPU of this machine has an hwmon chip of i915 or xe";
  for (const Gpu& gpu : gpus) {
    why = fmt::format(
        "{} gives no energy: {}", gpu.card.pci_address,
        gpu.left_out.empty() ? "no energy file" : fmt::format("{}", fmt::join(gpu.left_out, "; ")));
  }
  return {.kind = ErrorKind::missing,
          .message = std::move(why),
          .hint =
              "discrete Intel GPUs have it with the i915 or xe driver of a recent Linux; a "
              "graphics unit "
              "inside a CPU is measured by rapl"};
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_intel(const SensorSpec& spec, Clock& clock) {
  const std::filesystem::path root = root_of(spec);
  std::vector<Gpu> gpus = gpus_at(root);
  if (!gpus.empty()) leave_out_dead_channels(gpus, clock);
  const bool any =
      std::any_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return !gpu.channels.empty(); });
  if (!any) return unexpected(no_gpus(gpus));
  const std::string driver = kernel_release(root);
  std::vector<Device> devices;
  std::vector<SensorValue> values;
  for (Gpu& gpu : gpus) add_gpu(gpu, driver, devices, values);
  return value_sensor(std::move(devices), std::move(values), {}, setting_of(spec, "group"),
                      clock.now());
}

}  // namespace tokenjoule
