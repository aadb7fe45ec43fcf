#include "published/inferencex_power.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/json_rows.hpp"
#include "base/text.hpp"
#include "published/inferencex_row.hpp"
#include "published/power_log.hpp"

namespace tokenjoule {

namespace {

/// An idle board stays within this factor of its least power; one that works leaves it.
constexpr double kIdleFactor = 1.3;
constexpr double kSameSecond = 0.001;

void problem(PublishedSet& set, std::uint32_t file, std::string message) {
  set.problems.push_back({file, std::nullopt, std::move(message)});
}

PublishedResult* result_named(PublishedSet& set, const std::string& run) {
  for (PublishedResult& row : set.rows) {
    const bool has_window = row.start_unix_s && row.end_unix_s;
    if (has_window && run_name_of(set.files[row.origin.file].name) == run) return &row;
  }
  return nullptr;
}

/// Stamps without a zone are UTC if that covers the run, else of the only zone that does.
Result<std::vector<GpuEnergy>> energy_in_zone(const PowerLog& log, double start, double end) {
  auto as_utc = energy_between(log, start, end);
  if (as_utc || log.zone_known) return as_utc;
  constexpr double kHalfHour = 1800;
  constexpr int kZones = 28;  // half hours either way
  Result<std::vector<GpuEnergy>> found = unexpected(as_utc.error());
  int fitting = 0;
  for (int half_hours = -kZones; half_hours <= kZones; ++half_hours) {
    const double shift = half_hours * kHalfHour;
    auto energies = energy_between(log, start + shift, end + shift);
    if (!energies) continue;
    ++fitting;
    found = std::move(energies);
  }
  if (fitting > 1)
    return failure(ErrorKind::missing, "its stamps have no zone, and several zones fit the run");
  return found;
}

bool stays_idle(const GpuEnergy& gpu) { return gpu.most_w < kIdleFactor * gpu.least_w; }

/// Parts the boards that the model ran on from those that stayed idle beside it. nullopt: the log
/// does not show which they are.
std::optional<std::size_t> working_first(std::vector<GpuEnergy>& gpus, std::optional<double> used) {
  std::stable_sort(gpus.begin(), gpus.end(),
                   [](const GpuEnergy& a, const GpuEnergy& b) { return a.joules > b.joules; });
  const auto count = used ? static_cast<std::size_t>(*used) : gpus.size();
  if (count > gpus.size()) return std::nullopt;
  const bool rest_idle =
      std::all_of(gpus.begin() + static_cast<std::ptrdiff_t>(count), gpus.end(), stays_idle);
  return rest_idle ? std::optional(count) : std::nullopt;
}

void take_energy(PublishedResult& row, const std::vector<GpuEnergy>& gpus, std::size_t working) {
  const double seconds = *row.end_unix_s - *row.start_unix_s;
  double joules = 0;
  double idle_joules = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    (i < working ? joules : idle_joules) += gpus[i].joules;
  if (!row.gpus) row.gpus = static_cast<double>(working);
  row.mark(RowFlag::power_log);
  row.energy.all_gpus_j = joules;
  row.energy.all_gpus_mean_w = joules / seconds;
  row.energy.gpu_mean_w = joules / seconds / static_cast<double>(working);
  if (working == gpus.size()) return;
  row.energy.idle_gpus = static_cast<double>(gpus.size() - working);
  row.energy.idle_gpus_w = idle_joules / seconds;
}

void join_log(const Sidecar& sidecar, PublishedSet& set) {
  const std::string& name = set.files[sidecar.file].name;
  PublishedResult* const row = result_named(set, run_name_of(name));
  if (row == nullptr)
    return problem(set, sidecar.file, "a power log without the raw result of its run beside it");
  auto log = power_log_in(sidecar.bytes);
  if (!log) return problem(set, sidecar.file, log.error().message);
  auto gpus = energy_in_zone(*log, *row->start_unix_s, *row->end_unix_s);
  if (!gpus) return problem(set, sidecar.file, gpus.error().message);
  const auto working = working_first(*gpus, row->gpus);
  if (!working || *working == 0) {
    return problem(set, sidecar.file,
                   fmt::format("its {} GPUs do not show which {} of them the model ran on",
                               gpus->size(), row->gpus.value_or(0)));
  }
  take_energy(*row, *gpus, *working);
}

/// Metrics of a validation, read as members of a record, and the window that they belong to.
struct Validation {
  InferencexRow metrics;
  std::optional<double> start;
  std::optional<double> completed;
  std::string reasons;
};

Result<Validation> validation_in(std::string_view bytes, PublishedSet& set) {
  Validation read;
  JsonObjectReader reader;
  TRY_DO(reader.walk(bytes, [&](const JsonScalar& member) {
    if (member.path == "benchmark_window.start_time_unix") read.start = member.number;
    if (member.path == "benchmark_window.completed") read.completed = member.number;
    if (member.path == "reasons" && member.text != "[]") read.reasons = member.text;
    if (member.path == "power_valid" || starts_with(member.path, "metrics."))
      put_inferencex_member(member, set, read.metrics);
  }));
  return read;
}

PublishedResult* result_of_window(PublishedSet& set, const Validation& validation) {
  for (PublishedResult& row : set.rows) {
    const bool same = row.start_unix_s && validation.start &&
                      row.completed == validation.completed &&
                      std::abs(*row.start_unix_s - *validation.start) < kSameSecond;
    if (same) return &row;
  }
  return nullptr;
}

void join_validation(const Sidecar& sidecar, PublishedSet& set) {
  auto validation = validation_in(sidecar.bytes, set);
  if (!validation) return problem(set, sidecar.file, validation.error().message);
  PublishedResult* row = result_of_window(set, *validation);
  if (row == nullptr) row = result_named(set, run_name_of(set.files[sidecar.file].name));
  if (row == nullptr)
    return problem(set, sidecar.file,
                   "a power validation without the raw result of its run beside it");
  const PublishedEnergy& energy = validation->metrics.result.energy;
  if (energy.valid == false) {
    row->energy.valid = false;
    return problem(set, sidecar.file,
                   fmt::format("the publisher found the run's power not valid: {}",
                               quoted(validation->reasons, 200)));
  }
  row->energy = energy;
}

}  // namespace

bool is_power_validation(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 65536);
  return starts_with(trimmed(head.substr(0, 64)), "{") &&
         head.find("\"benchmark_window\"") != std::string_view::npos &&
         head.find("\"integration_method\"") != std::string_view::npos;
}

std::string run_name_of(std::string_view file_name) {
  const auto last = [](std::string_view path) { return path.substr(path.find_last_of("/!") + 1); };
  std::string_view name = last(file_name);
  for (const std::string_view ending : {".json", ".csv", ".gpu_metrics"}) {
    if (ends_with(name, ending)) name.remove_suffix(ending.size());
  }
  if (name == "gpu_metrics" && name.size() < file_name.size()) {
    file_name.remove_suffix(last(file_name).size());
    if (!file_name.empty()) file_name.remove_suffix(1);
    name = last(file_name);
  }
  for (const std::string_view prefix :
       {"agg_", "gpu_metrics_", "power_validation_", "power_audit_", "bmk_"}) {
    if (starts_with(name, prefix)) name.remove_prefix(prefix.size());
  }
  return std::string(name);
}

void join_inferencex(PublishedSet& set) {
  for (const Sidecar& sidecar : set.sidecars) {
    if (sidecar.kind == kPowerValidation) join_validation(sidecar, set);
  }
  for (const Sidecar& sidecar : set.sidecars) {
    if (sidecar.kind == kPowerLog) join_log(sidecar, set);
  }
}

}  // namespace tokenjoule
