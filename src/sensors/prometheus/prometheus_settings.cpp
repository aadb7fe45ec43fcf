#include "sensors/prometheus/prometheus_settings.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "sensors/prometheus/promql_answer.hpp"
#include "sensors/secret_setting.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> usage(std::string message, std::string hint) {
  return failure(ErrorKind::usage, "the sensor prometheus: " + std::move(message), std::move(hint));
}

std::string value_of(const SensorSpec& spec, const std::string& key) {
  const auto at = spec.settings.find(key);
  return at == spec.settings.end() ? std::string() : at->second;
}

Status take_query(const SensorSpec& spec, PrometheusSettings& settings) {
  settings.query = trimmed(value_of(spec, "query"));
  if (settings.query.empty())
    return usage("it needs a query", "write query=METRIC{label=\"value\"}");
  const std::string guessing = extrapolating_function_in(settings.query);
  if (guessing.empty()) return {};
  return usage(fmt::format("{}() makes values that were never read", guessing),
               "give the counter or the gauge itself: energy is worked out from its own samples");
}

/// A counter must be said to be one: Prometheus does not tell, and exporters mistype.
Status take_kind(const SensorSpec& spec, PrometheusSettings& settings) {
  TRY(settings.unit, unit_setting(spec));
  const std::string kind = value_of(spec, "kind");
  const bool is_energy = settings.unit.measurand == Measurand::energy;
  settings.kind = is_energy ? SignalKind::counter : SignalKind::gauge;
  if (is_energy && kind != "counter") {
    return usage("energy is used only as a counter that grows with what was drawn",
                 "state kind=counter if it is one, whatever type its exporter declares");
  }
  if (!is_energy && !kind.empty() && kind != "gauge")
    return usage(fmt::format("kind={} does not go with watts", quoted(kind)), "write kind=gauge");
  return {};
}

Status take_login(const SensorSpec& spec, PrometheusSettings& settings) {
  TRY(const auto bearer, secret_setting(spec, "bearer"));
  TRY(const auto password, secret_setting(spec, "password"));
  const std::string user = value_of(spec, "user");
  if (bearer && (password || !user.empty()))
    return usage("bearer and user exclude each other", "give one of them");
  if (password.has_value() == user.empty())
    return usage("user and password go together",
                 "give user=NAME with password_env=VARIABLE or password_file=FILE");
  if (bearer) settings.http.headers.emplace_back("Authorization", "Bearer " + *bearer);
  if (password) {
    settings.http.headers.emplace_back("Authorization",
                                       "Basic " + base64_of(user + ":" + *password));
  }
  return {};
}

Status take_tls(const SensorSpec& spec, PrometheusSettings& settings) {
  settings.http.tls.ca_file = value_of(spec, "cacert");
  const std::string insecure = value_of(spec, "insecure");
  if (insecure == "yes") settings.http.tls.verification = TlsOptions::Verification::none;
  if (insecure.empty() || insecure == "yes" || insecure == "no") return {};
  return usage(fmt::format("insecure={} is not known", quoted(insecure)),
               "write insecure=yes, or leave it out");
}

Status take_times(const SensorSpec& spec, PrometheusSettings& settings) {
  settings.http.timeout = Seconds(5);
  if (const std::string text = value_of(spec, "timeout"); !text.empty()) {
    TRY(settings.http.timeout, duration_in(text));
    if (settings.http.timeout <= Seconds(0) || settings.http.timeout > Seconds(30))
      return usage("timeout is not above 0 and at most 30 s", "write timeout=5s");
  }
  if (const std::string text = value_of(spec, "period"); !text.empty()) {
    TRY(const Seconds period, duration_in(text));
    if (period < Seconds(0.1) || period > Seconds(60))
      return usage("period is not between 0.1 s and 60 s", "write period=1s");
    settings.period = to_nanoseconds(period);
  }
  return {};
}

}  // namespace

Result<PrometheusSettings> prometheus_settings_in(const SensorSpec& spec) {
  PrometheusSettings settings;
  TRY(settings.url, url_in(value_of(spec, "url")));
  if (!settings.url.user_info.empty())
    return usage("a password does not stand in a URL",
                 "give user and password_env or password_file");
  TRY_DO(take_query(spec, settings));
  TRY_DO(take_kind(spec, settings));
  TRY(settings.boundary, boundary_setting(spec, std::nullopt));
  TRY_DO(take_login(spec, settings));
  TRY_DO(take_tls(spec, settings));
  TRY_DO(take_times(spec, settings));
  settings.group = value_of(spec, "group");
  const std::string labels = value_of(spec, "device_label");
  for (const std::string_view label : split(labels, '+')) {
    if (!label.empty()) settings.device_labels.emplace_back(label);
  }
  return settings;
}

}  // namespace tokenjoule
