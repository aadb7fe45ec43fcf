#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/power_logs.hpp"
#include "record/import/power_table.hpp"

namespace tokenjoule {

namespace {

struct Field {
  std::string_view name;
  Measurand measurand;
  double to_si;
};
constexpr Field kFields[] = {
    {"gpu_power_usage", Measurand::power, 1},
    {"nvidia_gpu_power_usage", Measurand::power, 1},
    {"amd_power", Measurand::power, 1},
    {"energy_consumption", Measurand::energy, 1e6},
    {"nvidia_energy_consumption", Measurand::energy, 1e6},
    {"gpu_utilization", Measurand::utilisation, 0.01},
    {"gpu_memory_used", Measurand::memory_used, 1e9},
    {"gpu_temperature", Measurand::temperature, 1},
    {"amd_temperature", Measurand::temperature, 1},
};

bool has_energy(const LoggedRow& row) {
  for (const LoggedValue& value : row.values) {
    if (value.measurand == Measurand::power || value.measurand == Measurand::energy) return true;
  }
  return false;
}

/// Two fields of one measurand: the first one stands.
void add_once(LoggedRow& row, const Field& field, double value) {
  for (const LoggedValue& known : row.values) {
    if (known.measurand == field.measurand) return;
  }
  row.values.push_back({field.measurand, value * field.to_si});
}

void take_object(PowerLog& log, const JsonView& root, long number) {
  const auto at = root["timestamp_ns"].integer();
  constexpr std::int64_t kLatest = 4'100'000'000'000'000'000;  // of the year 2100
  if (!at || *at < 0 || *at > kLatest) {
    log.skipped.add(number, "it has no timestamp_ns");
    log.bad_rows.push_back({BadRowKind::time, std::nullopt});
    return;
  }
  LoggedRow row;
  row.at_ns = *at;
  for (const Field& field : kFields) {
    const auto value = root["telemetry_data"][field.name].number();
    if (value && *value >= 0) add_once(row, field, *value);
  }
  const std::string uuid(root["gpu_uuid"].string().value_or(""));
  const auto index = root["gpu_index"].integer();
  if (!has_energy(row)) {
    log.skipped.add(number, "it has neither power nor energy");
    log.bad_rows.push_back({BadRowKind::power, *at});
    return;
  }
  if (uuid.empty() && !index) {
    log.skipped.add(number, "it names no GPU");
    log.bad_rows.push_back({BadRowKind::device, *at});
    return;
  }
  LoggedDevice device{uuid, std::string(root["gpu_model_name"].string().value_or("")),
                      index ? fmt::format("{}", *index) : uuid};
  row.device = device_index(log, device);
  log.rows.push_back(std::move(row));
}

}  // namespace

Result<PowerLog> read_aiperf_telemetry(std::string_view text, const ReadOptions&) {
  PowerLog log;
  log.source = "gpu_power_usage";
  log.resolution = Seconds(1e-9);
  log.averaging_unknown = true;
  LineWalk lines(text);
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty()) continue;
    ++log.rows_read;
    const auto document = JsonDocument::parse(*line);
    if (!document || !document->root().is(JsonNode::Type::object)) {
      log.skipped.add(lines.number(), "it is no JSON object");
      log.bad_rows.push_back({BadRowKind::time, std::nullopt});
      continue;
    }
    take_object(log, document->root(), lines.number());
  }
  TRY_DO(finish_power_log(log));
  return log;
}

}  // namespace tokenjoule
