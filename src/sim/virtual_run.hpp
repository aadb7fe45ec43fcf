#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "sim/options.hpp"
#include "sim/simulation.hpp"

namespace tokenjoule {

/// A measurement that a virtual closed-loop client makes of the simulator, in no time.
struct VirtualRunOptions {
  SimulatorOptions simulator;
  std::int64_t concurrency = 8;
  std::int64_t input_tokens = 256;
  std::int64_t output_tokens = 128;
  double range_ratio = 0;  ///< lengths uniform on [L(1-r), L(1+r)]
  bool ignore_eos = true;
  std::uint64_t load_seed = 1;
  Seconds idle{10};
  Seconds warmup{10};
  Seconds window{60};
  Seconds cooldown{2};
  Seconds drain{30};
  Nanoseconds poll_period = milliseconds(100);
  Nanoseconds edge_poll_period = milliseconds(20);  ///< within a second of each change of phase
  Nanoseconds scrape_period = whole_seconds(1);     ///< of the engine's counters
  Nanoseconds network_delay = microseconds(50);  ///< from the server's send to the client's stamp
  bool token_counts_per_event = true;  ///< as an engine that gives token ids; false: usage only
};

/// The whole record of such a run, and the simulation that knows what was true.
struct VirtualRun {
  std::vector<Event> events;  ///< header first, close last, as a run file has them
  TimeSpan window;            ///< from the measure mark to the cooldown mark
  std::unique_ptr<Simulation> simulation;

  /// Truth on the time of the record, which is the simulation's own.
  Truth truth(TimeSpan span) const { return simulation->truth(span); }
};

/// Same options, same events. An error where the options are out of range.
Result<VirtualRun> virtual_run(const VirtualRunOptions& options);

}  // namespace tokenjoule
