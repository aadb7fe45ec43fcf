#include "sensors/page_settings.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string value_of(const SensorSpec& spec, const char* key) {
  const auto at = spec.settings.find(key);
  return at == spec.settings.end() ? std::string() : at->second;
}

}  // namespace

Result<PageSettings> page_settings_in(const SensorSpec& spec, const std::string& default_url) {
  PageSettings settings;
  TRY(const Url by_default, url_in(default_url));
  const std::string url = value_of(spec, "url");
  TRY(settings.url, url.empty() ? Result<Url>(by_default) : url_in(url));
  if (settings.url.path.empty()) settings.url.path = by_default.path;
  settings.group = value_of(spec, "group");
  settings.tls.ca_file = value_of(spec, "cacert");
  const std::string insecure = value_of(spec, "insecure");
  if (insecure == "yes") settings.tls.verification = TlsOptions::Verification::none;
  if (!insecure.empty() && insecure != "yes" && insecure != "no") {
    return failure(ErrorKind::usage, fmt::format("insecure={} is not known", quoted(insecure)),
                   "write insecure=yes, or leave it out");
  }
  const std::string timeout = value_of(spec, "timeout");
  if (timeout.empty()) return settings;
  TRY(settings.timeout, duration_in(timeout));
  if (settings.timeout > Seconds(0) && settings.timeout <= Seconds(30)) return settings;
  return failure(ErrorKind::usage,
                 fmt::format("timeout={} is not above 0 and at most 30 s", quoted(timeout)),
                 "write timeout=1s");
}

}  // namespace tokenjoule
