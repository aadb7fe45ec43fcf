#include "sensors/jetson/jetson_rails.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "devices/hwmon.hpp"
#include "sensors/file_values.hpp"

namespace tokenjoule {

namespace {

constexpr double kMicrowattsPerMilliwatt = 1000;
constexpr int kRails = 3;  // of an INA3221; its further channels are shunts and sums

void add(std::vector<JetsonRail>& rails, JetsonRail rail) {
  if (rail.name.empty() || rail.name == "NC") return;  // not connected
  const bool listed = std::any_of(rails.begin(), rails.end(),
                                  [&](const JetsonRail& other) { return other.name == rail.name; });
  if (!listed) rails.push_back(std::move(rail));
}

void add_hwmon(std::vector<JetsonRail>& rails, const std::filesystem::path& folder) {
  for (const HwmonChip& chip : hwmon_chips(folder)) {
    for (int n = 1; n <= kRails; ++n) {
      add(rails, {sysfs_text(chip.folder / fmt::format("in{}_label", n)).value_or(""),
                  chip.folder / fmt::format("in{}_input", n),
                  chip.folder / fmt::format("curr{}_input", n)});
    }
  }
}

void add_iio(std::vector<JetsonRail>& rails, const std::filesystem::path& folder) {
  for (const std::string& device : names_in(folder, "iio:device")) {
    for (int n = 0; n < kRails; ++n) {
      add(rails, {sysfs_text(folder / device / fmt::format("rail_name_{}", n)).value_or(""),
                  folder / device / fmt::format("in_power{}_input", n),
                  {}});
    }
  }
}

/// Rails of which each gives millivolts and milliamperes, or milliwatts.
class RailPower final : public ValueSource {
 public:
  explicit RailPower(std::vector<std::pair<std::unique_ptr<ValueSource>, double>> parts)
      : parts_(std::move(parts)) {}

  Result<double> read(MonoTime now) override {
    double microwatts = 0;
    for (const auto& [source, scale] : parts_) {
      TRY(const double raw, source->read(now));
      microwatts += raw * scale;
    }
    return microwatts;
  }

 private:
  std::vector<std::pair<std::unique_ptr<ValueSource>, double>> parts_;
};

}  // namespace

std::vector<JetsonRail> jetson_rails(const std::filesystem::path& root) {
  std::vector<JetsonRail> rails;
  for (const char* driver : {"ina3221", "ina3221x"}) {
    const std::filesystem::path folder = root / "sys/bus/i2c/drivers" / driver;
    for (const std::string& device : names_in(folder, "")) {
      add_hwmon(rails, folder / device / "hwmon");
      add_iio(rails, folder / device);
    }
  }
  return rails;
}

bool is_module_input(std::string_view rail) { return rail == "VDD_IN" || rail == "POM_5V_IN"; }

Result<std::unique_ptr<ValueSource>> rail_power(const std::vector<JetsonRail>& rails) {
  std::vector<std::pair<std::unique_ptr<ValueSource>, double>> parts;
  for (const JetsonRail& rail : rails) {
    if (rail.second.empty()) {
      TRY(auto milliwatts, file_value(rail.first));
      parts.emplace_back(std::move(milliwatts), kMicrowattsPerMilliwatt);
    } else {
      TRY(auto product, file_product(rail.first, rail.second));
      parts.emplace_back(std::move(product), 1.0);
    }
  }
  return std::make_unique<RailPower>(std::move(parts));
}

}  // namespace tokenjoule
