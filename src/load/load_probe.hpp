#pragma once

#include <functional>

#include "base/time.hpp"
#include "load/block_queue.hpp"

namespace tokenjoule {

/// For who measures the client itself; either may be empty.
struct LoadProbe {
  /// Called by each load thread on every turn of its loop, with the time of its last wake-up.
  std::function<void(MonoTime)> each_round;
  /// Called by each decoder thread before it decodes a batch.
  std::function<void(const BlockBatch&)> each_batch;
};

}  // namespace tokenjoule
