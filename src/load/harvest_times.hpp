#pragma once

#include <optional>

#include "base/time.hpp"

namespace tokenjoule {

/// Bounds when the bytes of a read can have come, from what a loop knows of its waits for sockets.
/// A kernel's stamp is that of the last segment of a read; those before it came no earlier than the
/// loop last found the socket empty. Pure; for one thread.
///
/// What a loop does between two waits is no part of the bound: bytes that came at once are known to
/// have come at once, however long others were read before them. So a burst after a server stood
/// still is not taken for a client that lagged.
class HarvestTimes {
 public:
  /// The loop begins.
  void start(MonoTime now) { harvested_ = now; }
  /// A wait for sockets from `before` to `now`.
  /// @param full there may be more that are ready than it gave.
  void woke(MonoTime before, MonoTime now, bool full);
  /// A read whose last bytes came at `at`, by the kernel's stamp: the longest time between the
  /// first and the last of its bytes.
  Nanoseconds spread_of(MonoTime at);
  /// The same without a stamp of the kernel's, read at `own`.
  Nanoseconds spread_unstamped(MonoTime own) const { return own - nothing_waited_; }

 private:
  MonoTime harvested_;       ///< when it last woke
  MonoTime nothing_waited_;  ///< up to then, nothing had come that is still unread
  /// It woke because something came, as late as the system let it: the stamps up to then tell.
  std::optional<MonoTime> slept_until_;
  bool full_ = false;
};

}  // namespace tokenjoule
