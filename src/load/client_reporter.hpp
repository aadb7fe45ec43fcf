#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "io/clock.hpp"
#include "load/client_meter.hpp"
#include "load/load_counters.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// The client's state between two looks at its loops. Pure.
ClientState client_state(TimeSpan span, const LoopTotals& change, std::int64_t reads_coalesced,
                         std::int64_t in_flight);

/// Pushes a ClientState each second, and one for the rest when it ends.
class ClientReporter {
 public:
  /// All that is given must outlive the reporter.
  ClientReporter(Clock& clock, std::vector<const PublishedTotals*> loops,
                 const LoadCounters& counters, EventSink sink);

 private:
  void run(const std::stop_token& stop);
  LoopTotals totals() const;
  void report(MonoTime now);

  Clock& clock_;
  std::vector<const PublishedTotals*> loops_;
  const LoadCounters& counters_;
  EventSink sink_;
  MonoTime reported_;
  LoopTotals before_;
  std::int64_t coalesced_before_ = 0;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace tokenjoule
