#include "io/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

extern char** environ;

namespace tokenjoule {

namespace {

constexpr std::size_t kReadLimit = 1 << 20;

tl::unexpected<Error> not_started(const std::string& command, int code) {
  if (code == ENOENT || code == EACCES) {
    return failure(ErrorKind::missing,
                   fmt::format("cannot start {}: {}", quoted(command), std::strerror(code)),
                   fmt::format("install {}, or put it into a folder of PATH", quoted(command)));
  }
  return failure(ErrorKind::missing,
                 fmt::format("cannot start \"{}\": {}", quoted(command), std::strerror(code)),
                 "end other programs, or raise the limits of open files and processes");
}

/// Closed on the way out, whichever it is.
struct Descriptor {
  int number = -1;
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSettings(int output, bool with_errors) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (with_errors) posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    // A group of its own, so that its end takes everything that the shell started along, and a
    // Ctrl-C at the terminal is ours alone. Signals as a program expects them, not as we set them.
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

/// Our environment with a program's own settings in place of those of the same names.
std::vector<std::string> environment_of(const ChildProgram& program) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const bool replaced =
        std::any_of(program.environment.begin(), program.environment.end(),
                    [&](const auto& setting) { return starts_with(*line, setting.first + "="); });
    if (!replaced) lines.emplace_back(*line);
  }
  for (const auto& [name, value] : program.environment) lines.push_back(name + "=" + value);
  return lines;
}

/// As posix_spawn wants them: pointers into `texts`, with a null at the end.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildProcess::ChildProcess(pid_t pid, int output) : pid_(pid), output_(output) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), output_(std::exchange(other.output_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(output_, other.output_);
  return *this;
}

Result<ChildProcess> ChildProcess::start(const std::string& command) {
  return start(ChildProgram{.arguments = {"/bin/sh", "-c", command}});
}

Result<ChildProcess> ChildProcess::start(const ChildProgram& program) {
  const std::string& name = program.arguments.front();
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return not_started(name, errno);
  Descriptor read_end;
  Descriptor write_end;
  read_end.number = ends[0];
  write_end.number = ends[1];
  fcntl(read_end.number, F_SETFL, O_NONBLOCK);
  const SpawnSettings settings(write_end.number, program.with_errors);
  std::vector<std::string> arguments = program.arguments;
  std::vector<std::string> environment = environment_of(program);
  pid_t pid = -1;
  const int code = posix_spawnp(&pid, name.c_str(), &settings.actions, &settings.attributes,
                                pointers_to(arguments).data(), pointers_to(environment).data());
  if (code != 0) return not_started(name, code);
  return ChildProcess(pid, std::exchange(read_end.number, -1));
}

bool ChildProcess::wait_for_output(Nanoseconds longest) {
  constexpr std::int64_t kDay = 86'400'000;
  pollfd waiting{output_, POLLIN, 0};
  const std::int64_t timeout_ms = std::min((longest.count + 999'999) / 1'000'000, kDay);
  return poll(&waiting, 1, static_cast<int>(timeout_ms)) > 0;
}

ChildProcess::Output ChildProcess::read() {
  Output output;
  char buffer[65536];
  while (output.bytes.size() < kReadLimit) {
    const ssize_t count = ::read(output_, buffer, sizeof buffer);
    if (count > 0) {
      output.bytes.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0) {
      output.closed = true;
      break;
    } else if (errno != EINTR) {
      break;  // EAGAIN: nothing more for now
    }
  }
  return output;
}

std::optional<std::string> ChildProcess::ending() {
  // Left unreaped (WNOWAIT) until the destructor, so that nobody else can get its process number.
  siginfo_t info{};
  if (pid_ <= 0 ||
      waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_) {
    return std::nullopt;
  }
  if (info.si_code == CLD_EXITED) return fmt::format("exit status {}", info.si_status);
  return fmt::format("signal {} ({})", info.si_status, strsignal(info.si_status));
}

void ChildProcess::wait_for_end(Nanoseconds longest) {
  constexpr std::int64_t kLook = 10'000'000;
  for (std::int64_t left = longest.count; left > 0 && !ending(); left -= kLook)
    poll(nullptr, 0, 10);
}

void ChildProcess::end_group() {
  kill(-pid_, SIGTERM);
  wait_for_end(milliseconds(200));
  kill(-pid_, SIGKILL);  // also those that outlived the shell
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) end_group();
  if (output_ >= 0) close(output_);
}

}  // namespace tokenjoule
