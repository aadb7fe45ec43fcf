#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// A program that runs for the user: with our standard input, output and error, in our process
/// group and at our terminal, whose Ctrl-C reaches it as well as us.
class ForegroundProcess {
 public:
  /// @param words the program, looked for in PATH, and its arguments; at least one word.
  static Result<ForegroundProcess> start(const std::vector<std::string>& words);
  ForegroundProcess(ForegroundProcess&& other) noexcept;
  ForegroundProcess& operator=(ForegroundProcess&&) = delete;
  ForegroundProcess(const ForegroundProcess&) = delete;
  ForegroundProcess& operator=(const ForegroundProcess&) = delete;
  /// Waits for its end, however long that takes: it is the user's, and never killed from here.
  ~ForegroundProcess();

  /// How it ended: its exit status, or 128 + the number of the signal, as shells say it.
  struct Ending {
    int code = 0;
    std::string words;  ///< "exit status 3", "signal 9 (Killed)"
  };
  /// Waits for its end, at most `longest`, and wakes up as soon as it comes. nullopt: it still
  /// runs. Its process number stays taken until the destructor.
  std::optional<Ending> wait_for_end(Nanoseconds longest);
  pid_t pid() const { return pid_; }

 private:
  ForegroundProcess(pid_t pid, int descriptor) : pid_(pid), descriptor_(descriptor) {}
  std::optional<Ending> ending() const;

  pid_t pid_ = -1;
  int descriptor_ = -1;  ///< of the process; -1 where the kernel has none (before 5.3)
};

/// Whether PATH, or the path itself, leads to a program that can be run; else why not (missing).
Status check_program(const std::string& name);

}  // namespace tokenjoule
