#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sensors/value_sensor.hpp"

namespace tokenjoule {

/// A rail that an INA3221 of a Jetson measures: by volts and amperes (hwmon), or by its power, as
/// the driver of older releases gives it (iio).
struct JetsonRail {
  std::string name;  ///< "VDD_IN"
  std::filesystem::path first;
  std::filesystem::path second;  ///< empty where `first` is a power in milliwatts
};
/// All named rails of the INA3221s under `root`, each name once, without those not connected.
std::vector<JetsonRail> jetson_rails(const std::filesystem::path& root);

/// Whether a rail is the input of the whole module, by name.
bool is_module_input(std::string_view rail);

/// The power of rails together, in microwatts; they are read one after the other.
Result<std::unique_ptr<ValueSource>> rail_power(const std::vector<JetsonRail>& rails);

}  // namespace tokenjoule
