#pragma once

#include <atomic>
#include <cstdint>

namespace tokenjoule {

/// What all threads of the client count together. Relaxed: each is a number of its own, for display
/// and for waiting until `sent` = `completed` + `failed` + `cancelled`.
struct LoadCounters {
  std::atomic<std::int64_t> sent{0};
  std::atomic<std::int64_t> completed{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> cancelled{0};
  std::atomic<std::int64_t> in_flight{0};
  std::atomic<std::int64_t> events{0};
  std::atomic<std::int64_t> warmup_completed{0};
  std::atomic<std::int64_t> measured_sent{0};
  std::atomic<std::int64_t> numbered_sent{0};         ///< of the first num_requests measured ones
  std::atomic<std::int64_t> last_numbered_ns{0};      ///< when the latest of those was sent
  std::atomic<std::int64_t> numbered_ended{0};        ///< of the same, in whatever way
  std::atomic<std::int64_t> last_numbered_end_ns{0};  ///< when the latest of those ended
  std::atomic<std::int64_t> reads_coalesced{0};
};

}  // namespace tokenjoule
