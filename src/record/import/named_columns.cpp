#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "record/import/power_logs.hpp"
#include "record/import/power_table.hpp"

namespace tokenjoule {

namespace {

struct Key {
  std::string_view name;
  PowerColumn column;
};

constexpr Key kKeys[] = {
    {"time", {ColumnRole::time, Measurand::power, 1}},
    {"watts", {ColumnRole::value, Measurand::power, 1}},
    {"joules", {ColumnRole::value, Measurand::energy, 1}},
    {"device", {ColumnRole::device, Measurand::power, 1}},
};

Result<std::vector<PowerColumn>> chosen(const std::vector<std::string>& header,
                                        const ReadOptions& options, PowerLog& log) {
  std::vector<PowerColumn> columns(header.size());
  for (const Key& key : kKeys) {
    const auto wanted = options.columns.find(std::string(key.name));
    if (wanted == options.columns.end()) continue;
    const auto at = std::find(header.begin(), header.end(), wanted->second);
    if (at == header.end()) {
      return failure(ErrorKind::missing,
                     fmt::format("no column is called {}{}", quoted(wanted->second),
                                 did_you_mean(wanted->second, header)),
                     fmt::format("its columns are: {}",
                                 quoted(fmt::format("{}", fmt::join(header, ", ")), 400)));
    }
    PowerColumn column = key.column;
    const NamedUnit named = named_unit(*at);
    if (column.role == ColumnRole::value && !named.unit.empty())
      column.to_si = scale_of(named.unit).value_or(1);
    columns[static_cast<std::size_t>(at - header.begin())] = column;
    if (column.role == ColumnRole::value) log.source = *at;
  }
  return columns;
}

}  // namespace

Result<PowerLog> read_named_columns(std::string_view text, const ReadOptions& options) {
  const bool value = options.columns.count("watts") != 0 || options.columns.count("joules") != 0;
  if (options.columns.count("time") == 0 || !value) {
    return failure(ErrorKind::usage, "a CSV needs the names of its columns",
                   "give --columns time=NAME,watts=NAME (or joules=NAME), and device=NAME where "
                   "there are several");
  }
  if (!options.boundary) {
    return failure(ErrorKind::usage, "a CSV does not say what its meter sees",
                   "give --power-boundary node_ac, gpu_board, …");
  }
  PowerLog log;
  log.boundary = *options.boundary;
  return read_power_table(text, std::move(log),
                          [&options](const std::vector<std::string>& header, PowerLog& into) {
                            return chosen(header, options, into);
                          });
}

}  // namespace tokenjoule
