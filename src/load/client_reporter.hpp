#pragma once

#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "io/clock.hpp"
#include "load/client_meter.hpp"
#include "load/load_counters.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// The client's state between two looks at its loops. Pure.
/// @param changes of each load thread.
ClientState client_state(TimeSpan span, const std::vector<LoopTotals>& changes,
                         std::int64_t reads_coalesced, std::int64_t in_flight);

/// What the system lets this program have open, and how much of it is in use. Absent: not told.
struct OpenLimits {
  std::optional<std::int64_t> descriptors_open;     ///< the kernel tells since Linux 6.2
  std::optional<std::int64_t> descriptors_allowed;  ///< soft RLIMIT_NOFILE; absent: no limit
  std::optional<std::int64_t> local_ports;  ///< net.ipv4.ip_local_port_range: to one server address
};
OpenLimits open_limits();

/// Pushes a ClientState each second, and one for the rest when it ends.
class ClientReporter {
 public:
  /// All that is given must outlive the reporter.
  ClientReporter(Clock& clock, std::vector<const PublishedTotals*> loops,
                 const LoadCounters& counters, EventSink sink);

 private:
  void run(const std::stop_token& stop);
  void report(MonoTime now);

  Clock& clock_;
  std::vector<const PublishedTotals*> loops_;
  const LoadCounters& counters_;
  EventSink sink_;
  MonoTime reported_;
  std::vector<LoopTotals> before_;  ///< of each loop
  std::int64_t coalesced_before_ = 0;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace tokenjoule
