#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> bad_spec(std::string_view text, std::string_view why) {
  return failure(ErrorKind::usage, fmt::format("--sensor \"{}\": {}", quoted(text), why),
                 "write it as NAME or NAME:key=value,key=value");
}

/// One "key=value" off the front of `rest`, which then begins behind the comma.
std::string next_setting(std::string_view& rest) {
  std::string setting;
  std::size_t i = 0;
  for (; i < rest.size() && rest[i] != ','; ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size() && rest[i + 1] == ',') ++i;
    setting += rest[i];
  }
  rest.remove_prefix(std::min(rest.size(), i + 1));
  return setting;
}

}  // namespace

Result<SensorSpec> sensor_spec_in(std::string_view text) {
  const auto colon = text.find(':');
  SensorSpec spec{.name = std::string(trimmed(text.substr(0, colon))), .settings = {}};
  if (spec.name.empty()) return bad_spec(text, "it names no sensor");
  std::string_view rest = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  while (!rest.empty()) {
    constexpr std::string_view kCommand = "command=";
    if (spec.name == "exec" && starts_with(rest, kCommand)) {
      spec.settings["command"] = rest.substr(kCommand.size());
      break;
    }
    const std::string setting = next_setting(rest);
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return bad_spec(text, fmt::format("\"{}\" is not key=value", quoted(setting)));
    }
    const std::string key(trimmed(std::string_view(setting).substr(0, equals)));
    if (!spec.settings.emplace(key, setting.substr(equals + 1)).second) {
      return bad_spec(text, fmt::format("{} is set twice", quoted(key)));
    }
  }
  return spec;
}

}  // namespace tokenjoule
