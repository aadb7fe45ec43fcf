#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "io/tls.hpp"
#include "model/boundary.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

// Settings that several sensors take, each read alike. All errors are of kind usage and name the
// setting.

/// The setting's text; `fallback` where it is not given.
std::string text_setting(const SensorSpec& spec, std::string_view name,
                         std::string_view fallback = "");
/// "yes" or "no"; no where it is not given.
Result<bool> yes_setting(const SensorSpec& spec, std::string_view name);
/// A length of time, at least `least`.
Result<Nanoseconds> duration_setting(const SensorSpec& spec, std::string_view name,
                                     Nanoseconds fallback, Nanoseconds least);
/// A whole number from 0 to `largest`.
Result<int> number_setting(const SensorSpec& spec, std::string_view name, int fallback,
                           int largest);
/// "boundary", one of `allowed`.
Result<Boundary> boundary_setting(const SensorSpec& spec, Boundary fallback,
                                  std::span<const Boundary> allowed);
/// "cacert", "insecure" and "fingerprint", which exclude each other.
Result<TlsOptions> tls_settings(const SensorSpec& spec);

}  // namespace tokenjoule
