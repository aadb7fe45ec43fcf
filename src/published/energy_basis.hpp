#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "published/footing.hpp"

namespace tokenjoule {

/// What a row's energy rests on: watts of all of its GPUs, or joules that were published.
struct EnergyBasis {
  EnergyKind kind = EnergyKind::provisioned;
  std::optional<LimitSource> limit_source;
  PooledText words;
  std::optional<double> gpu_w;
  std::optional<double> system_w;
  std::optional<double> j_output;  ///< as published; absent: system_w / throughput
  std::optional<double> j_input;
  std::optional<double> j_total;
  std::optional<double> j_answer;
  std::optional<double> measured_share;
  std::optional<double> gpus_charged;  ///< GPUs whose energy is in it; absent: not known
};

struct BasesFound {
  std::vector<EnergyBasis> bases;  ///< empty without a reason: the row has no energy of that kind
  PooledText refused;
};

/// Finds the basis of each kind of energy for rows of one set. Keeps what it looked up by GPU.
class EnergyBases {
 public:
  EnergyBases(PublishedSet& set, const FootingOptions& options);

  void of(const PublishedResult& row, EnergyKind kind, BasesFound& found);
  std::vector<std::string> unmatched_watts() const;

 private:
  /// What is known about the watts of one accelerator text.
  struct GpuWatts {
    const CatalogueGpu* catalogue = nullptr;
    const StatedWatts* stated = nullptr;
    std::vector<const AllInPower*> all_in;  ///< a row for each day asked for
  };
  /// Watts of one GPU on one basis.
  struct Answer {
    double watts = 0;
    LimitSource source = LimitSource::catalogue;
    PooledText words;
  };

  const GpuWatts& watts_of(PooledText accelerator);
  GpuWatts looked_up(std::string_view accelerator);
  std::optional<Answer> all_in(PooledText accelerator, std::size_t day);
  std::optional<Answer> limit(const PublishedResult& row, PooledText accelerator);
  void provisioned(const PublishedResult& row, BasesFound& found);
  void ceiling(const PublishedResult& row, BasesFound& found);
  void measured_gpu(const PublishedResult& row, BasesFound& found);
  void with_idle(const PublishedResult& row, BasesFound& found);
  void measured_wall(const PublishedResult& row, BasesFound& found);
  void say_what_is_charged(const PublishedResult& row, BasesFound& found);
  std::optional<EnergyBasis> provisioned_on(const PublishedResult& row, std::size_t day);
  void refuse(BasesFound& found, std::string_view why);

  PublishedSet& set_;
  const FootingOptions& options_;
  std::unordered_map<std::string_view, GpuWatts> by_accelerator_;
  std::vector<bool> stated_used_;
};

}  // namespace tokenjoule
