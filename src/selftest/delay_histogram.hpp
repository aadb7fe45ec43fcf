#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"

namespace tokenjoule {

/// Counts delays in bins of one nanosecond below 128 ns and of at most 1/64 of the value above.
class DelayHistogram {
 public:
  DelayHistogram();
  /// A negative delay counts as none.
  void add(Nanoseconds delay);
  std::int64_t count() const { return count_; }
  /// The middle of the bin that holds the value of rank ceil(p * count), 0 < p <= 1; nullopt where
  /// nothing was counted.
  std::optional<Nanoseconds> quantile(double p) const;

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> bins_;
};

}  // namespace tokenjoule
