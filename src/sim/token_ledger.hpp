#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/time.hpp"

namespace tokenjoule {

/// How many tokens were sent by when: every stamp is kept, so that any span is exact. Bounded: the
/// oldest are forgotten after some twenty million stamps.
class TokenLedger {
 public:
  /// Stamps come in time order.
  void add(MonoTime at, std::int64_t tokens);
  /// Tokens stamped before `at`. Exact for `at` >= known_from().
  std::int64_t before(MonoTime at) const;
  std::int64_t total() const { return total_; }
  MonoTime known_from() const;

 private:
  struct Block {
    std::int64_t before = 0;  ///< tokens of all earlier blocks
    std::vector<std::int64_t> stamps_ns;
    std::vector<std::int32_t> tokens;
  };
  std::deque<Block> blocks_;
  std::int64_t total_ = 0;
  MonoTime known_from_{INT64_MIN};
};

}  // namespace tokenjoule
