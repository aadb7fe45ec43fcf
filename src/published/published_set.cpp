#include "published/published_set.hpp"

#include <functional>
#include <tuple>
#include <unordered_map>

#include "base/quick_hash.hpp"

namespace tokenjoule {

PooledText TextPool::keep(std::string_view text) {
  if (text.empty()) return {};
  PooledText& recent = recent_[quick_hash(text) % recent_.size()];
  if (recent == text) return recent;
  const auto found = texts_.find(text);
  recent = found != texts_.end() ? *found : *texts_.emplace(text).first;
  return recent;
}

namespace {

/// What tells rows apart where the publication itself gives each a name: rows of one MLPerf ID may
/// differ in what ran alone, own rows and those of a CSV in their lengths and energies alone.
/// InferenceX numbers one result anew in each of its publications.
auto named_identity_of(const PublishedResult& row) {
  const bool named =
      row.source != PublishedSource::inferencex && row.source != PublishedSource::mlenergy;
  static const PublishedResult none;
  const PublishedResult& from = named ? row : none;
  return std::make_tuple(from.attribution.id, from.model_path, from.attribution.division,
                         from.requests_per_s, from.mean_input_len, from.mean_output_len,
                         from.energy.j_per_query, from.energy.all_gpus_mean_w,
                         from.energy.wall_mean_w);
}

/// All that tells one result from another. Raw runs, which carry no date of a day, are told apart
/// by their start.
auto identity_of(const PublishedResult& row) {
  const PublishedAttribution& by = row.attribution;
  return std::make_tuple(row.source, row.model, row.hardware, row.framework, row.precision,
                         row.speculation, row.scenario, row.date, by.round, by.system, by.platform,
                         by.suite, by.submitter, row.concurrency, row.batch_limit,
                         row.nominal_input_len, row.nominal_output_len, row.gpus, row.per_gpu.total,
                         row.system.total, row.system.output, row.duration_s,
                         row.energy.wall_j_per_query, named_identity_of(row));
}

void mix(std::size_t& seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15U + (seed << 6U) + (seed >> 2U);
}

struct IdentityHash {
  std::size_t operator()(const PublishedResult* row) const {
    std::size_t seed = static_cast<std::size_t>(row->source);
    for (const auto text : {row->model, row->hardware, row->framework, row->scenario, row->date,
                            row->attribution.platform})
      mix(seed, std::hash<std::string_view>()(text));
    for (const auto& number : {row->concurrency, row->nominal_input_len, row->per_gpu.total,
                               row->system.total, row->system.output})
      mix(seed, std::hash<double>()(number.value_or(-1)));
    return seed;
  }
};

struct SameIdentity {
  bool operator()(const PublishedResult* a, const PublishedResult* b) const {
    return identity_of(*a) == identity_of(*b);
  }
};

void take_missing(std::optional<double>& into, const std::optional<double>& from) {
  if (!into) into = from;
}

void take_missing(PublishedStatistic& into, const PublishedStatistic& from) {
  take_missing(into.mean, from.mean);
  take_missing(into.median, from.median);
  take_missing(into.p90, from.p90);
  take_missing(into.p99, from.p99);
  take_missing(into.p999, from.p999);
  take_missing(into.deviation, from.deviation);
}

void take_missing(PooledText& into, PooledText from) {
  if (into.empty()) into = from;
}

/// What two publications of one result differ in: latencies, energy, image, link.
void take_missing(PublishedResult& into, PublishedResult&& from) {
  take_missing(into.ttft, from.ttft);
  take_missing(into.tpot, from.tpot);
  take_missing(into.itl, from.itl);
  take_missing(into.e2e, from.e2e);
  take_missing(into.interactivity, from.interactivity);
  take_missing(into.image, from.image);
  take_missing(into.attribution.url, from.attribution.url);
  const bool bare = !into.energy.gpu_mean_w && !into.energy.wall_mean_w && !into.energy.all_gpus_j;
  if (bare) into.energy = from.energy;
  if (into.unknown.empty()) into.unknown = std::move(from.unknown);
}

}  // namespace

void drop_duplicates(PublishedSet& set) {
  std::unordered_map<const PublishedResult*, std::size_t, IdentityHash, SameIdentity> seen;
  seen.reserve(set.rows.size());
  std::size_t kept = 0;
  for (std::size_t at = 0; at < set.rows.size(); ++at) {
    PublishedResult& row = set.rows[at];
    if (const auto first = seen.find(&row); first != seen.end()) {
      take_missing(set.rows[first->second], std::move(row));
      continue;
    }
    if (kept != at) set.rows[kept] = std::move(row);
    seen.emplace(&set.rows[kept], kept);
    ++kept;
  }
  set.duplicates += set.rows.size() - kept;
  set.rows.resize(kept);
}

}  // namespace tokenjoule
