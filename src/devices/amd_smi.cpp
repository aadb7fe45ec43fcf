#include "devices/amd_smi.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

// Structs may have grown in a version that we do not know: what is written behind a known one's end
// must hit neither our stack nor go unnoticed.
constexpr std::size_t kRoom = 4096;
constexpr std::byte kUntouched{0xA5};

/// Room for one of the library's structs.
struct Written {
  alignas(8) std::array<std::byte, kRoom> bytes;
  Written() { bytes.fill(kUntouched); }

  template <typename T>
  T at(std::size_t place) const {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
  }
  bool is_touched(std::size_t from, std::size_t to) const {
    return std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                       bytes.begin() + static_cast<std::ptrdiff_t>(to),
                       [](std::byte byte) { return byte != kUntouched; });
  }
};

std::mutex& only_one_call() {
  static std::mutex mutex;
  return mutex;
}

Result<SharedLibrary> library_at_usual_place() {
  Error first_error{.kind = ErrorKind::missing,
                    .message = "there is no libamd_smi.so of a version known here (24 to 26)",
                    .hint =
                        "install amd-smi-lib of ROCm 6.1 to 7, or name it: --sensor "
                        "amd:library=PATH"};
  for (const char* folder : {"", "/opt/rocm/lib/"}) {
    for (const int major : {26, 25, 24}) {
      auto library = SharedLibrary::open(fmt::format("{}libamd_smi.so.{}", folder, major));
      if (library) return library;
    }
  }
  return unexpected(std::move(first_error));
}

/// 26 of "libamd_smi.so.26"; 0 where the name has none.
std::uint32_t major_in(const std::string& soname) {
  constexpr std::string_view kName = "libamd_smi.so.";
  if (soname.compare(0, kName.size(), kName) != 0) return 0;
  const auto number = number_in(std::string_view(soname).substr(kName.size()));
  return number && *number > 0 && *number < 1000 ? static_cast<std::uint32_t>(*number) : 0;
}

tl::unexpected<Error> not_known(std::string message) {
  return failure(ErrorKind::missing, std::move(message),
                 "its structs may differ, so that it is not used; amd:library=none reads the "
                 "driver's files instead");
}

/// Whether what amdsmi_get_power_info wrote is its version's struct, by where it ends.
Status check_power(const Written& written, const amd_smi::PowerLayout& layout) {
  const std::size_t end = layout.limit_at + sizeof(std::uint32_t);
  const bool is_longer = written.is_touched(layout.size, kRoom);
  if (!is_longer && written.is_touched(layout.limit_at, end)) return {};
  return not_known(fmt::format("amdsmi_get_power_info of version {} writes {}", layout.major,
                               is_longer ? fmt::format("more than its {} bytes", layout.size)
                                         : fmt::format("less than its {} bytes", end)));
}

/// The version that it states: "26.4.1"; "24.6.3.0" where it has a year in front.
std::string stated_version(const amd_smi::Version& version, bool has_year) {
  const auto& numbers = version.numbers;
  return has_year ? fmt::format("{}", fmt::join(numbers, "."))
                  : fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
}

std::optional<unsigned> watts_in(std::uint32_t value) {
  if (value == 0 || value == amd_smi::kNone16 || value == amd_smi::kNone32) return std::nullopt;
  return value;
}

Result<unsigned> known(std::uint32_t value, const char* function) {
  if (value != amd_smi::kNone16 && value != amd_smi::kNone32) return value;
  return unexpected(amd_smi_error(amd_smi::kNoData, function));
}

}  // namespace

template <typename... Arguments>
Status AmdSmi::call(const char* function, Arguments... arguments) const {
  TRY(auto* const entry, library_.need_function<amd_smi::Return(Arguments...)>(function));
  const std::lock_guard lock(only_one_call());
  const amd_smi::Return code = entry(arguments...);
  if (code != amd_smi::kSuccess) return unexpected(amd_smi_error(code, function));
  return {};
}

Result<std::unique_ptr<AmdSmi>> AmdSmi::open(const std::string& library) {
  TRY(auto shared, library.empty() ? library_at_usual_place() : SharedLibrary::open(library));
  if (shared.function<void()>("amdsmi_init") == nullptr) {
    return failure(ErrorKind::missing,
                   fmt::format("{} is not AMD's management library: it has no amdsmi_init",
                               quoted(shared.name())),
                   "name libamd_smi.so.26, or leave the path out");
  }
  TRY_DO(shared.need_function<amd_smi::Return()>("amdsmi_shut_down"));
  // Not yet an AmdSmi, whose end would shut down what was never initialised.
  std::unique_lock lock(only_one_call());
  const amd_smi::Return code =
      shared.function<amd_smi::Return(std::uint64_t)>("amdsmi_init")(amd_smi::kInitGpus);
  if (code != amd_smi::kSuccess) return unexpected(amd_smi_error(code, "amdsmi_init"));
  lock.unlock();
  auto opened = std::unique_ptr<AmdSmi>(new AmdSmi(std::move(shared)));
  TRY_DO(opened->find_version());
  TRY_DO(opened->check_structs());
  return opened;
}

AmdSmi::~AmdSmi() { static_cast<void>(call("amdsmi_shut_down")); }

Status AmdSmi::find_version() {
  const std::string soname = library_.soname();
  const std::uint32_t major = major_in(soname);
  for (const amd_smi::PowerLayout& layout : amd_smi::kPowerLayouts) {
    if (layout.major == major) power_ = &layout;
  }
  if (power_ == nullptr) {
    return not_known(
        major == 0 ? fmt::format("{} does not say of which version of AMD's management "
                                 "library it is",
                                 quoted(library_.name()))
                   : fmt::format("version {} of AMD's management library is not known", major));
  }
  Written written;
  TRY_DO(call("amdsmi_get_lib_version", static_cast<void*>(written.bytes.data())));
  const auto version = written.at<amd_smi::Version>(0);
  const bool has_year = major < amd_smi::kFirstWithoutYear;
  if (!has_year && version.numbers[0] != major) {
    return not_known(
        fmt::format("{} says of itself that it is version {}", soname, version.numbers[0]));
  }
  description_ = fmt::format("{}, version {}", soname, stated_version(version, has_year));
  return {};
}

Status AmdSmi::check_structs() const {
  TRY(const auto found, gpus());
  for (const amd_smi::Processor gpu : found) {
    Written written;
    const auto called =
        call("amdsmi_get_power_info", gpu, static_cast<void*>(written.bytes.data()));
    if (called) TRY_DO(check_power(written, *power_));
  }
  return {};
}

template <typename... Owner>
Result<std::vector<void*>> AmdSmi::list_from(const char* function, Owner... owner) const {
  std::uint32_t count = 0;
  TRY_DO(call(function, owner..., &count, static_cast<void**>(nullptr)));
  std::vector<void*> list(count);
  if (count == 0) return list;
  TRY_DO(call(function, owner..., &count, list.data()));
  list.resize(std::min<std::size_t>(count, list.size()));
  return list;
}

Result<std::vector<amd_smi::Processor>> AmdSmi::gpus() const {
  TRY(const auto sockets, list_from("amdsmi_get_socket_handles"));
  std::vector<amd_smi::Processor> gpus;
  for (const amd_smi::Socket socket : sockets) {
    TRY(const auto processors, list_from("amdsmi_get_processor_handles", socket));
    for (const amd_smi::Processor processor : processors) {
      std::uint32_t type = 0;
      TRY_DO(call("amdsmi_get_processor_type", processor, &type));
      if (type == amd_smi::kAmdGpu) gpus.push_back(processor);
    }
  }
  return gpus;
}

Result<AmdSmi::PciAddress> AmdSmi::pci_address(amd_smi::Processor gpu) const {
  amd_smi::Bdf bdf = 0;
  TRY_DO(call("amdsmi_get_gpu_device_bdf", gpu, &bdf));
  return PciAddress{
      fmt::format("{:04x}:{:02x}:{:02x}.0", bdf >> 16, (bdf >> 8) & 0xFF, (bdf >> 3) & 0x1F),
      static_cast<unsigned>(bdf & 7)};
}

Result<std::uint16_t> AmdSmi::pci_device(amd_smi::Processor gpu) const {
  std::uint16_t number = 0;
  TRY_DO(call("amdsmi_get_gpu_id", gpu, &number));
  return number;
}

Result<std::string> AmdSmi::name(amd_smi::Processor gpu) const {
  // The name comes first in every version, in 64 bytes or more; where the rest lies differs.
  constexpr std::size_t kShortestName = 64;
  Written written;
  TRY_DO(call("amdsmi_get_gpu_asic_info", gpu, static_cast<void*>(written.bytes.data())));
  const auto* const text = reinterpret_cast<const char*>(written.bytes.data());
  return std::string(text, strnlen(text, kShortestName));
}

Result<AmdSmi::EnergyCount> AmdSmi::energy_count(amd_smi::Processor gpu) const {
  EnergyCount count;
  float resolution = 0;
  std::uint64_t at_ns = 0;
  TRY_DO(call("amdsmi_get_energy_count", gpu, &count.counts, &resolution, &at_ns));
  if (count.counts == UINT64_MAX || count.counts == UINT32_MAX) {
    return unexpected(amd_smi_error(amd_smi::kNoData, "amdsmi_get_energy_count"));
  }
  count.resolution_uj = static_cast<double>(resolution);
  return count;
}

Result<AmdSmi::Power> AmdSmi::power(amd_smi::Processor gpu) const {
  Written written;
  TRY_DO(call("amdsmi_get_power_info", gpu, static_cast<void*>(written.bytes.data())));
  TRY_DO(check_power(written, *power_));
  return Power{watts_in(written.at<std::uint32_t>(power_->current_at)),
               watts_in(written.at<std::uint32_t>(power_->average_at))};
}

Result<amd_smi::PowerCap> AmdSmi::power_cap(amd_smi::Processor gpu) const {
  constexpr std::uint32_t kFirstSensor = 0;
  Written written;
  TRY_DO(call("amdsmi_get_power_cap_info", gpu, kFirstSensor,
              static_cast<void*>(written.bytes.data())));
  return written.at<amd_smi::PowerCap>(0);
}

Result<std::int64_t> AmdSmi::temperature_c(amd_smi::Processor gpu, int sensor) const {
  std::int64_t temperature = 0;
  TRY_DO(call("amdsmi_get_temp_metric", gpu, sensor, amd_smi::kCurrentTemperature, &temperature));
  return temperature;
}

Result<unsigned> AmdSmi::clock_mhz(amd_smi::Processor gpu, int clock) const {
  Written written;
  TRY_DO(call("amdsmi_get_clock_info", gpu, clock, static_cast<void*>(written.bytes.data())));
  return known(written.at<amd_smi::ClockInfo>(0).now, "amdsmi_get_clock_info");
}

Result<unsigned> AmdSmi::utilisation_percent(amd_smi::Processor gpu) const {
  Written written;
  TRY_DO(call("amdsmi_get_gpu_activity", gpu, static_cast<void*>(written.bytes.data())));
  return known(written.at<amd_smi::EngineUsage>(0).graphics, "amdsmi_get_gpu_activity");
}

Result<std::uint64_t> AmdSmi::memory_used_bytes(amd_smi::Processor gpu) const {
  std::uint64_t used = 0;
  TRY_DO(call("amdsmi_get_gpu_memory_usage", gpu, amd_smi::kVideoMemory, &used));
  return used;
}

}  // namespace tokenjoule
