#include "load/shapes/arrival_schedule.hpp"

#include <cmath>

#include "base/check.hpp"

namespace tokenjoule {

std::string_view name_of(ArrivalProcess process) {
  switch (process) {
    case ArrivalProcess::poisson: return "poisson";
    case ArrivalProcess::constant: return "constant";
    case ArrivalProcess::gamma: break;
  }
  return "gamma";
}

double ArrivalTrace::mean_rate() const {
  TJ_ASSERT(!offsets.empty() && period > Nanoseconds{0});
  return static_cast<double>(offsets.size()) / to_seconds(period).value();
}

ArrivalSchedule::ArrivalSchedule(const ArrivalRate& rate, std::uint64_t stream)
    : rate_(rate), random_(rate.seed, stream) {
  TJ_ASSERT(rate.per_second > 0 && rate.burstiness > 0);
}

double ArrivalSchedule::unit_gap() {
  switch (rate_.process) {
    case ArrivalProcess::constant: return 1;
    case ArrivalProcess::poisson: return random_.exponential(1);
    case ArrivalProcess::gamma: break;
  }
  return random_.gamma(rate_.burstiness, 1);
}

double ArrivalSchedule::seconds_at(double arrivals) const {
  const double ramp = rate_.ramp_up.value();
  const double in_ramp = rate_.per_second * ramp / 2;
  if (arrivals < in_ramp) return std::sqrt(2 * ramp * arrivals / rate_.per_second);
  return ramp / 2 + arrivals / rate_.per_second;
}

Nanoseconds ArrivalSchedule::next() {
  arrivals_ += unit_gap();
  return to_nanoseconds(Seconds(seconds_at(arrivals_)));
}

}  // namespace tokenjoule
