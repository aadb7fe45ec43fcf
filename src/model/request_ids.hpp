#pragma once

#include <cstdint>

namespace tokenjoule {

// How the load client numbers its requests (RequestRecord::id): measured ones from 0 in the order
// in which they are begun, warm-up ones from kFirstWarmupId, and the next turn of a conversation
// kTurnStride above the one before it.

/// Warm-up requests count from here, so that none of their prompts is ever a measured one.
constexpr std::uint64_t kFirstWarmupId = 1'000'000'000'000;
/// The id of a conversation's next turn is so much higher.
constexpr std::uint64_t kTurnStride = 1'000'000'000;

}  // namespace tokenjoule
