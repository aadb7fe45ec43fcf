#include <algorithm>

#include <fmt/format.h>

#include "base/stamp.hpp"
#include "base/text.hpp"
#include "record/import/csv_line.hpp"
#include "record/import/power_logs.hpp"
#include "record/import/power_table.hpp"

namespace tokenjoule {

namespace {

struct KnownField {
  std::string_view name;  ///< the short name that dmon --list gives
  Measurand measurand;
  double to_si;
};
constexpr KnownField kFields[] = {
    {"POWER", Measurand::power, 1},        {"TOTEC", Measurand::energy, 1e-3},
    {"TMPTR", Measurand::temperature, 1},  {"SMCLK", Measurand::sm_clock, 1},
    {"MMCLK", Measurand::memory_clock, 1}, {"GPUTL", Measurand::utilisation, 0.01},
};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : split(line, ' ')) {
    if (const auto bare = trimmed(word); !bare.empty()) words.emplace_back(bare);
  }
  return words;
}

/// Where the names of a header begin: behind "#Entity", or "#" and "Entity"; 0 for another line.
std::size_t names_begin(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "#Entity") return i + 1;
    if (words[i] == "#" && i + 1 < words.size() && words[i + 1] == "Entity") return i + 2;
  }
  return 0;
}

class DmonReader {
 public:
  explicit DmonReader(const ReadOptions& options) : options_(options) {
    log_.source = "POWER";
    log_.averaging_unknown = true;  // field 155 is a running mean where the board has one
  }

  void take(std::string_view line, long number) {
    const auto words = words_of(line);
    if (const std::size_t begin = names_begin(words)) {
      names_.assign(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end());
      return;
    }
    const auto entity = std::find(words.begin(), words.end(), "GPU");
    if (entity == words.end() || entity + 1 == words.end()) return;  // units, blank lines
    ++log_.rows_read;
    const auto at = static_cast<std::size_t>(entity - words.begin());
    take_row({words.begin(), entity}, words[at + 1], {entity + 2, words.end()}, number);
  }

  Result<PowerLog> finish() {
    if (names_.empty()) {
      return failure(ErrorKind::missing, "no header of dcgmi dmon (#Entity …) is in it",
                     "keep its header lines");
    }
    if (!stamped_) {
      log_.absolute = log_.zone_known = options_.begin_ns.has_value();
      log_.resolution = options_.period;
    }
    TRY_DO(finish_power_log(log_));
    return std::move(log_);
  }

 private:
  void take_row(const std::vector<std::string>& in_front, const std::string& index,
                const std::vector<std::string>& cells, long number) {
    LoggedRow row;
    for (const KnownField& field : kFields) {
      const auto name = std::find(names_.begin(), names_.end(), field.name);
      const auto column = static_cast<std::size_t>(name - names_.begin());
      if (name == names_.end() || column >= cells.size()) continue;
      const auto value = number_in(cells[column]);
      if (value && *value >= 0) row.values.push_back({field.measurand, *value * field.to_si});
    }
    const auto at = time_of(fmt::format("{}", fmt::join(in_front, " ")), index);
    if (!at) {
      log_.skipped.add(number, "its time cannot be read");
      log_.bad_rows.push_back({BadRowKind::time, std::nullopt});
      return;
    }
    row.at_ns = *at;
    const bool power = std::any_of(row.values.begin(), row.values.end(), [](const auto& value) {
      return value.measurand == Measurand::power || value.measurand == Measurand::energy;
    });
    if (!power) {
      log_.skipped.add(number, "no number in POWER or TOTEC");
      log_.bad_rows.push_back({BadRowKind::power, at});
      return;
    }
    row.device = device_index(log_, {"", "", index});
    log_.rows.push_back(std::move(row));
  }

  /// The stamp in front of the row, or the round that it belongs to: each GPU comes once a round.
  std::optional<std::int64_t> time_of(const std::string& in_front, const std::string& index) {
    if (!in_front.empty()) {
      const auto stamp = stamp_in(in_front);
      if (!stamp) return std::nullopt;
      stamped_ = true;
      log_.absolute = log_.absolute && stamp->absolute;
      log_.zone_known = log_.zone_known && stamp->zone_known;
      log_.resolution = stamp->resolution;
      return stamp->ns;
    }
    const std::int64_t round = rounds_[index]++;
    return options_.begin_ns.value_or(0) + round * to_nanoseconds(options_.period).count;
  }

  const ReadOptions& options_;
  PowerLog log_;
  std::vector<std::string> names_;
  std::map<std::string, std::int64_t> rounds_;
  bool stamped_ = false;
};

}  // namespace

Result<PowerLog> read_dcgmi_dmon(std::string_view text, const ReadOptions& options) {
  DmonReader reader(options);
  LineWalk lines(text);
  while (const auto line = lines.next()) reader.take(*line, lines.number());
  return reader.finish();
}

}  // namespace tokenjoule
