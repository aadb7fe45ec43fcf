#include "model/published.hpp"

#include <algorithm>

namespace tokenjoule {

std::string_view name_of(PublishedSource source) {
  switch (source) {
    case PublishedSource::inferencex: return "inferencex";
    case PublishedSource::mlperf: return "mlperf";
    case PublishedSource::mlenergy: return "mlenergy";
    case PublishedSource::tokenjoule: return "tokenjoule";
    case PublishedSource::csv: return "csv";
  }
  return "";
}

std::string_view name_of(EnergyKind kind) {
  switch (kind) {
    case EnergyKind::measured_gpu: return "measured_gpu";
    case EnergyKind::measured_wall: return "measured_wall";
    case EnergyKind::provisioned: return "provisioned";
    case EnergyKind::ceiling: return "ceiling";
    case EnergyKind::modelled: return "modelled";
  }
  return "";
}

std::optional<EnergyKind> energy_kind_named(std::string_view name) {
  for (const auto kind : {EnergyKind::measured_gpu, EnergyKind::measured_wall,
                          EnergyKind::provisioned, EnergyKind::ceiling, EnergyKind::modelled}) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string_view name_of(LimitSource source) {
  switch (source) {
    case LimitSource::option: return "option";
    case LimitSource::submission: return "submission";
    case LimitSource::catalogue: return "catalogue";
  }
  return "";
}

std::string_view name_of(RowFlag flag) {
  switch (flag) {
    case RowFlag::agentic: return "agentic";
    case RowFlag::inferred: return "inferred";
    case RowFlag::mixed_accelerators: return "mixed_accelerators";
    case RowFlag::seconds_under_ms: return "seconds_under_ms";
    case RowFlag::raw_result: return "raw_result";
    case RowFlag::other_client: return "other_client";
    case RowFlag::from_file_name: return "from_file_name";
    case RowFlag::power_log: return "power_log";
    case RowFlag::seeded_lengths: return "seeded_lengths";
    case RowFlag::simulated: return "simulated";
    case RowFlag::no_throughput: return "no_throughput";
  }
  return "";
}

bool PublishedResult::has(RowFlag flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void PublishedResult::mark(RowFlag flag) {
  if (!has(flag)) flags.push_back(flag);
}

}  // namespace tokenjoule
