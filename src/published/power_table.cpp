#include "published/power_table.hpp"

#include <fmt/core.h>

#include "base/stamp.hpp"
#include "base/text.hpp"
#include "published/embedded_tables.hpp"
#include "published/table_reader.hpp"

namespace tokenjoule {

namespace {

/// No server of one GPU draws less or more than this: 9.99 kW stands for "not known" in one table.
constexpr double kLeastWatts = 10;
constexpr double kMostWatts = 9000;

Result<AllInPower> power_of(const NamedCells& cells) {
  TRY(const auto watts, cells.number("watts"));
  AllInPower power{lower_case(cells.text("gpu")), watts.value_or(0),
                   std::string(cells.text("from")), std::string(cells.text("until")),
                   std::string(cells.text("source"))};
  if (power.gpu.empty() || power.watts < kLeastWatts || power.watts > kMostWatts) {
    return failure(ErrorKind::usage,
                   fmt::format("line {}: a row needs a GPU and its watts, from {} to {}",
                               cells.line(), kLeastWatts, kMostWatts));
  }
  for (const std::string& day : {power.from, power.until}) {
    if (day.empty() || is_calendar_day(day)) continue;
    return failure(ErrorKind::usage,
                   fmt::format("line {}: \"{}\" is no day of the calendar: write it as 2026-07-13",
                               cells.line(), quoted(day)));
  }
  if (!power.until.empty() && power.until < power.from) {
    return failure(ErrorKind::usage, fmt::format("line {}: its period ends on {}, before it begins",
                                                 cells.line(), power.until));
  }
  return power;
}

}  // namespace

Result<PowerTable> PowerTable::parse(std::string_view csv) {
  PowerTable table;
  TRY_DO(for_each_row(csv, {"gpu", "watts"}, [&](const NamedCells& cells) -> Status {
    TRY(auto power, power_of(cells));
    table.rows_.push_back(std::move(power));
    return {};
  }));
  return table;
}

const PowerTable& PowerTable::embedded() {
  // A test reads the embedded table, so it cannot fail here.
  static const PowerTable table = parse(embedded_table("power_all_in.csv")).value_or(PowerTable());
  return table;
}

const AllInPower* PowerTable::find(std::string_view gpu, std::string_view day) const {
  const AllInPower* best = nullptr;
  for (const AllInPower& row : rows_) {
    if (row.gpu != gpu) continue;
    const bool in_use = day.empty() || (row.from <= day && (row.until.empty() || day <= row.until));
    if (in_use && (best == nullptr || row.from >= best->from)) best = &row;
  }
  return best;
}

}  // namespace tokenjoule
