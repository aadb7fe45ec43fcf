#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include <sys/types.h>

namespace tokenjoule {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop token for the rest of the program. A second signal
/// ends the process at once with exit code 130. Make it before any other thread: threads made later
/// inherit that the signals are blocked.
class InterruptWatcher {
 public:
  enum class Signals {
    that_end,    ///< the three above
    of_command,  ///< also SIGQUIT, SIGUSR1 and SIGUSR2, to be sent on to a command
  };
  explicit InterruptWatcher(Signals signals = Signals::that_end);
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  /// The signal that came; 0: none.
  int signal() const { return signal_; }

  /// From here on signals are for that process and stop nothing here. One from the terminal has
  /// reached it already, since it is in our process group; any other is sent on to it.
  void hand_to(pid_t process) { receiver_ = process; }
  /// Signals are ours again. Before the process is reaped: its number may then be another's.
  void take_back() { receiver_ = 0; }

 private:
  void wait_for_signals();

  Signals signals_;
  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::atomic<pid_t> receiver_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace tokenjoule
