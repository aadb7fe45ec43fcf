#include "published/mlperf.hpp"

#include <cmath>
#include <string>

#include "published/mlperf_parts.hpp"
#include "published/mlperf_rows.hpp"

namespace tokenjoule {

namespace {

struct SidecarKind {
  std::string_view kind;
  bool (*is_one)(std::string_view bytes);
};

constexpr SidecarKind kSidecars[] = {
    {kMlperfSystems, is_mlperf_systems},     {kMlperfLoadgenTable, is_mlperf_loadgen_table},
    {kMlperfSummaryLog, is_loadgen_summary}, {kMlperfDetailLog, is_loadgen_detail},
    {kMlperfWallLog, is_wall_log},           {kMlperfSession, is_power_session},
};

const SidecarKind* sidecar_kind_of(std::string_view bytes) {
  for (const SidecarKind& kind : kSidecars) {
    if (kind.is_one(bytes)) return &kind;
  }
  return nullptr;
}

// Summaries round to six digits; their rows and loadgen's logs agree within this.
constexpr double kSameThroughput = 1e-3;

void take_statistic(PublishedStatistic& into, const PublishedStatistic& from) {
  if (from.mean) into.mean = from.mean;
  if (from.p99) into.p99 = from.p99;
}

bool near(double a, double b) { return std::abs(a - b) <= kSameThroughput * std::abs(b); }

}  // namespace

bool recognises_mlperf(std::string_view bytes) {
  return is_mlperf_summary(bytes) || sidecar_kind_of(bytes) != nullptr;
}

void read_mlperf(const FileContent& content, PublishedSet& into) {
  if (is_mlperf_summary(content.bytes)) return read_mlperf_summary(content, into);
  const SidecarKind* const kind = sidecar_kind_of(content.bytes);
  into.sidecars.push_back({content.file, kind->kind, std::string(content.bytes)});
}

void join_mlperf(PublishedSet& set) {
  join_mlperf_systems(set);
  join_mlperf_loadgen_table(set);
  join_mlperf_runs(set);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t end = path.find_last_of("/!");
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

bool same_throughput(const PublishedResult& row, const LoadgenFigures& figures) {
  if (row.system.output) {
    // Some logs count samples only; the summary then has what the checker inferred from them.
    return !figures.tokens_per_s || near(*figures.tokens_per_s, *row.system.output);
  }
  return row.requests_per_s && figures.samples_per_s &&
         near(*figures.samples_per_s, *row.requests_per_s);
}

void take_loadgen_figures(PublishedResult& row, const LoadgenFigures& figures) {
  if (figures.samples_per_s && *figures.samples_per_s > 0) {
    row.requests_per_s = figures.samples_per_s;
    // Of this run, which need not be that of the accuracy run.
    if (row.system.output) row.mean_output_len = *row.system.output / *figures.samples_per_s;
  }
  take_statistic(row.e2e, figures.latency);
  take_statistic(row.ttft, figures.ttft);
  take_statistic(row.tpot, figures.tpot);
  const bool offered = row.scenario == "Server" || row.scenario == "Interactive";
  if (offered && figures.target_qps) row.request_rate = figures.target_qps;
}

}  // namespace tokenjoule
