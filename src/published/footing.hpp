#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/published.hpp"
#include "published/gpu_catalogue.hpp"
#include "published/power_table.hpp"
#include "published/published_set.hpp"

namespace tokenjoule {

/// `--watts GPU=W`: watts that the user states for a GPU.
struct StatedWatts {
  std::string gpu;
  double watts = 0;
};

struct FootingOptions {
  const GpuCatalogue* catalogue = &GpuCatalogue::embedded();
  const PowerTable* power = &PowerTable::embedded();
  std::vector<StatedWatts> watts;
  /// Days whose all-in watts are taken, each giving a figure of its own; empty: the latest watts.
  std::vector<std::string> days;
  /// Kinds wanted; empty: every kind that a row has, a ceiling only where it has nothing else.
  std::vector<EnergyKind> kinds;
  /// Share of the benchmark's throughput that a service reaches, 0 < x <= 1: turns provisioned and
  /// ceiling figures into modelled ones. The watts stay, so energy per token grows by 1/x.
  std::optional<double> achieved;
};

/// What a row's energy is, on one footing. Absent is unknown: its row says why.
struct PublishedFigure {
  std::uint32_t row = 0;  ///< index in PublishedSet::rows
  EnergyKind kind = EnergyKind::provisioned;
  std::optional<LimitSource> limit_source;  ///< of provisioned and ceiling figures
  PooledText basis;                         ///< where the watts come from, in words
  std::optional<double> gpu_w;              ///< per GPU
  std::optional<double> system_w;           ///< all GPUs together, or the whole system at the wall
  std::optional<double> j_output;           ///< joules per output token
  std::optional<double> j_input;            ///< joules per input token, all energy charged to input
  std::optional<double> j_total;            ///< joules per input or output token
  std::optional<double> wh_query;           ///< per query of the nominal lengths
  std::optional<double> j_answer;           ///< per query of the lengths really used
  std::optional<double> measured_share;     ///< of a ceiling: published share of the limit
  std::optional<double> gpus_charged;       ///< GPUs whose energy is in it; absent: not known
};

/// A figure that there is not, and why: "no all-in watts are known for 950dt".
struct Refusal {
  std::uint32_t row = 0;
  EnergyKind kind = EnergyKind::provisioned;
  std::string why;
};

struct Footing {
  std::vector<PublishedFigure> figures;
  std::vector<Refusal> refusals;
  std::vector<std::string> unmatched_watts;  ///< names of `--watts` that no row's GPU has
};

/// Puts rows on one footing: joules per token and per query for each kind of energy that they have
/// or that watts are known for. Pure: the same rows and tables give the same figures.
Footing footing_of(PublishedSet& set, const std::vector<std::uint32_t>& rows,
                   const FootingOptions& options);

/// GPUs that the row's model runs on: all that its throughput belongs to, but for runs of a load
/// client that counts the whole node.
std::optional<double> gpus_used(const PublishedResult& row);
/// GPUs are charged that the model did not run on.
bool charges_idle_gpus(const PublishedResult& row, const PublishedFigure& figure);

/// Rate of one user: mean interactivity, else median (then `is_median`), else 1 / time per token.
struct UserRate {
  double tokens_per_s = 0;
  bool is_median = false;
};
std::optional<UserRate> user_rate(const PublishedResult& row);

}  // namespace tokenjoule
