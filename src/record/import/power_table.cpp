#include "record/import/power_table.hpp"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/stamp.hpp"
#include "base/text.hpp"
#include "record/import/csv_line.hpp"

namespace tokenjoule {

namespace {

/// "76.10 W" and the like; nullopt for "[N/A]", "N/A", "[Not Supported]", "", text.
/// @param unit_stated the header has a unit: a cell that states another one contradicts it.
std::optional<double> cell_value(std::string_view cell, double to_si, bool unit_stated) {
  if (const auto bare = number_in(cell)) return *bare * to_si;
  const std::size_t blank = cell.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto number = number_in(cell.substr(0, blank));
  const auto scale = scale_of(trimmed(cell.substr(blank)));
  if (!number || !scale || (unit_stated && *scale != to_si)) return std::nullopt;
  return *number * *scale;
}

bool measures_energy(const LoggedValue& value) {
  return value.measurand == Measurand::power || value.measurand == Measurand::energy;
}

class TableReader {
 public:
  TableReader(PowerLog log, std::vector<std::string> header, std::vector<PowerColumn> columns)
      : log_(std::move(log)), header_(std::move(header)), columns_(std::move(columns)) {
    has_device_ = std::any_of(columns_.begin(), columns_.end(), [](const PowerColumn& column) {
      return column.role == ColumnRole::device || column.role == ColumnRole::uuid;
    });
  }

  Status take(std::string_view line, long number) {
    if (trimmed(line).empty()) return {};
    const auto fields = csv_fields(line);
    if (fields && *fields == header_) return {};  // written again by a second start
    ++log_.rows_read;
    // With one more, every value behind it would be read as another column's.
    if (!fields || fields->size() != columns_.size()) {
      skip(number, BadRowKind::time, std::nullopt, "another number of fields than the header has");
      return {};
    }
    return take_fields(*fields, number);
  }

  PowerLog finish() { return std::move(log_); }

 private:
  void skip(long number, BadRowKind kind, std::optional<std::int64_t> at, const std::string& why) {
    log_.skipped.add(number, why);
    log_.bad_rows.push_back({kind, at});
  }

  Status take_fields(const std::vector<std::string>& fields, long number) {
    LoggedRow row;
    LoggedDevice device;
    std::optional<Stamp> stamp;
    std::string no_power;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = fields[i];
      switch (columns_[i].role) {
        case ColumnRole::ignored: break;
        case ColumnRole::time: stamp = stamp_in(cell); break;
        case ColumnRole::device: device.label = cell; break;
        case ColumnRole::uuid: device.id = cell; break;
        case ColumnRole::name: device.name = cell; break;
        case ColumnRole::value: take_value(i, cell, row, no_power); break;
      }
    }
    if (!stamp) {
      skip(number, BadRowKind::time, std::nullopt, "its time cannot be read");
      return {};
    }
    row.at_ns = stamp->ns;
    return keep(std::move(row), std::move(device), *stamp, number, no_power);
  }

  void take_value(std::size_t i, const std::string& cell, LoggedRow& row, std::string& no_power) {
    const PowerColumn& column = columns_[i];
    const auto value = cell_value(cell, column.to_si, !named_unit(header_[i]).unit.empty());
    const LoggedValue logged{column.measurand, value.value_or(0)};
    if (value && (!measures_energy(logged) || *value >= 0)) {
      row.values.push_back(logged);
    } else if (measures_energy(logged)) {
      no_power = fmt::format("no number above 0 in {}: {}", header_[i], quoted(cell, 40));
    }
  }

  Status keep(LoggedRow row, LoggedDevice device, const Stamp& stamp, long number,
              const std::string& no_power) {
    const bool measured = std::any_of(row.values.begin(), row.values.end(), measures_energy);
    if (!measured) {
      skip(number, BadRowKind::power, row.at_ns, no_power.empty() ? "no power" : no_power);
      return {};
    }
    if (has_device_ && device.id.empty() && device.label.empty()) {
      skip(number, BadRowKind::device, row.at_ns, "it names no device");
      return {};
    }
    if (!has_device_ && !times_.insert(row.at_ns).second) {
      return failure(ErrorKind::missing,
                     fmt::format("line {}: two rows of one time, and no column that tells devices "
                                 "apart (InferenceX: gpu_identity_column_missing)",
                                 number),
                     "log the index or uuid as well");
    }
    row.device = device_index(log_, device);
    note_clock(stamp);
    log_.rows.push_back(std::move(row));
    return {};
  }

  /// The coarsest of the stamps; a local time anywhere makes the whole log one.
  void note_clock(const Stamp& stamp) {
    log_.absolute = log_.absolute && stamp.absolute;
    log_.zone_known = log_.zone_known && stamp.zone_known;
    // A last digit that happens to be 0 is often not written: the finest stamp tells.
    log_.resolution =
        log_.rows.empty() ? stamp.resolution : std::min(log_.resolution, stamp.resolution);
  }

  PowerLog log_;
  std::vector<std::string> header_;
  std::vector<PowerColumn> columns_;
  bool has_device_ = false;
  std::set<std::int64_t> times_;
};

}  // namespace

NamedUnit named_unit(std::string_view column) {
  const std::size_t open = column.find('[');
  const std::size_t close = column.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return {lower_case(trimmed(column)), ""};
  return {lower_case(trimmed(column.substr(0, open))),
          std::string(trimmed(column.substr(open + 1, close - open - 1)))};
}

std::optional<double> scale_of(std::string_view unit) {
  struct Scale {
    std::string_view unit;
    double factor;
  };
  constexpr double kMebi = 1048576;
  constexpr Scale scales[] = {{"W", 1},       {"mW", 1e-3}, {"kW", 1e3}, {"J", 1},
                              {"mJ", 1e-3},   {"kJ", 1e3},  {"MJ", 1e6}, {"Wh", 3600},
                              {"kWh", 3.6e6}, {"C", 1},     {"MHz", 1},  {"%", 0.01},
                              {"MiB", kMebi}, {"MB", 1e6},  {"GB", 1e9}};
  for (const Scale& scale : scales) {
    if (scale.unit == unit) return scale.factor;
  }
  return std::nullopt;
}

std::size_t device_index(PowerLog& log, const LoggedDevice& device) {
  LoggedDevice named = device;
  if (named.id.empty()) named.id = named.label.empty() ? "device" : "gpu-" + named.label;
  if (log.boundary != Boundary::gpu_board && device.id.empty())
    named.id = named.label.empty() ? "meter" : named.label;
  if (log.boundary != Boundary::gpu_board && named.kind == DeviceKind::gpu)
    named.kind = DeviceKind::node;
  if (named.label.empty()) named.label = named.id;
  for (std::size_t i = 0; i < log.devices.size(); ++i) {
    if (log.devices[i].id == named.id) return i;
  }
  log.devices.push_back(std::move(named));
  return log.devices.size() - 1;
}

Status finish_power_log(PowerLog& log) {
  if (log.rows.empty()) {
    const std::string first = log.skipped.first.empty() ? "" : ": " + log.skipped.first.front();
    return failure(ErrorKind::missing,
                   fmt::format("no row can be used{} (InferenceX: no_usable_power_samples)", first),
                   "compare the file with docs/import.md");
  }
  std::stable_sort(log.rows.begin(), log.rows.end(),
                   [](const LoggedRow& a, const LoggedRow& b) { return a.at_ns < b.at_ns; });
  return {};
}

Result<PowerLog> read_power_table(std::string_view text, PowerLog log, const ColumnChoice& choose) {
  LineWalk lines(text);
  std::optional<std::string_view> line = lines.next();
  while (line && (trimmed(*line).empty() || starts_with(*line, "#"))) line = lines.next();
  if (!line)
    return failure(ErrorKind::missing, "the file is empty (InferenceX: telemetry_file_empty)",
                   "see whether the logger ran");
  const auto header = csv_fields(*line);
  if (!header) return failure(ErrorKind::missing, "its first row is no CSV", "see docs/import.md");
  TRY(auto columns, choose(*header, log));
  TableReader reader(std::move(log), *header, std::move(columns));
  while ((line = lines.next())) TRY_DO(reader.take(*line, lines.number()));
  PowerLog finished = reader.finish();
  TRY_DO(finish_power_log(finished));
  return finished;
}

}  // namespace tokenjoule
