#include "sensors/dcgm/dcgm_page.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "model/containment.hpp"

namespace tokenjoule {

namespace {

/// The label under any name that exporters and Prometheus give it.
std::optional<std::string_view> label_of(const PrometheusSample& sample, const std::string& name) {
  if (const auto value = sample.label(name)) return value;
  if (name == "hostname") return sample.label("Hostname");  // before exporter 4.8.3
  return sample.label("exported_" + name);                  // renamed by a Prometheus in between
}

bool fits(const PrometheusSample& sample, const DcgmFilter& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& condition) {
    return label_of(sample, condition.first) == condition.second;
  });
}

/// Rows of one page were read within one update of the board's counter: at most 0.1 s of 1.5 kW.
constexpr double kStepJoules = 150;
constexpr double kGaugeTolerance = 0.05;

bool agree(const DcgmMetric& metric, double a, double b) {
  if (metric.measurand == Measurand::energy) return std::abs(a - b) * metric.to_si <= kStepJoules;
  return std::abs(a - b) <= kGaugeTolerance * std::max(a, b);
}

/// What the first sample about a GPU says of it.
struct GpuRow {
  std::string name;
  std::string number;
  std::string host;
  std::string driver;
};

std::string text_of(std::optional<std::string_view> label) {
  return std::string(label.value_or(""));
}

GpuRow row_of(const PrometheusSample& sample) {
  auto driver = sample.label("DCGM_FI_DRIVER_VERSION");
  if (!driver) driver = sample.label("DCGM_FI_SYSTEM_DRIVER_VERSION");
  return {.name = text_of(sample.label("modelName")),
          .number = text_of(sample.label("gpu")),
          .host = text_of(label_of(sample, "hostname")),
          .driver = text_of(driver)};
}

std::map<std::string, GpuRow> gpus_on(const PrometheusPage& page, const DcgmFilter& filter) {
  std::map<std::string, GpuRow> gpus;
  for (const PrometheusFamily& family : page.families) {
    for (const PrometheusSample& sample : family.samples) {
      const auto uuid = gpu_uuid_of(sample);
      if (uuid && fits(sample, filter)) gpus.emplace(*uuid, row_of(sample));
    }
  }
  return gpus;
}

/// The counter of a GH200 is its module's, with CPU and memory.
bool counts_its_module(const GpuRow& row) { return row.name.find("GH200") != std::string::npos; }

Device device_of(const std::string& uuid, const GpuRow& row, bool several_hosts) {
  Device device = {.id = uuid,
                   .name = row.name,
                   .kind = DeviceKind::gpu,
                   .label = several_hosts ? row.host + ":" + row.number : row.number,
                   .simulated = starts_with(uuid, "GPU-51d0")};
  if (counts_its_module(row)) device.facts[kContainsFact] = kCpuAndMemory;
  return device;
}

Signal signal_of(const std::string& uuid, const GpuRow& row, const DcgmMetric& metric) {
  Signal signal{.sensor = "dcgm",
                .device = uuid,
                .measurand = metric.measurand,
                .kind = metric.kind,
                .boundary = Boundary::gpu_board,
                .source = metric.name,
                .raw_unit = metric.raw_unit,
                .to_si = metric.to_si};
  signal.driver = row.driver;
  if (metric.is_average && averages_power(row.name)) signal.averaging = Seconds(1);
  if (metric.measurand == Measurand::energy && counts_its_module(row)) {
    signal.boundary = Boundary::gpu_module;
  }
  return signal;
}

}  // namespace

bool averages_power(std::string_view model_name) {
  // GA100 and boards before Ampere give power as it is at the moment (NVML's nvml.h, 13.3).
  static const std::set<std::string_view> instantaneous = {"A100", "A800", "A30", "V100", "T4",
                                                           "P100", "P40",  "P4",  "K80",  "M60"};
  std::string words(model_name);
  std::replace(words.begin(), words.end(), '-', ' ');
  for (const std::string_view word : split(words, ' ')) {
    if (instantaneous.count(word)) return false;
  }
  return true;
}

DcgmReadings dcgm_readings(const PrometheusPage& page, const std::vector<DcgmMetric>& metrics,
                           const DcgmFilter& filter) {
  DcgmReadings readings;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const PrometheusFamily* family = page.family(metrics[i].name);
    if (family == nullptr) continue;
    for (const PrometheusSample& sample : family->samples) {
      const auto uuid = gpu_uuid_of(sample);
      const auto value = dcgm_value(metrics[i], sample.value);
      if (!uuid || !value || !fits(sample, filter)) continue;
      const auto [at, is_new] = readings.values.emplace(std::pair(*uuid, i), *value);
      if (!is_new && !agree(metrics[i], at->second, *value)) {
        readings.contradictions.emplace(at->first, sample.line);
      }
    }
  }
  for (const auto& [key, line] : readings.contradictions) readings.values.erase(key);
  return readings;
}

SensorContents dcgm_contents(const PrometheusPage& page, const std::vector<DcgmMetric>& metrics,
                             const DcgmFilter& filter, const DcgmReadings& readings) {
  const auto gpus = gpus_on(page, filter);
  std::set<std::string> hosts;
  for (const auto& [uuid, row] : gpus) hosts.insert(row.host);
  SensorContents contents;
  for (const auto& [key, value] : readings.values) {
    const auto& [uuid, metric] = key;
    const GpuRow& row = gpus.at(uuid);
    if (contents.devices.empty() || contents.devices.back().id != uuid) {
      contents.devices.push_back(device_of(uuid, row, hosts.size() > 1));
    }
    Signal signal = signal_of(uuid, row, metrics[metric]);
    signal.id = static_cast<std::uint32_t>(contents.signals.size());
    contents.signals.push_back(std::move(signal));
  }
  std::sort(contents.devices.begin(), contents.devices.end(), [](const Device& a, const Device& b) {
    return std::pair(a.label.size(), a.label) < std::pair(b.label.size(), b.label);
  });
  return contents;
}

}  // namespace tokenjoule
