#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/random.hpp"
#include "base/time.hpp"

namespace tokenjoule {

enum class ArrivalProcess { poisson, constant, gamma };
std::string_view name_of(ArrivalProcess process);

/// When requests are to be sent, whatever the server does: so many a second, with gaps of this
/// kind.
struct ArrivalRate {
  double per_second = 1;  ///< above 0
  ArrivalProcess process = ArrivalProcess::poisson;
  /// gamma: the shape of the gaps, above 0; their coefficient of variation is 1 / sqrt(burstiness).
  /// 1 is Poisson; below, arrivals come in bursts, above, they are more even. As in vLLM.
  double burstiness = 1;
  Seconds ramp_up{0};  ///< the rate grows from 0 to its value, linearly over this time
  std::uint64_t seed = 1;
};

/// Arrivals as a trace tells them. Behind its end it begins anew, one `period` later.
struct ArrivalTrace {
  std::vector<Nanoseconds> offsets;  ///< from its first request on; in order; not empty
  Nanoseconds period;                ///< at least the last offset
  std::uint64_t seed = 1;            ///< of the warm-up's gaps

  /// Of the trace, over its period.
  double mean_rate() const;
};

using ArrivalPlan = std::variant<ArrivalRate, ArrivalTrace>;

/// The times of all arrivals, one after another, each counted from the begin of the schedule. They
/// follow from the rate and the seed alone: nothing that happens in a run moves them. Gaps are not
/// rescaled to fit a total.
///
/// Gaps of mean 1 are summed up to u, and u is carried to a time: u / R, or, while the rate grows
/// over D, sqrt(2 D u / R). (Time change of a renewal process: Çınlar, Introduction to Stochastic
/// Processes, chapter 4, for Poisson.)
class ArrivalSchedule {
 public:
  /// @param stream the same rate and seed with another stream gives other gaps.
  ArrivalSchedule(const ArrivalRate& rate, std::uint64_t stream);

  /// The next arrival; never before the one given last.
  Nanoseconds next();

 private:
  double unit_gap();
  double seconds_at(double arrivals) const;

  ArrivalRate rate_;
  Random random_;
  double arrivals_ = 0;  ///< expected up to the last arrival
};

}  // namespace tokenjoule
