#include "sensors/snmp/snmp_settings.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "sensors/secret_setting.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> usage(std::string message, std::string hint) {
  return failure(ErrorKind::usage, "the sensor snmp: " + std::move(message), std::move(hint));
}

std::string value_of(const SensorSpec& spec, const std::string& key) {
  const auto at = spec.settings.find(key);
  return at == spec.settings.end() ? std::string() : at->second;
}

bool is_set(const SensorSpec& spec, const std::string& key) { return spec.settings.count(key); }

Result<int> whole_number(const SensorSpec& spec, const std::string& key, int least, int most) {
  const std::string text = value_of(spec, key);
  const auto number = integer_in(text);
  if (number && *number >= least && *number <= most) return static_cast<int>(*number);
  return usage(
      fmt::format("{}={} is no whole number from {} to {}", key, quoted(text), least, most),
      fmt::format("write {}={}", key, std::max(least, 1)));
}

/// host=pdu-1, pdu-1:1161, [::1]:161.
Status take_host(const SensorSpec& spec, SnmpAccess& access) {
  const std::string text = value_of(spec, "host");
  const bool only_host = text.find_first_of("/?#@") == std::string::npos;
  auto url = url_in(text);
  if (!only_host || !url) {
    return usage(fmt::format("host={} is no host", quoted(text)),
                 "write host=NAME or host=NAME:161");
  }
  access.host = url->host;
  const auto after_bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  const bool has_port =
      colon != std::string::npos && (after_bracket == std::string::npos || colon > after_bracket);
  access.port = has_port ? url->port : std::uint16_t{161};
  return {};
}

Status take_community(const SensorSpec& spec, SnmpAccess& access) {
  TRY(const auto secret, secret_setting(spec, "community"));
  const std::string stated = value_of(spec, "community");
  constexpr char kHint[] =
      "give it as community_env=VARIABLE or community_file=FILE; community=public may be written "
      "out";
  if (secret && !stated.empty()) return usage("two communities are given", kHint);
  if (!secret && stated.empty()) return usage("it needs a community", kHint);
  if (!secret && stated != "public") {
    return usage("a community is a password and is not written on the command line", kHint);
  }
  access.community = secret.value_or(stated);
  return {};
}

/// One protocol of v3 with its password: "auth" or "priv".
Status take_protocol(const SensorSpec& spec, const std::string& key,
                     const std::vector<std::string>& known, std::string& protocol,
                     std::string& password) {
  protocol = value_of(spec, key);
  TRY(const auto secret, secret_setting(spec, key + "_password"));
  if (protocol.empty() && !secret) return {};
  if (std::find(known.begin(), known.end(), protocol) == known.end()) {
    return usage(fmt::format("{}={} is not known", key, quoted(protocol)),
                 fmt::format("write {}={}", key, fmt::join(known, ", ")));
  }
  if (!secret) {
    return usage(
        fmt::format("{} needs a password", key),
        fmt::format("give it as {0}_password_env=VARIABLE or {0}_password_file=FILE", key));
  }
  constexpr std::size_t kShortest = 8;  // RFC 3414, section 11.2
  if (secret->size() < kShortest) {
    return usage(fmt::format("the {} password is shorter than 8 characters", key),
                 "SNMP v3 takes passwords of 8 characters and more");
  }
  password = *secret;
  return {};
}

Status take_user(const SensorSpec& spec, SnmpAccess& access) {
  access.user = value_of(spec, "user");
  if (access.user.empty()) return usage("version 3 needs a user", "write user=NAME");
  TRY_DO(take_protocol(spec, "auth", snmp_auth_protocols(), access.auth_protocol,
                       access.auth_password));
  TRY_DO(take_protocol(spec, "priv", snmp_priv_protocols(), access.priv_protocol,
                       access.priv_password));
  if (!access.priv_protocol.empty() && access.auth_protocol.empty()) {
    return usage("priv needs auth", "write auth=SHA with its password as well");
  }
  return {};
}

Status take_version(const SensorSpec& spec, SnmpAccess& access) {
  const std::string version = value_of(spec, "version");
  const bool is_three = version == "3" || (version.empty() && is_set(spec, "user"));
  if (!is_three && !version.empty() && version != "2c") {
    return usage(fmt::format("version={} is not known", quoted(version)),
                 "write version=2c or version=3");
  }
  for (const char* key : {"community", "community_env", "community_file"}) {
    if (is_three && is_set(spec, key))
      return usage(fmt::format("version 3 takes no {}", key), "give user, auth and priv");
  }
  for (const char* key : {"user", "auth", "auth_password_env", "auth_password_file", "priv",
                          "priv_password_env", "priv_password_file"}) {
    if (!is_three && is_set(spec, key))
      return usage(fmt::format("version 2c takes no {}", key), "write version=3");
  }
  return is_three ? take_user(spec, access) : take_community(spec, access);
}

Status take_times(const SensorSpec& spec, SnmpSettings& settings) {
  constexpr Seconds kLongest(30);
  if (is_set(spec, "timeout")) {
    TRY(settings.access.timeout, duration_in(value_of(spec, "timeout")));
    if (settings.access.timeout < Seconds(0.01) || settings.access.timeout > kLongest)
      return usage("timeout is not between 10 ms and 30 s", "write timeout=1s");
  }
  if (is_set(spec, "retries")) {
    TRY(settings.access.retries, whole_number(spec, "retries", 0, 10));
  }
  if (is_set(spec, "period")) {
    TRY(const Seconds period, duration_in(value_of(spec, "period")));
    if (period < Seconds(0.02)) return usage("period is below 20 ms", "write period=1s");
    settings.period = to_nanoseconds(period);
  }
  return {};
}

/// "3" or "1+2+5".
Result<std::vector<int>> numbers_in(const std::string& key, const std::string& text) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, '+')) {
    const auto number = integer_in(part);
    if (!number || *number < 0 || *number > 10000 ||
        std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) {
      return usage(fmt::format("{}={} names no {}", key, quoted(text), key),
                   fmt::format("write {0}=3 or {0}=1+2, each once", key));
    }
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

std::string device_name(const SensorSpec& spec, const SnmpAccess& access, const SnmpPart& part,
                        bool several) {
  const std::string given = value_of(spec, "device");
  if (!given.empty() && !several) return given;
  std::string name = given.empty() ? access.host : given;
  if (is_set(spec, "pdu")) name += "/pdu-" + value_of(spec, "pdu");
  if (is_set(spec, "inlet") && part.kind != SnmpPart::Kind::inlet)
    name += "/inlet-" + value_of(spec, "inlet");
  return fmt::format("{}/{}-{}", name, name_of(part.kind), part.number);
}

/// Which part a profile is asked for: outlets, else phases, else an inlet.
Result<std::vector<SnmpPart>> parts_in(const SensorSpec& spec) {
  if (is_set(spec, "outlet") && is_set(spec, "phase"))
    return usage("outlet and phase exclude each other", "give two sensors");
  const auto kind = is_set(spec, "outlet")  ? SnmpPart::Kind::outlet
                    : is_set(spec, "phase") ? SnmpPart::Kind::phase
                                            : SnmpPart::Kind::inlet;
  const std::string key(name_of(kind));
  TRY(const auto numbers, numbers_in(key, is_set(spec, key) ? value_of(spec, key) : "1"));
  std::vector<SnmpPart> parts;
  for (const int number : numbers) parts.push_back({kind, number});
  return parts;
}

Status take_profile(const SensorSpec& spec, SnmpSettings& settings) {
  SnmpPlace place;
  if (is_set(spec, "pdu")) {
    TRY(place.pdu, whole_number(spec, "pdu", 0, 1000));
  }
  TRY(const auto parts, parts_in(spec));
  if (is_set(spec, "inlet") && parts.front().kind != SnmpPart::Kind::inlet) {
    TRY(place.inlet, whole_number(spec, "inlet", 1, 1000));
  }
  const bool is_outlet = parts.front().kind == SnmpPart::Kind::outlet;
  // A node hangs at outlets; what comes in at an inlet or on a phase feeds all of them.
  TRY(settings.boundary, boundary_setting(spec, is_outlet ? Boundary::node_ac : Boundary::rack));
  for (const SnmpPart& part : parts) {
    TRY(auto points, snmp_points(value_of(spec, "profile"), part, place));
    settings.meters.push_back({device_name(spec, settings.access, part, parts.size() > 1),
                               std::move(points),
                               is_outlet ? std::to_string(part.number) : std::string()});
  }
  return {};
}

Status take_oid(const SensorSpec& spec, SnmpSettings& settings) {
  TRY(SnmpOid oid, snmp_oid_in(value_of(spec, "oid")));
  TRY(StatedUnit unit, unit_setting(spec));
  TRY(settings.boundary, boundary_setting(spec, std::nullopt));
  std::string device = value_of(spec, "device");
  if (device.empty()) device = fmt::format("{}/{}", settings.access.host, text_of(oid));
  settings.meters.push_back(
      {std::move(device), {{.oid = std::move(oid), .unit = std::move(unit)}}, ""});
  return {};
}

Status take_meters(const SensorSpec& spec, SnmpSettings& settings) {
  const bool by_oid = is_set(spec, "oid");
  if (by_oid == is_set(spec, "profile")) {
    return usage(by_oid ? "oid and profile exclude each other" : "it needs a profile or an oid",
                 "write profile=apc, raritan, servertech or eaton; or oid=…,unit=W,boundary=…");
  }
  const std::vector<const char*> others =
      by_oid ? std::vector<const char*>{"outlet", "phase", "inlet", "pdu"}
             : std::vector<const char*>{"unit"};
  for (const char* key : others) {
    if (is_set(spec, key))
      return usage(fmt::format("{} does not go with {}", key, by_oid ? "oid" : "profile"),
                   "leave it out");
  }
  return by_oid ? take_oid(spec, settings) : take_profile(spec, settings);
}

}  // namespace

Result<SnmpSettings> snmp_settings_in(const SensorSpec& spec) {
  SnmpSettings settings;
  settings.group = value_of(spec, "group");
  TRY_DO(take_host(spec, settings.access));
  TRY_DO(take_times(spec, settings));
  TRY_DO(take_meters(spec, settings));
  TRY_DO(take_version(spec, settings.access));
  return settings;
}

}  // namespace tokenjoule
