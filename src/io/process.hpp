#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// A program to be started without a shell in between.
struct ChildProgram {
  std::vector<std::string> arguments;  ///< the first is its name, looked up in PATH
  /// Set in its environment on top of ours. What stands here is in no list of processes that others
  /// see, unlike arguments: the place for secrets.
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool with_errors = false;  ///< what it writes to standard error comes with its output
};

/// A shell command or a program as a child in a process group of its own, its standard output read
/// through a pipe. Standard input is empty, standard error is ours. The whole group ends with the
/// object.
class ChildProcess {
 public:
  /// Starts `/bin/sh -c COMMAND`.
  static Result<ChildProcess> start(const std::string& command);
  /// Starts a program. Error, of kind missing: it is not there or may not be started.
  static Result<ChildProcess> start(const ChildProgram& program);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Asks the group to end (SIGTERM), gives it 200 ms, then kills it.
  ~ChildProcess();

  struct Output {
    std::string bytes;    ///< all that is there, up to 1 MiB; empty: nothing has come
    bool closed = false;  ///< the output has ended: nothing will come any more
  };
  /// Waits until there is output or its end, at most `longest`. False: there is none yet.
  bool wait_for_output(Nanoseconds longest);
  /// What has come so far; never waits.
  Output read();
  /// How it ended, once it has: "exit status 3", "signal 9 (Killed)". nullopt: it still runs.
  std::optional<std::string> ending();
  /// Waits for its end, at most `longest`, whatever becomes of its output.
  void wait_for_end(Nanoseconds longest);
  pid_t pid() const { return pid_; }

 private:
  ChildProcess(pid_t pid, int output);
  void end_group();

  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace tokenjoule
