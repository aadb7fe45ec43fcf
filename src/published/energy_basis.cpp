#include "published/energy_basis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// The text to look a row's GPU up by: the short name where the importer gave one.
PooledText accelerator_of(const PublishedResult& row) {
  return row.gpu.empty() ? row.hardware : row.gpu;
}

/// Why no watts are known, and what to do about it.
std::string no_watts(const PublishedResult& row, std::string_view what, std::string_view when) {
  const PooledText name = accelerator_of(row);
  if (!name.empty())
    return fmt::format("no {} is known for \"{}\"{}: give --watts NAME=W", what, quoted(name),
                       when);
  return row.has(RowFlag::raw_result)
             ? "it names no GPU: put GPU and number into its file's name, as …_h200_tp8_….json"
             : "it names no GPU";
}

/// Do prefill and decode stand on different GPUs?
bool two_kinds(const PublishedResult& row) {
  return row.disaggregated.value_or(false) && !row.prefill.hardware.empty() &&
         !row.decode.hardware.empty() && row.prefill.hardware != row.decode.hardware;
}

std::string_view words_of_measurement(const PublishedResult& row, double schema) {
  if (row.has(RowFlag::power_log)) return "GPU boards, from the power log beside the result";
  const bool verified = row.source != PublishedSource::inferencex ||
                        (schema == 2 && row.energy.valid.value_or(false));
  return verified ? "GPU boards, measured" : "GPU boards, measured; not verified";
}

// Beyond these a number is a slip of the pen: GPU boards draw up to 1.4 kW, the largest systems
// some hundred megawatts, and nobody makes a billion tokens a second.
constexpr double kMostGpuWatts = 10'000;
constexpr double kMostWatts = 1e9;
constexpr double kMostJoules = 1e15;
constexpr double kMostGpus = 1e6;
constexpr double kMostRate = 1e9;

/// Published, but not above 0, or larger than can be. Unknown is not impossible.
bool impossible(const std::optional<double>& value, double most) {
  return value && !(*value > 0 && *value <= most);
}

/// One set of GPUs behind all figures of a measured row: that which energy per token (of input and
/// output) was read of. `by_part`: energies per input and per output token may be of one part of a
/// disaggregated server each, so that one alone counts. Where it does not fit mean power * GPUs,
/// more or fewer GPUs were read than the row states.
void put_on_one_set(const PublishedResult& row, bool by_part, EnergyBasis& basis) {
  constexpr double kSame = 0.01;
  const double watts = basis.j_total.value_or(0) * row.system.total.value_or(0);
  if (watts <= 0) {
    if (by_part && basis.j_total) basis.system_w.reset();
    return;
  }
  const bool same = basis.system_w && std::abs(watts / *basis.system_w - 1) <= kSame;
  if (by_part || (!same && !row.energy.all_gpus_mean_w)) basis.system_w = watts;
  if (same || !basis.gpu_w) return;
  const double boards = std::round(watts / *basis.gpu_w);
  const bool whole = std::abs(boards * *basis.gpu_w / watts - 1) <= kSame;
  basis.gpus_charged = whole ? std::optional(boards) : std::nullopt;
}

/// What no energy can be computed with, of any kind.
std::optional<std::string> why_impossible(const PublishedResult& row) {
  if (impossible(row.gpus, kMostGpus)) return fmt::format("{} GPUs cannot be", *row.gpus);
  for (const auto& rate : {row.system.total, row.system.output, row.requests_per_s}) {
    if (impossible(rate, kMostRate)) return fmt::format("a rate of {} a second cannot be", *rate);
  }
  return std::nullopt;
}

}  // namespace

EnergyBases::EnergyBases(PublishedSet& set, const FootingOptions& options)
    : set_(set), options_(options), stated_used_(options.watts.size(), false) {}

void EnergyBases::refuse(BasesFound& found, std::string_view why) {
  found.bases.clear();
  found.refused = set_.keep(why);
}

EnergyBases::GpuWatts EnergyBases::looked_up(std::string_view accelerator) {
  GpuWatts watts;
  watts.catalogue = options_.catalogue->find(accelerator);
  const std::string name = watts.catalogue ? watts.catalogue->gpu : lower_case(accelerator);
  for (std::size_t i = 0; i < options_.watts.size(); ++i) {
    const CatalogueGpu* const meant = options_.catalogue->find(options_.watts[i].gpu);
    const bool same = words_of(options_.watts[i].gpu) == words_of(accelerator) ||
                      (meant && watts.catalogue && meant->gpu == watts.catalogue->gpu);
    if (!same) continue;
    watts.stated = &options_.watts[i];
    stated_used_[i] = true;
  }
  const auto& days = options_.days;
  for (std::size_t day = 0; day < std::max<std::size_t>(days.size(), 1); ++day)
    watts.all_in.push_back(options_.power->find(name, days.empty() ? "" : days[day]));
  return watts;
}

const EnergyBases::GpuWatts& EnergyBases::watts_of(PooledText accelerator) {
  const auto found = by_accelerator_.find(accelerator);
  if (found != by_accelerator_.end()) return found->second;
  return by_accelerator_.emplace(accelerator, looked_up(accelerator)).first->second;
}

std::vector<std::string> EnergyBases::unmatched_watts() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < stated_used_.size(); ++i) {
    if (!stated_used_[i]) names.push_back(options_.watts[i].gpu);
  }
  return names;
}

std::optional<EnergyBases::Answer> EnergyBases::all_in(PooledText accelerator, std::size_t day) {
  const GpuWatts& watts = watts_of(accelerator);
  if (watts.stated) return Answer{watts.stated->watts, LimitSource::option, set_.keep("--watts")};
  const AllInPower* const row = watts.all_in[day];
  if (row == nullptr) return std::nullopt;
  return Answer{row->watts, LimitSource::catalogue,
                set_.keep(fmt::format("{} W all-in, in use from {}{}", row->watts, row->from,
                                      row->until.empty() ? "" : " to " + row->until))};
}

std::optional<EnergyBases::Answer> EnergyBases::limit(const PublishedResult& row,
                                                      PooledText accelerator) {
  const GpuWatts& watts = watts_of(accelerator);
  if (watts.stated) return Answer{watts.stated->watts, LimitSource::option, set_.keep("--watts")};
  if (row.stated_gpu_limit_w) {
    return Answer{*row.stated_gpu_limit_w, LimitSource::submission,
                  row.stated_limit_words.empty() ? set_.keep("the submission states it")
                                                 : row.stated_limit_words};
  }
  if (!watts.catalogue || !watts.catalogue->limit_w) return std::nullopt;
  return Answer{*watts.catalogue->limit_w, LimitSource::catalogue,
                set_.keep(fmt::format("{} W, limit of {} {}", *watts.catalogue->limit_w,
                                      watts.catalogue->gpu, watts.catalogue->variant))};
}

std::optional<EnergyBasis> EnergyBases::provisioned_on(const PublishedResult& row,
                                                       std::size_t day) {
  EnergyBasis basis{.kind = EnergyKind::provisioned};
  if (!two_kinds(row)) {
    const auto answer = all_in(accelerator_of(row), day);
    if (!answer) return std::nullopt;
    basis.gpu_w = answer->watts;
    basis.system_w = answer->watts * *row.gpus;
    basis.limit_source = answer->source;
    basis.words = answer->words;
    return basis;
  }
  const auto prefill = all_in(row.prefill.hardware, day);
  const auto decode = all_in(row.decode.hardware, day);
  if (!prefill || !decode || !row.prefill.gpus || !row.decode.gpus) return std::nullopt;
  basis.system_w = prefill->watts * *row.prefill.gpus + decode->watts * *row.decode.gpus;
  basis.gpu_w = *basis.system_w / *row.gpus;
  basis.limit_source = std::min(prefill->source, decode->source);
  basis.words = set_.keep(fmt::format("prefill {}; decode {}", prefill->words, decode->words));
  return basis;
}

void EnergyBases::provisioned(const PublishedResult& row, BasesFound& found) {
  if (row.has(RowFlag::no_throughput)) return refuse(found, "no throughput was published");
  if (!row.gpus) return refuse(found, "the number of GPUs is not known");
  if (const auto why = why_impossible(row)) return refuse(found, *why);
  const std::size_t days = std::max<std::size_t>(options_.days.size(), 1);
  for (std::size_t day = 0; day < days; ++day) {
    if (auto basis = provisioned_on(row, day)) {
      basis->gpus_charged = row.gpus;
      const bool same =
          !found.bases.empty() && found.bases.back().limit_source == LimitSource::option;
      if (!same) found.bases.push_back(*basis);
      continue;
    }
    return refuse(found, no_watts(row, "all-in power",
                                  options_.days.empty() ? "" : " on " + options_.days[day]));
  }
}

void EnergyBases::ceiling(const PublishedResult& row, BasesFound& found) {
  if (row.has(RowFlag::no_throughput)) return refuse(found, "no throughput was published");
  if (row.has(RowFlag::mixed_accelerators))
    return refuse(found, "it has several kinds of accelerator");
  if (row.has(RowFlag::inferred))
    return refuse(found, "it was not run, but taken over from another row");
  if (!row.gpus) return refuse(found, "the number of GPUs is not known");
  if (const auto why = why_impossible(row)) return refuse(found, *why);
  if (!watts_of(accelerator_of(row)).stated && impossible(row.stated_gpu_limit_w, kMostGpuWatts)) {
    return refuse(found, fmt::format("a power limit of {} W cannot be: give --watts NAME=W",
                                     *row.stated_gpu_limit_w));
  }
  if (!row.system.total && !row.system.output && !row.requests_per_s)
    return refuse(found, "it has no rate that energy could be divided by");
  if (two_kinds(row)) return refuse(found, "prefill and decode stand on different GPUs");
  const auto answer = limit(row, accelerator_of(row));
  if (!answer) return refuse(found, no_watts(row, "power limit", ""));
  EnergyBasis basis{.kind = EnergyKind::ceiling};
  basis.limit_source = answer->source;
  basis.words = answer->words;
  basis.gpu_w = answer->watts;
  basis.system_w = answer->watts * *row.gpus;
  basis.gpus_charged = row.gpus;
  if (const auto* gpu = watts_of(accelerator_of(row)).catalogue)
    basis.measured_share = gpu->measured_share;
  found.bases.push_back(basis);
}

void EnergyBases::measured_gpu(const PublishedResult& row, BasesFound& found) {
  const PublishedEnergy& energy = row.energy;
  EnergyBasis basis{.kind = EnergyKind::measured_gpu};
  basis.gpu_w = energy.gpu_mean_w;
  basis.system_w = energy.all_gpus_mean_w;
  if (!basis.system_w && energy.gpu_mean_w && row.gpus)
    basis.system_w = *energy.gpu_mean_w * *row.gpus;
  if (!basis.gpu_w && basis.system_w && row.gpus) basis.gpu_w = *basis.system_w / *row.gpus;
  if (!basis.system_w && !energy.j_per_output_token && !energy.j_per_total_token &&
      !energy.j_per_query)
    return;
  if (energy.valid == false) return refuse(found, "its publisher calls its power not valid");
  if (const auto why = why_impossible(row)) return refuse(found, *why);
  const bool impossible_watts =
      impossible(basis.gpu_w, kMostGpuWatts) || impossible(basis.system_w, kMostWatts);
  const bool impossible_joules = impossible(energy.j_per_output_token, kMostJoules) ||
                                 impossible(energy.j_per_total_token, kMostJoules) ||
                                 impossible(energy.j_per_query, kMostJoules) ||
                                 impossible(energy.all_gpus_j, kMostJoules);
  if (impossible_watts || impossible_joules) {
    return refuse(found, "its measured power or energy is 0, negative or impossibly large");
  }
  const double schema = energy.schema_version.value_or(1);
  if (schema > 2) return refuse(found, fmt::format("power schema {} is not known", schema));
  // Before schema 2 some disaggregated rows have joules of one part only.
  const bool by_part =
      row.source == PublishedSource::inferencex && schema < 2 && row.disaggregated.value_or(false);
  basis.j_total = energy.j_per_total_token;
  basis.gpus_charged = row.gpus;
  if (!by_part) basis.j_output = energy.j_per_output_token;
  if (!by_part) basis.j_input = energy.j_per_input_token;
  if (row.source == PublishedSource::inferencex) put_on_one_set(row, by_part, basis);
  basis.j_answer = energy.j_per_query;
  if (!basis.j_answer && energy.all_gpus_j && row.completed && *row.completed > 0)
    basis.j_answer = *energy.all_gpus_j / *row.completed;
  basis.words =
      set_.keep(fmt::format("{}{}", words_of_measurement(row, schema),
                            by_part ? "; mean of the cluster, prefill and decode GPUs alike" : ""));
  found.bases.push_back(basis);
  if (energy.idle_gpus_w && basis.system_w) with_idle(row, found);
}

/// The same run with the boards charged that stood idle in its node; watts per GPU are then the
/// mean over working and idle ones.
void EnergyBases::with_idle(const PublishedResult& row, BasesFound& found) {
  EnergyBasis basis{.kind = EnergyKind::measured_gpu};
  basis.system_w = *found.bases.back().system_w + *row.energy.idle_gpus_w;
  if (row.gpus && row.energy.idle_gpus) {
    basis.gpus_charged = *row.gpus + *row.energy.idle_gpus;
    basis.gpu_w = *basis.system_w / *basis.gpus_charged;
  }
  if (row.duration_s && row.completed && *row.completed > 0)
    basis.j_answer = *basis.system_w * *row.duration_s / *row.completed;
  basis.words =
      set_.keep(fmt::format("{}; idle GPUs of the node charged as well", found.bases.back().words));
  found.bases.push_back(basis);
}

void EnergyBases::measured_wall(const PublishedResult& row, BasesFound& found) {
  if (!row.energy.wall_mean_w && !row.energy.wall_j_per_query) return;
  if (row.has(RowFlag::inferred))
    return refuse(found, "it was not run, but taken over from another row");
  if (impossible(row.energy.wall_mean_w, kMostWatts) ||
      impossible(row.energy.wall_j_per_query, kMostJoules)) {
    return refuse(found, "its measured power or energy is 0, negative or impossibly large");
  }
  EnergyBasis basis{.kind = EnergyKind::measured_wall};
  basis.system_w = row.energy.wall_mean_w;
  basis.j_answer = row.energy.wall_j_per_query;
  basis.words = set_.keep(row.has(RowFlag::power_log)
                              ? "whole system at the wall, from the power log of the run"
                              : "whole system at the wall, measured");
  found.bases.push_back(basis);
}

void EnergyBases::of(const PublishedResult& row, EnergyKind kind, BasesFound& found) {
  found.bases.clear();
  found.refused = {};
  switch (kind) {
    case EnergyKind::measured_gpu: measured_gpu(row, found); break;
    case EnergyKind::measured_wall: measured_wall(row, found); break;
    case EnergyKind::provisioned: provisioned(row, found); break;
    case EnergyKind::ceiling: ceiling(row, found); break;
    case EnergyKind::modelled: break;
  }
  say_what_is_charged(row, found);
}

void EnergyBases::say_what_is_charged(const PublishedResult& row, BasesFound& found) {
  const auto used = gpus_used(row);
  for (EnergyBasis& basis : found.bases) {
    if (!used || !basis.gpus_charged || *basis.gpus_charged <= *used) continue;
    basis.words = set_.keep(fmt::format("{}; {} GPUs charged, the model runs on {}", basis.words,
                                        *basis.gpus_charged, *used));
  }
}

}  // namespace tokenjoule
