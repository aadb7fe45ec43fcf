#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// Something that happens once, `at` seconds after the simulator's start.
struct TimedFault {
  Seconds at;
  std::optional<Seconds> length;  ///< absent: for ever
  std::optional<int> gpu;         ///< index; absent: every GPU
};

/// What goes wrong on purpose. The default is a simulator without a fault.
struct FaultPlan {
  std::vector<TimedFault> counter_resets;  ///< the energy counter starts again at 0
  std::vector<TimedFault> freezes;         ///< the energy counter stands still, power goes on
  std::vector<TimedFault> losses;          ///< the GPU's rows vanish from the page
  double counter_gain = 1;                 ///< counter shows this times the energy
  double power_gain = 1;                   ///< power readings show this times the power
  Watts noise;                             ///< standard deviation added to power readings
  std::optional<Nanoseconds> counter_step;
  bool no_counter = false;
  bool no_power = false;
  std::optional<Seconds> exporter_down_at;   ///< the GPU page answers 503 from then on
  Nanoseconds slow_page;                     ///< the GPU page answers this much later
  std::optional<int> error_in_stream_every;  ///< every N-th request ends in an error event
  std::optional<int> http_429_every;
  std::optional<int> http_500_every;
  std::optional<int> disconnect_every;  ///< every N-th answer is reset in mid stream
  bool no_done = false;                 ///< streams end without "[DONE]"
  bool no_usage = false;                ///< no usage, whatever was asked for
  std::vector<TimedFault> stalls;       ///< the engine begins no step
  bool unauthorized = false;            ///< 401 for everything
  bool html = false;                    ///< an HTML page for everything
};

/// The plan of all `--fault KIND[:key=value,…]` words together. An unknown kind or key, a missing
/// or impossible value is a usage error with a suggestion.
Result<FaultPlan> faults_in(std::span<const std::string> words);

/// One line a fault, for the help text: "counter_reset:at=S[,gpu=I]  the energy counter …".
std::string fault_help();

/// Whether the fault is on for that GPU at that time.
bool is_on(const TimedFault& fault, MonoTime at, int gpu);

}  // namespace tokenjoule
