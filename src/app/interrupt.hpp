#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace tokenjoule {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop token for the rest of the program. A second signal
/// ends the process at once with exit code 130. Make it before any other thread: threads made later
/// inherit that the signals are blocked.
class InterruptWatcher {
 public:
  InterruptWatcher();
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  /// The signal that came; 0: none.
  int signal() const { return signal_; }

 private:
  void wait_for_signals();

  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace tokenjoule
