#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"
#include "record/import/power_logs.hpp"
#include "record/import/power_table.hpp"

namespace tokenjoule {

namespace {

struct KnownColumn {
  std::string_view name;
  ColumnRole role;
  Measurand measurand = Measurand::power;
  double bare = 1;  ///< a number without a unit (nounits) times this is SI
};

constexpr double kMebibyte = 1048576;

// Names of nvidia-smi's --query-gpu (nvidia-smi --help-query-gpu) and of amd-smi's CSV. Of several
// power columns the first one here is taken.
constexpr KnownColumn kColumns[] = {
    {"timestamp", ColumnRole::time},
    {"timestamp_unix", ColumnRole::time},
    {"time", ColumnRole::time},
    {"index", ColumnRole::device},
    {"gpu", ColumnRole::device},
    {"gpu_id", ColumnRole::device},
    {"gpu_index", ColumnRole::device},
    {"card", ColumnRole::device},
    {"device", ColumnRole::device},
    {"uuid", ColumnRole::uuid},
    {"gpu_uuid", ColumnRole::uuid},
    {"name", ColumnRole::name},
    {"gpu_name", ColumnRole::name},
    {"power.draw.average", ColumnRole::value, Measurand::power},
    {"power.draw", ColumnRole::value, Measurand::power},
    {"power.draw.instant", ColumnRole::value, Measurand::power},
    {"socket_power", ColumnRole::value, Measurand::power},
    {"average_socket_power", ColumnRole::value, Measurand::power},
    {"current_socket_power", ColumnRole::value, Measurand::power},
    {"power_w", ColumnRole::value, Measurand::power},
    {"temperature.gpu", ColumnRole::value, Measurand::temperature},
    {"clocks.sm", ColumnRole::value, Measurand::sm_clock},
    {"clocks.current.sm", ColumnRole::value, Measurand::sm_clock},
    {"clocks.mem", ColumnRole::value, Measurand::memory_clock},
    {"clocks.current.memory", ColumnRole::value, Measurand::memory_clock},
    {"utilization.gpu", ColumnRole::value, Measurand::utilisation, 0.01},
    {"memory.used", ColumnRole::value, Measurand::memory_used, kMebibyte},
    {"enforced.power.limit", ColumnRole::value, Measurand::power_limit_enforced},
    {"power.limit", ColumnRole::value, Measurand::power_limit_requested},
    {"power.default_limit", ColumnRole::value, Measurand::power_limit_default},
    {"power.max_limit", ColumnRole::value, Measurand::power_limit_max},
    {"power.min_limit", ColumnRole::value, Measurand::power_limit_min},
};

bool is_power(const KnownColumn& known) {
  return known.role == ColumnRole::value && known.measurand == Measurand::power;
}

/// The column of that name; npos where there is none.
std::size_t column_named(const std::vector<NamedUnit>& header, std::string_view name) {
  const auto at = std::find_if(header.begin(), header.end(),
                               [&](const NamedUnit& column) { return column.name == name; });
  return at == header.end() ? std::string::npos : static_cast<std::size_t>(at - header.begin());
}

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

/// InferenceX's rule for a table with other names (utils/aggregate_power.py).
std::size_t column_by_rule(const std::vector<NamedUnit>& header, ColumnRole role) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i].name;
    if (role == ColumnRole::time && has_any(name, {"time"})) return i;
    const bool power = has_any(name, {"power"}) && !has_any(name, {"limit", "cap", "max", "min"});
    if (role == ColumnRole::value && power) return i;
  }
  return std::string::npos;
}

double scale_in(const NamedUnit& column, double bare) {
  return column.unit.empty() ? bare : scale_of(column.unit).value_or(bare);
}

void note_power_column(PowerLog& log, const std::string& column, std::string_view name) {
  log.source = column;
  if (name == "power.draw.average") log.averaging = Seconds(1);
  // Plain power.draw is a mean over 1 s on Ampere (not GA100) and later, else an instant value.
  log.averaging_unknown = name == "power.draw";
}

/// Marks known columns; gives whether a role was found.
class Chooser {
 public:
  Chooser(const std::vector<std::string>& header, PowerLog& log)
      : header_(header), log_(log), columns_(header.size()) {
    for (const std::string& column : header) named_.push_back(named_unit(column));
  }

  Result<std::vector<PowerColumn>> choose() {
    for (const KnownColumn& known : kColumns) take(known);
    if (!time_) time_ = take_by_rule(ColumnRole::time);
    if (!power_) power_ = take_by_rule(ColumnRole::value);
    std::string missing;
    if (!time_) missing = "no column of times (InferenceX: timestamp_column_missing)";
    if (!power_) {
      missing += missing.empty() ? "" : ", ";
      missing += "no column of power (InferenceX: power_column_missing)";
    }
    if (missing.empty()) return std::move(columns_);
    return failure(ErrorKind::missing, missing,
                   "log timestamp,index,power.draw, or name the columns: import csv --columns");
  }

 private:
  void take(const KnownColumn& known) {
    const std::size_t at = column_named(named_, known.name);
    if (at == std::string::npos || columns_[at].role != ColumnRole::ignored) return;
    bool& once = is_power(known) ? power_ : known.role == ColumnRole::time ? time_ : unused_;
    if (&once != &unused_ && once) return;
    once = true;
    columns_[at] = {known.role, known.measurand, scale_in(named_[at], known.bare)};
    if (is_power(known)) note_power_column(log_, header_[at], known.name);
  }

  bool take_by_rule(ColumnRole role) {
    const std::size_t at = column_by_rule(named_, role);
    if (at == std::string::npos || columns_[at].role != ColumnRole::ignored) return false;
    columns_[at] = {role, Measurand::power, scale_in(named_[at], 1)};
    if (role == ColumnRole::value) note_power_column(log_, header_[at], named_[at].name);
    return true;
  }

  const std::vector<std::string>& header_;
  PowerLog& log_;
  std::vector<PowerColumn> columns_;
  std::vector<NamedUnit> named_;
  bool time_ = false, power_ = false, unused_ = false;
};

}  // namespace

Result<PowerLog> read_nvidia_smi(std::string_view text, const ReadOptions&) {
  PowerLog log;
  return read_power_table(text, std::move(log),
                          [](const std::vector<std::string>& header, PowerLog& into) {
                            return Chooser(header, into).choose();
                          });
}

}  // namespace tokenjoule
