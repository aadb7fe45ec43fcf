#include "sensors/setting_values.hpp"

#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

tl::unexpected<Error> not_taken(const SensorSpec& spec, std::string_view name,
                                std::string_view value, std::string hint) {
  return failure(ErrorKind::usage,
                 fmt::format("the sensor {}: {}={} is not known", spec.name, name, quoted(value)),
                 std::move(hint));
}

}  // namespace

std::string text_setting(const SensorSpec& spec, std::string_view name, std::string_view fallback) {
  const auto at = spec.settings.find(std::string(name));
  return at == spec.settings.end() ? std::string(fallback) : at->second;
}

Result<bool> yes_setting(const SensorSpec& spec, std::string_view name) {
  const std::string value = text_setting(spec, name, "no");
  if (value == "yes" || value == "no") return value == "yes";
  return not_taken(spec, name, value, fmt::format("write {}=yes, or leave it out", name));
}

Result<Nanoseconds> duration_setting(const SensorSpec& spec, std::string_view name,
                                     Nanoseconds fallback, Nanoseconds least) {
  const std::string value = text_setting(spec, name);
  if (value.empty()) return fallback;
  const auto seconds = duration_in(value);
  if (seconds && seconds->value() <= 86'400 && to_nanoseconds(*seconds) >= least) {
    return to_nanoseconds(*seconds);
  }
  return not_taken(
      spec, name, value,
      fmt::format("give a time of {:g}s to 24h, such as {}=5s", to_seconds(least).value(), name));
}

Result<int> number_setting(const SensorSpec& spec, std::string_view name, int fallback,
                           int largest) {
  const std::string value = text_setting(spec, name);
  if (value.empty()) return fallback;
  const auto number = integer_in(value);
  if (number && *number >= 0 && *number <= largest) return static_cast<int>(*number);
  return not_taken(spec, name, value, fmt::format("give a whole number from 0 to {}", largest));
}

Result<Boundary> boundary_setting(const SensorSpec& spec, Boundary fallback,
                                  std::span<const Boundary> allowed) {
  const std::string value = text_setting(spec, "boundary");
  if (value.empty()) return fallback;
  std::vector<std::string_view> names;
  for (const Boundary boundary : allowed) {
    names.push_back(name_of(boundary));
    if (names.back() == value) return boundary;
  }
  return not_taken(spec, "boundary", value, fmt::format("it may be {}", fmt::join(names, " or ")));
}

Result<TlsOptions> tls_settings(const SensorSpec& spec) {
  TlsOptions tls;
  TRY(const bool insecure, yes_setting(spec, "insecure"));
  if (insecure) tls.verification = TlsOptions::Verification::none;
  tls.ca_file = text_setting(spec, "cacert");
  tls.fingerprint = text_setting(spec, "fingerprint");
  const int given =
      (insecure ? 1 : 0) + (tls.ca_file.empty() ? 0 : 1) + (tls.fingerprint.empty() ? 0 : 1);
  if (given <= 1) return tls;
  return failure(
      ErrorKind::usage,
      fmt::format("the sensor {}: cacert, fingerprint and insecure exclude each other", spec.name),
      "give one of them");
}

}  // namespace tokenjoule
