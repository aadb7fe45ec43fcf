#include "selftest/emitter.hpp"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest/cpu_choice.hpp"

namespace tokenjoule {

namespace {

constexpr Seconds kTail(0.2);

tl::unexpected<Error> cannot(const char* what) {
  return failure(ErrorKind::missing,
                 fmt::format("the emitter cannot {}: {}", what, std::strerror(errno)),
                 "see whether the limits of this user or container allow it");
}

/// Listens on the loopback address, at a free port put into `port`.
Result<int> listening_socket(std::uint16_t& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  const bool works = listener >= 0 && ::bind(listener, generic, length) == 0 &&
                     ::listen(listener, 4096) == 0 &&
                     ::getsockname(listener, generic, &length) == 0;
  if (!works) {
    auto error = cannot("listen on 127.0.0.1");
    if (listener >= 0) ::close(listener);
    return error;
  }
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

std::int64_t EmitterPlan::events() const {
  return std::llround(rate * (lead + window + kTail).value());
}

Result<std::unique_ptr<Emitter>> Emitter::start(const EmitterPlan& plan) {
  void* const shared = ::mmap(nullptr, sizeof(EmitterCounts), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return cannot("share memory");
  std::unique_ptr<Emitter> emitter(new Emitter(plan, new (shared) EmitterCounts));
  TRY(const int listener, listening_socket(emitter->port_));
  emitter->child_ = ::fork();
  if (emitter->child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const PinnedTo pinned(plan.cpu);
    run_emitter(plan, listener, *emitter->counts_);
  }
  ::close(listener);
  if (emitter->child_ < 0) return cannot("start a process");
  return emitter;
}

Emitter::~Emitter() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  ::munmap(counts_, sizeof(EmitterCounts));
}

Url Emitter::root() const { return url_in(fmt::format("http://127.0.0.1:{}", port_)).value(); }

std::optional<TimeSpan> Emitter::window(const SystemClock& clock) const {
  const std::int64_t begin_ns = counts_->begin_ns.load(std::memory_order_acquire);
  if (begin_ns == 0) return std::nullopt;
  const MonoTime begin = MonoTime{begin_ns - clock.origin_ns()} + to_nanoseconds(plan_.lead);
  return TimeSpan{begin, begin + to_nanoseconds(plan_.window)};
}

}  // namespace tokenjoule
