#include "devices/cpu_topology.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "devices/sysfs.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

constexpr std::int64_t kMostCpus = 65536;

std::optional<int> whole_number(const std::filesystem::path& file) {
  const auto number = integer_in(sysfs_text(file).value_or(""));
  if (!number || *number < 0 || *number > kMostCpus) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::vector<CpuPlace> cpu_places(const std::filesystem::path& root) {
  std::vector<CpuPlace> places;
  const std::filesystem::path folder = root / "sys/devices/system/cpu";
  for (const std::string& name : names_in(folder, "cpu")) {
    const auto cpu = integer_in(std::string_view(name).substr(3));
    if (!cpu) continue;  // cpufreq, cpuidle
    const std::filesystem::path topology = folder / name / "topology";
    const auto package = whole_number(topology / "physical_package_id");
    if (!package) continue;
    places.push_back({static_cast<int>(*cpu), *package, whole_number(topology / "die_id")});
  }
  return places;
}

std::optional<std::vector<int>> cpu_list_in(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string_view range : split(trimmed(text), ',')) {
    const auto dash = range.find('-');
    const auto first = integer_in(range.substr(0, dash));
    const auto last = dash == range.npos ? first : integer_in(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kMostCpus) return std::nullopt;
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

CpuModel cpu_model_in(const std::filesystem::path& proc) {
  CpuModel model;
  const auto info = file_bytes(proc / "cpuinfo");
  if (!info) return model;
  for (const std::string_view line : split(*info, '\n')) {
    const auto colon = line.find(':');
    if (colon == line.npos) {
      if (trimmed(line).empty()) break;  // the first CPU ends here
      continue;
    }
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "vendor_id") model.vendor = value;
    if (key == "model name") model.name = value;
    if (key != "flags") continue;
    const auto flags = split(value, ' ');
    model.virtual_machine = std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
  }
  return model;
}

}  // namespace tokenjoule
