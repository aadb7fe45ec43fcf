#include "sensors/dcgm/dcgm_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

struct Unit {
  std::string_view name = {};
  double to_si = 1;
};
constexpr Unit kMillijoules{"mJ", 1e-3};
constexpr Unit kJoules{"J", 1};
constexpr Unit kWatts{"W", 1};
constexpr Unit kCelsius{"degC", 1};
constexpr Unit kMegahertz{"MHz", 1};  // our unit of a clock is the megahertz
constexpr Unit kHertz{"Hz", 1e-6};
constexpr Unit kPercent{"%", 0.01};
constexpr Unit kShare{"1", 1};
constexpr Unit kMebibytes{"MiB", 1048576};
constexpr Unit kBytes{"B", 1};
constexpr Unit kNanoseconds{"ns", 1e-9};

struct Spelling {
  std::string_view name = {};  ///< "" for none
  Unit unit = {};
};

/// The fields that are read. Sources: DCGM's dcgm_fields.h of 4.6.0 (old names are kept there as
/// aliases of the new), and the exporter's compatibility names (dcgm_...).
struct Field {
  Measurand measurand;
  SignalKind kind;
  std::array<Spelling, 3> spellings;     ///< old and new names of one field id, any one will do
  std::string_view word = {};            ///< what an unknown newer name must hold, "" for nothing
  std::array<Spelling, 3> endings = {};  ///< and the endings that tell its unit
  bool is_average = false;
  bool zero_is_absent = false;
};

using M = Measurand;
constexpr auto kCounter = SignalKind::counter;
constexpr auto kGauge = SignalKind::gauge;
constexpr Field kFields[] = {
    {.measurand = M::power,
     .kind = kGauge,
     .spellings = {{{"DCGM_FI_DEV_POWER_USAGE", kWatts},
                    {"DCGM_FI_DEV_BOARD_POWER_WATTS", kWatts},
                    {"dcgm_power_usage", kWatts}}},
     .is_average = true},
    {.measurand = M::power,
     .kind = kGauge,
     .spellings = {{{"DCGM_FI_DEV_POWER_USAGE_INSTANT", kWatts},
                    {"DCGM_FI_DEV_BOARD_POWER_RAW_WATTS", kWatts}}},
     .zero_is_absent = true},
    {M::power_limit_enforced,
     kGauge,
     {{{"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", kWatts},
       {"DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS", kWatts}}}},
    {M::power_limit_default,
     kGauge,
     {{{"DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", kWatts},
       {"DCGM_FI_DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS", kWatts}}}},
    {M::power_limit_max,
     kGauge,
     {{{"DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX", kWatts},
       {"DCGM_FI_DEV_BOARD_POWER_LIMIT_MAX_WATTS", kWatts}}}},
    {M::power_limit_min,
     kGauge,
     {{{"DCGM_FI_DEV_POWER_MGMT_LIMIT_MIN", kWatts},
       {"DCGM_FI_DEV_BOARD_POWER_LIMIT_MIN_WATTS", kWatts}}}},
    {M::power_limit_requested,
     kGauge,
     {{{"DCGM_FI_DEV_POWER_MGMT_LIMIT", kWatts},
       {"DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS", kWatts}}}},
    {M::temperature,
     kGauge,
     {{{"DCGM_FI_DEV_GPU_TEMP", kCelsius},
       {"DCGM_FI_DEV_GPU_TEMP_CELSIUS", kCelsius},
       {"dcgm_gpu_temp", kCelsius}}}},
    {.measurand = M::sm_clock,
     .kind = kGauge,
     .spellings = {{{"DCGM_FI_DEV_SM_CLOCK", kMegahertz}, {"dcgm_sm_clock", kMegahertz}}},
     .word = "SM_CLOCK",
     .endings = {{{"_MHZ", kMegahertz}, {"_HZ", kHertz}, {"_HERTZ", kHertz}}}},
    {.measurand = M::memory_clock,
     .kind = kGauge,
     .spellings = {{{"DCGM_FI_DEV_MEM_CLOCK", kMegahertz}, {"dcgm_memory_clock", kMegahertz}}},
     .word = "MEM_CLOCK",
     .endings = {{{"_MHZ", kMegahertz}, {"_HZ", kHertz}, {"_HERTZ", kHertz}}}},
    {M::utilisation,
     kGauge,
     {{{"DCGM_FI_DEV_GPU_UTIL", kPercent}, {"dcgm_gpu_utilization", kPercent}}}},
    {.measurand = M::memory_used,
     .kind = kGauge,
     .spellings = {{{"DCGM_FI_DEV_FB_USED", kMebibytes}, {"dcgm_fb_used", kMebibytes}}},
     .word = "FB_USED",
     .endings = {{{"_BYTES", kBytes}, {"_MIB", kMebibytes}}}},
    {M::throttled_time, kCounter, {{{"DCGM_FI_DEV_THERMAL_VIOLATION", kNanoseconds}}}},
    {M::power_capped_time,
     kCounter,
     {{{"DCGM_FI_DEV_POWER_VIOLATION", kNanoseconds},
       {"DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP_NS", kNanoseconds}}}},
};

bool is_about_gpus(const PrometheusFamily& family) {
  return std::any_of(
      family.samples.begin(), family.samples.end(),
      [](const PrometheusSample& sample) { return gpu_uuid_of(sample).has_value(); });
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

DcgmMetric metric_of(const Field& field, std::string_view name, const Unit& unit) {
  return {.measurand = field.measurand,
          .kind = field.kind,
          .name = std::string(name),
          .raw_unit = std::string(unit.name),
          .to_si = unit.to_si,
          .is_average = field.is_average,
          .zero_is_absent = field.zero_is_absent};
}

std::optional<DcgmMetric> metric_for(const Field& field, const PrometheusPage& page) {
  for (const Spelling& spelling : field.spellings) {
    const auto* family = spelling.name.empty() ? nullptr : page.family(spelling.name);
    if (family && is_about_gpus(*family)) return metric_of(field, spelling.name, spelling.unit);
  }
  if (field.word.empty()) return std::nullopt;
  for (const PrometheusFamily& family : page.families) {
    if (!starts_with(family.name, "DCGM_FI_DEV_") || !has(family.name, field.word)) continue;
    for (const Spelling& ending : field.endings) {
      if (!ending.name.empty() && ends_with(family.name, ending.name) && is_about_gpus(family)) {
        return metric_of(field, family.name, ending.unit);
      }
    }
  }
  return std::nullopt;
}

/// Field 203 under its newer name: a percentage in DCGM 4.6 and a share from 4.7 on, which only the
/// HELP text can tell apart. Where it does not, the metric is not read.
std::optional<DcgmMetric> utilisation_by_help(const PrometheusPage& page) {
  const auto* family = page.family("DCGM_FI_DEV_GPU_UTIL_RATIO");
  if (!family || !is_about_gpus(*family)) return std::nullopt;
  const std::string help = lower_case(family->help);
  const Field field{
      .measurand = Measurand::utilisation, .kind = SignalKind::gauge, .spellings = {}};
  if (has(help, "percent") || has(help, "%")) return metric_of(field, family->name, kPercent);
  if (has(help, "0..1") || has(help, "0-1") || has(help, "0.0-1.0") || has(help, "0 to 1") ||
      has(help, "fraction")) {
    return metric_of(field, family->name, kShare);
  }
  return std::nullopt;
}

bool is_known_energy(std::string_view name) {
  return name == "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" || name == "dcgm_total_energy_consumption";
}

std::optional<Unit> energy_unit_of(const PrometheusFamily& family) {
  if (is_known_energy(family.name)) return kMillijoules;
  for (const Spelling& ending : {Spelling{"_MILLIJOULES", kMillijoules},
                                 {"_MILLIJOULES_TOTAL", kMillijoules},
                                 {"_MJ", kMillijoules},
                                 {"_MJ_TOTAL", kMillijoules},
                                 {"_JOULES", kJoules},
                                 {"_JOULES_TOTAL", kJoules}}) {
    if (ends_with(family.name, ending.name)) return ending.unit;
  }
  const std::string help = lower_case(family.help);
  if (has(help, "(in mj)") || has(help, "millijoule")) return kMillijoules;
  if (has(help, "(in j)") || has(help, "joule")) return kJoules;
  return std::nullopt;
}

bool is_energy(const PrometheusFamily& family) {
  return (family.name == "dcgm_total_energy_consumption" ||
          (starts_with(family.name, "DCGM_FI_DEV_") && has(family.name, "ENERGY"))) &&
         is_about_gpus(family);
}

Result<std::optional<DcgmMetric>> energy_metric(const PrometheusPage& page,
                                                const std::string& stated_unit) {
  const Field field{.measurand = Measurand::energy, .kind = SignalKind::counter, .spellings = {}};
  const PrometheusFamily* unclear = nullptr;
  for (const PrometheusFamily& family : page.families) {
    if (!is_energy(family)) continue;
    if (stated_unit == "mJ") return metric_of(field, family.name, kMillijoules);
    if (stated_unit == "J") return metric_of(field, family.name, kJoules);
    if (const auto unit = energy_unit_of(family)) {
      DcgmMetric metric = metric_of(field, family.name, *unit);
      metric.unit_is_inferred = !is_known_energy(family.name);
      return metric;
    }
    unclear = &family;
  }
  if (unclear == nullptr) return std::optional<DcgmMetric>();
  return failure(
      ErrorKind::missing,
      fmt::format("the unit of an energy counter cannot be told from its name or HELP text: \"{}\"",
                  quoted(unclear->samples.front().line, 400)),
      "state it: --sensor dcgm:energy_unit=mJ or energy_unit=J");
}

}  // namespace

Result<std::vector<DcgmMetric>> dcgm_metrics_on(const PrometheusPage& page,
                                                const std::string& energy_unit) {
  std::vector<DcgmMetric> metrics;
  TRY(auto energy, energy_metric(page, energy_unit));
  if (energy) metrics.push_back(std::move(*energy));
  for (const Field& field : kFields) {
    auto metric = metric_for(field, page);
    if (!metric && field.measurand == Measurand::utilisation) metric = utilisation_by_help(page);
    if (metric) metrics.push_back(std::move(*metric));
  }
  return metrics;
}

std::optional<double> dcgm_value(const DcgmMetric& metric, double value) {
  // DCGM's blanks (dcgm_structs.h): 64-bit integers from 0x7ffffffffffffff0 on, which as doubles
  // are all 2^63; 32-bit ones 0x7ffffff0 to 0x7fffffff; doubles from 2^47 on, though an integer
  // counter of millijoules may pass that value.
  constexpr double kBlank64 = 9223372036854775807.0;
  constexpr double kBlank32First = 2147483632.0;
  constexpr double kBlank32Last = 2147483647.0;
  constexpr double kBlankDouble = 140737488355328.0;
  if (!std::isfinite(value) || value < 0 || value >= kBlank64) return std::nullopt;
  if (metric.kind == SignalKind::gauge) {
    if (value >= kBlankDouble) return std::nullopt;
    const bool may_be_that_large = metric.raw_unit == "B" || metric.raw_unit == "Hz";
    if (!may_be_that_large && value >= kBlank32First && value <= kBlank32Last) return std::nullopt;
  }
  if (metric.zero_is_absent && value == 0) return std::nullopt;
  return value;
}

std::optional<std::string> gpu_uuid_of(const PrometheusSample& sample) {
  for (const char* label : {"UUID", "uuid"}) {
    const auto uuid = sample.label(label);
    if (uuid && !uuid->empty()) return std::string(*uuid);
  }
  return std::nullopt;
}

}  // namespace tokenjoule
