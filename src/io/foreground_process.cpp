#include "io/foreground_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

extern char** environ;

namespace tokenjoule {

namespace {

tl::unexpected<Error> cannot_start(const std::string& name, std::string_view why) {
  return failure(ErrorKind::missing, fmt::format("cannot start \"{}\": {}", quoted(name), why),
                 "check the command behind --, and PATH");
}

/// Signals as our own caller set them, but for SIGPIPE, which is ignored by us and not by programs.
struct StartAttributes {
  posix_spawnattr_t value;

  StartAttributes() {
    sigset_t none;
    sigset_t pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_init(&value);
    posix_spawnattr_setsigdefault(&value, &pipe);
    posix_spawnattr_setsigmask(&value, &none);
    posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  StartAttributes(const StartAttributes&) = delete;
  StartAttributes& operator=(const StartAttributes&) = delete;
  ~StartAttributes() { posix_spawnattr_destroy(&value); }
};

}  // namespace

Result<ForegroundProcess> ForegroundProcess::start(const std::vector<std::string>& words) {
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const StartAttributes attributes;
  pid_t pid = -1;
  const int code = posix_spawnp(&pid, words.front().c_str(), nullptr, &attributes.value,
                                arguments.data(), environ);
  if (code != 0) return cannot_start(words.front(), std::strerror(code));
  return ForegroundProcess(pid, static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

ForegroundProcess::ForegroundProcess(ForegroundProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ForegroundProcess::~ForegroundProcess() {
  if (pid_ <= 0) return;
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<ForegroundProcess::Ending> ForegroundProcess::ending() const {
  siginfo_t info{};
  // Left unreaped, so that nobody else gets its process number while signals are sent to it.
  const int looked = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (looked != 0 || info.si_pid != pid_) return std::nullopt;
  const int status = info.si_status;
  if (info.si_code == CLD_EXITED) return Ending{status, fmt::format("exit status {}", status)};
  return Ending{128 + status, fmt::format("signal {} ({})", status, strsignal(status))};
}

std::optional<ForegroundProcess::Ending> ForegroundProcess::wait_for_end(Nanoseconds longest) {
  if (const auto ended = ending()) return ended;
  constexpr std::int64_t kLongestMs = 60'000;
  constexpr std::int64_t kLookEveryMs = 2;  // without a descriptor to wait on
  std::int64_t left_ms = std::min((longest.count + 999'999) / 1'000'000, kLongestMs);
  if (descriptor_ >= 0) {
    pollfd waiting{descriptor_, POLLIN, 0};
    poll(&waiting, 1, static_cast<int>(left_ms));
    return ending();
  }
  for (; left_ms > 0; left_ms -= kLookEveryMs) {
    poll(nullptr, 0, static_cast<int>(kLookEveryMs));
    if (const auto ended = ending()) return ended;
  }
  return std::nullopt;
}

Status check_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0) return {};
    return cannot_start(name, std::strerror(errno));
  }
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  for (const std::string_view folder : split(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (access(file.c_str(), X_OK) == 0) return {};
  }
  return cannot_start(name, "it is not in PATH");
}

}  // namespace tokenjoule
