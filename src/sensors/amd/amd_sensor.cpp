#include "sensors/amd/amd_sensor.hpp"

#include <utility>

#include <fmt/core.h>

#include "sensors/amd/amd_library.hpp"
#include "sensors/amd/amd_sysfs.hpp"

namespace tokenjoule {

namespace {

constexpr char kNoLibrary[] = "none";

Result<AmdGpus> by_library(const std::string& library, const std::string& root, Clock& clock) {
  TRY(auto smi, AmdSmi::open(library));
  return amd_gpus_in_library(std::shared_ptr<const AmdSmi>(std::move(smi)), root, clock);
}

Result<AmdGpus> by_files(const std::string& root, const std::string& why_files, Clock& clock) {
  TRY(AmdGpus found, amd_gpus_in_sysfs(root, clock));
  for (Device& device : found.devices) {
    device.facts[kReadByFact] =
        "the amdgpu driver's files" + (why_files.empty() ? "" : ": " + why_files);
  }
  return found;
}

/// The library where there is one of a known version, else the driver's files, which say why.
Result<AmdGpus> found_gpus(const SensorSpec& spec, Clock& clock) {
  const std::string library = setting_of(spec, "library");
  const std::string root = root_of(spec);
  if (library == kNoLibrary || (library.empty() && spec.settings.count("root") > 0)) {
    return by_files(root, "", clock);
  }
  auto found = by_library(library, root, clock);
  if (found || !library.empty()) return found;
  auto in_files = by_files(root, found.error().message, clock);
  if (in_files) return in_files;
  Error neither = in_files.error();
  neither.message += "; by AMD's library: " + found.error().message;
  return unexpected(std::move(neither));
}

}  // namespace

Result<std::unique_ptr<Sensor>> open_amd(const SensorSpec& spec, Clock& clock) {
  TRY(AmdGpus found, found_gpus(spec, clock));
  return value_sensor(std::move(found.devices), std::move(found.values), std::move(found.notes),
                      setting_of(spec, "group"), clock.now());
}

}  // namespace tokenjoule
