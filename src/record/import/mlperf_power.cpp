#include <fmt/core.h>

#include "base/stamp.hpp"
#include "base/text.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/power_logs.hpp"
#include "record/import/power_table.hpp"

namespace tokenjoule {

namespace {

void take_line(PowerLog& log, std::string_view line, long number) {
  const auto fields = csv_fields(line);
  const bool shape =
      fields && fields->size() >= 4 && (*fields)[0] == "Time" && (*fields)[2] == "Watts";
  const auto stamp = shape ? stamp_in((*fields)[1]) : std::nullopt;
  if (!stamp || !stamp->absolute) {
    log.skipped.add(number, shape ? "its time cannot be read" : "it is no line of a power log");
    log.bad_rows.push_back({BadRowKind::time, std::nullopt});
    return;
  }
  const auto watts = number_in((*fields)[3]);
  if (!watts || *watts <= 0) {  // MLPerf's own mean leaves these out as well
    log.skipped.add(number, fmt::format("no watts above 0: {}", quoted((*fields)[3], 40)));
    log.bad_rows.push_back({BadRowKind::power, stamp->ns});
    return;
  }
  log.rows.push_back({stamp->ns, 0, {{Measurand::power, *watts}}});
  log.resolution = stamp->resolution;
  log.zone_known = stamp->zone_known;
}

}  // namespace

Result<PowerLog> read_mlperf_power(std::string_view text, const ReadOptions&) {
  PowerLog log;
  log.source = "Watts";
  log.boundary = Boundary::node_ac;
  log.devices.push_back({"analyzer", "", "power analyzer", DeviceKind::node});
  log.accuracy = {0.01, "rectangular", "class",
                  "MLPerf power rules: at most 1 % for each sample (power-dev compliance check)"};
  LineWalk lines(text);
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty()) continue;
    ++log.rows_read;
    take_line(log, *line, lines.number());
  }
  TRY_DO(finish_power_log(log));
  return log;
}

std::optional<Watts> mlperf_average(const PowerLog& log, std::int64_t begin_ns,
                                    std::int64_t end_ns) {
  double sum = 0;
  std::int64_t count = 0;
  for (const LoggedRow& row : log.rows) {
    if (row.at_ns <= begin_ns || row.at_ns >= end_ns) continue;
    for (const LoggedValue& value : row.values) {
      if (value.measurand != Measurand::power) continue;
      sum += value.value;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return Watts(sum / static_cast<double>(count));
}

}  // namespace tokenjoule
