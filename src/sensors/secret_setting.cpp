#include "sensors/secret_setting.hpp"

#include <cstdlib>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {
namespace {

Result<std::string> environment_secret(const SensorSpec& spec, const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  if (value != nullptr && *value != '\0') return std::string(value);
  return failure(ErrorKind::usage,
                 fmt::format("the sensor {}: the environment variable {} is {}", spec.name,
                             quoted(variable), value == nullptr ? "not set" : "empty"),
                 "export it, or name another one");
}

Result<std::string> file_secret(const SensorSpec& spec, const std::string& path) {
  TRY(const std::string bytes, file_bytes(path));
  std::string line = bytes.substr(0, bytes.find('\n'));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (!line.empty()) return line;
  return failure(ErrorKind::usage,
                 fmt::format("the sensor {}: the first line of {} is empty", spec.name, path),
                 "write the secret there");
}

}  // namespace

Result<std::optional<std::string>> secret_setting(const SensorSpec& spec, std::string_view name) {
  const auto variable = spec.settings.find(fmt::format("{}_env", name));
  const auto path = spec.settings.find(fmt::format("{}_file", name));
  const bool has_variable = variable != spec.settings.end();
  const bool has_path = path != spec.settings.end();
  if (has_variable && has_path) {
    return failure(
        ErrorKind::usage,
        fmt::format("the sensor {} was given both {}_env and {}_file", spec.name, name, name),
        "give one of them");
  }
  if (has_variable) return environment_secret(spec, variable->second);
  if (has_path) return file_secret(spec, path->second);
  return std::optional<std::string>();
}

}  // namespace tokenjoule
