#include "published/power_log.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/csv_rows.hpp"
#include "base/stamp.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr double kLongestGap = 3.0;  ///< seconds

/// Which cells of a row are which; npos: there is none.
struct Columns {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t time = kNone;
  std::size_t gpu = kNone;
  std::size_t host = kNone;
  std::size_t power = kNone;

  bool complete() const { return time != kNone && gpu != kNone && power != kNone; }
};

Columns columns_in(const std::vector<std::string_view>& head) {
  Columns columns;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const std::string name = lower_case(head[i]);
    if (name == "timestamp" || name == "timestamp_unix") columns.time = i;
    if (name == "index" || name == "gpu" || name == "gpu_index") columns.gpu = i;
    if (name == "hostname") columns.host = i;
    if (starts_with(name, "power.draw") || name == "socket_power" || name == "power_w")
      columns.power = i;
  }
  return columns;
}

/// "76.10 W" and "76.10" are 76.1; "[N/A]" is nothing.
std::optional<double> watts_of(std::string_view cell) {
  if (ends_with(cell, "W")) cell.remove_suffix(1);
  const auto watts = number_in(trimmed(cell));
  return watts && *watts >= 0 ? watts : std::nullopt;
}

/// Power at a time between two samples of a curve.
double power_at(const PowerCurve& curve, double time) {
  const auto at = std::lower_bound(curve.seconds.begin(), curve.seconds.end(), time);
  const auto i = static_cast<std::size_t>(at - curve.seconds.begin());
  if (curve.seconds[i] == time) return curve.watts[i];
  const double share = (time - curve.seconds[i - 1]) / (curve.seconds[i] - curve.seconds[i - 1]);
  return curve.watts[i - 1] + share * (curve.watts[i] - curve.watts[i - 1]);
}

Result<GpuEnergy> energy_of(const PowerCurve& curve, double start, double end) {
  if (curve.seconds.empty() || curve.seconds.front() > start || curve.seconds.back() < end) {
    return failure(ErrorKind::missing,
                   fmt::format("GPU {}: its samples do not cover the run", quoted(curve.gpu)));
  }
  GpuEnergy energy{curve.gpu, 0, 0, *std::min_element(curve.watts.begin(), curve.watts.end()), 0};
  double last_time = start;
  double last_watts = power_at(curve, start);
  energy.most_w = last_watts;
  const auto add = [&](double time, double watts) {
    energy.joules += (time - last_time) * (watts + last_watts) / 2;
    energy.most_w = std::max(energy.most_w, watts);
    last_time = time;
    last_watts = watts;
  };
  for (std::size_t i = 1; i < curve.seconds.size(); ++i) {
    const bool touches = curve.seconds[i] > start && curve.seconds[i - 1] < end;
    if (touches && curve.seconds[i] - curve.seconds[i - 1] > kLongestGap) {
      return failure(ErrorKind::missing,
                     fmt::format("GPU {}: a gap of {:.1f} s in the run", quoted(curve.gpu),
                                 curve.seconds[i] - curve.seconds[i - 1]));
    }
    if (curve.seconds[i] > start && curve.seconds[i] < end) add(curve.seconds[i], curve.watts[i]);
  }
  add(end, power_at(curve, end));
  energy.mean_w = energy.joules / (end - start);
  return energy;
}

void sort_curve(PowerCurve& curve) {
  std::vector<std::size_t> order(curve.seconds.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return curve.seconds[a] < curve.seconds[b];
  });
  PowerCurve sorted{curve.gpu, {}, {}};
  std::size_t same = 1;
  for (const std::size_t i : order) {
    if (!sorted.seconds.empty() && sorted.seconds.back() == curve.seconds[i]) {
      ++same;  // two samples of one stamp count as their mean
      sorted.watts.back() += (curve.watts[i] - sorted.watts.back()) / static_cast<double>(same);
      continue;
    }
    same = 1;
    sorted.seconds.push_back(curve.seconds[i]);
    sorted.watts.push_back(curve.watts[i]);
  }
  curve = std::move(sorted);
}

}  // namespace

bool is_power_log(std::string_view bytes) {
  CsvRows rows(bytes.substr(0, 65536));
  const auto* const head = rows.next();
  return head != nullptr && columns_in(*head).complete();
}

Result<PowerLog> power_log_in(std::string_view bytes) {
  CsvRows rows(bytes);
  const auto* const head = rows.next();
  const Columns columns = head ? columns_in(*head) : Columns{};
  if (!columns.complete()) return failure(ErrorKind::missing, "no columns of time, GPU and power");
  const std::size_t header_cells = head->size();
  std::size_t shifted = 0;
  PowerLog log;
  std::map<std::string, std::size_t> index;
  while (const auto* const cells = rows.next()) {
    // With one more or less, every value behind it would be read as another column's.
    if (cells->size() != header_cells) {
      ++shifted;
      continue;
    }
    auto time = number_in((*cells)[columns.time]);
    if (!time) {
      if (const auto stamp = dated_stamp_in((*cells)[columns.time])) time = unix_seconds_of(*stamp);
      log.zone_known = false;
    }
    const auto watts = watts_of((*cells)[columns.power]);
    if (!time || !watts) continue;
    std::string gpu((*cells)[columns.gpu]);
    if (columns.host < cells->size()) gpu = std::string((*cells)[columns.host]) + ":" + gpu;
    const auto [at, is_new] = index.emplace(gpu, log.gpus.size());
    if (is_new) log.gpus.push_back({gpu, {}, {}});
    log.gpus[at->second].seconds.push_back(*time);
    log.gpus[at->second].watts.push_back(*watts);
  }
  if (rows.fault()) return unexpected(*rows.fault());
  if (log.gpus.empty()) {
    return failure(ErrorKind::missing,
                   shifted == 0
                       ? std::string("no sample has a time and watts")
                       : fmt::format("no row has the {} cells of its header", header_cells));
  }
  for (PowerCurve& curve : log.gpus) sort_curve(curve);
  return log;
}

Result<std::vector<GpuEnergy>> energy_between(const PowerLog& log, double start_unix_s,
                                              double end_unix_s) {
  if (!(end_unix_s > start_unix_s)) return failure(ErrorKind::missing, "the run has no length");
  std::vector<GpuEnergy> energies;
  for (const PowerCurve& curve : log.gpus) {
    TRY(auto energy, energy_of(curve, start_unix_s, end_unix_s));
    energies.push_back(std::move(energy));
  }
  return energies;
}

}  // namespace tokenjoule
