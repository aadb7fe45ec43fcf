#include "devices/perf_energy.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"
#include "devices/cpu_topology.hpp"
#include "devices/sysfs.hpp"

namespace tokenjoule {

namespace {

/// "event=0x02" as 2; nullopt for any other form, which would need the unit's format files.
std::optional<std::uint64_t> config_in(std::string_view text) {
  constexpr std::string_view kEvent = "event=0x";
  if (!starts_with(text, kEvent)) return std::nullopt;
  text.remove_prefix(kEvent.size());
  std::uint64_t config = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), config, 16);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return config;
}

void add_event(PerfEnergyUnit& unit, const std::filesystem::path& folder, const std::string& name) {
  const auto config = config_in(sysfs_text(folder / name).value_or(""));
  const auto scale = sysfs_number(folder / (name + ".scale"));
  const auto of = sysfs_text(folder / (name + ".unit"));
  if (config && scale && *scale > 0 && of == "Joules") {
    unit.events.push_back({name, *config, *scale});
    return;
  }
  unit.left_out.push_back(fmt::format("{}: its event, scale or unit (\"{}\") is not as expected",
                                      quoted(name), quoted(of.value_or(""))));
}

class OpenedPerfCounter final : public PerfCounter {
 public:
  explicit OpenedPerfCounter(int descriptor) : descriptor_(descriptor) {}
  ~OpenedPerfCounter() override { close(descriptor_); }
  OpenedPerfCounter(const OpenedPerfCounter&) = delete;
  OpenedPerfCounter& operator=(const OpenedPerfCounter&) = delete;

  Result<std::uint64_t> count() override {
    std::uint64_t value = 0;
    const ssize_t got = read(descriptor_, &value, sizeof value);
    if (got == static_cast<ssize_t>(sizeof value)) return value;
    // At its end: the event is in an error state for good, as when its CPU went offline.
    if (got == 0) return failure(ErrorKind::unavailable, "the kernel ended the event");
    return failure(ErrorKind::retry,
                   fmt::format("cannot read the event: {}", std::strerror(errno)));
  }

 private:
  int descriptor_;
};

}  // namespace

PerfEnergyUnit perf_energy_unit(const std::filesystem::path& root) {
  PerfEnergyUnit unit;
  const std::filesystem::path folder = root / "sys/bus/event_source/devices/power";
  const auto type = integer_in(sysfs_text(folder / "type").value_or(""));
  if (!type || *type < 0 || *type > UINT32_MAX) return unit;
  unit.present = true;
  unit.type = static_cast<std::uint32_t>(*type);
  unit.cpus = cpu_list_in(sysfs_text(folder / "cpumask").value_or("")).value_or(std::vector<int>());
  for (const std::string& name : names_in(folder / "events", "energy-")) {
    if (name.find('.') == std::string::npos) add_event(unit, folder / "events", name);
  }
  return unit;
}

Result<std::unique_ptr<PerfCounter>> open_perf_counter(std::uint32_t type, std::uint64_t config,
                                                       int cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  const long descriptor =
      syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor >= 0) return std::make_unique<OpenedPerfCounter>(static_cast<int>(descriptor));
  const int code = errno;
  const bool denied = code == EACCES || code == EPERM;
  return failure(ErrorKind::missing,
                 fmt::format("perf_event_open on CPU {}: {}", cpu, std::strerror(code)),
                 denied ? "sudo sysctl kernel.perf_event_paranoid=0, or sudo setcap cap_perfmon=ep "
                          "on the program, or run as root; in a container: --cap-add PERFMON and a "
                          "seccomp profile that allows perf_event_open"
                        : "see whether perf stat -a -e power/energy-pkg/ works");
}

}  // namespace tokenjoule
