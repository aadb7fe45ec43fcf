#pragma once

#include <optional>

#include "base/quantity.hpp"

namespace tokenjoule {

/// What each request is to keep to (service level objective). A limit that is absent is not set.
struct ServiceLevel {
  std::optional<Seconds> ttft;  ///< time to first token, at most
  std::optional<Seconds> tpot;  ///< time per output token, at most
  std::optional<Seconds> e2e;   ///< end-to-end latency, at most

  bool empty() const { return !ttft && !tpot && !e2e; }
};

}  // namespace tokenjoule
