#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.hpp"
#include "engines/dialect.hpp"
#include "load/client_meter.hpp"
#include "load/socket.hpp"
#include "load/target.hpp"
#include "load/workload.hpp"
#include "readers.hpp"

namespace tokenjoule::bench {

namespace {

constexpr std::string_view kEvent = "\ndata:";
constexpr std::string_view kEnd = "0\r\n\r\n";
// Finish reason, usage and [DONE].
constexpr std::int64_t kEventsWithoutToken = 3;

LoadOptions options_of(const Stretch& stretch) {
  LoadOptions options;
  options.roots = {stretch.root};
  options.model = stretch.model;
  options.nonce = "bare";
  options.input_length = fixed_length(8);
  options.output_length = fixed_length(stretch.tokens);
  return options;
}

std::int64_t events_in(std::string_view bytes) {
  std::int64_t events = 0;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (true) {
    const auto left = static_cast<std::size_t>(end - at);
    at = static_cast<const char*>(::memmem(at, left, kEvent.data(), kEvent.size()));
    if (at == nullptr) return events;
    ++events;
    at += kEvent.size();
  }
}

/// Blocking, as nothing is read before all streams are connected.
int connected_socket(const Target& target, const std::string& request) {
  const SocketAddress& address = target.addresses.front();
  const int descriptor = ::socket(address.storage.ss_family, SOCK_STREAM, 0);
  sockaddr_storage storage = address.storage;
  const bool works =
      ::connect(descriptor, reinterpret_cast<sockaddr*>(&storage), address.length) == 0 &&
      ::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size());
  TJ_ASSERT(works);
  return descriptor;
}

/// Reads until every stream has ended.
void read_all(int epoll, int streams, Reading& reading) {
  std::vector<char> buffer(64 * 1024);
  std::array<epoll_event, 256> events;
  int open = streams;
  while (open > 0) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1000);
    for (int i = 0; i < count; ++i) {
      const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
      iovec part{buffer.data(), buffer.size()};
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      const ssize_t size = ::recvmsg(descriptor, &message, 0);
      const std::string_view bytes(buffer.data(),
                                   static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      reading.token_events += events_in(bytes);
      const bool ended =
          bytes.size() >= kEnd.size() && bytes.substr(bytes.size() - kEnd.size()) == kEnd;
      if (size > 0 && !ended) continue;
      if (size <= 0) ++reading.failed;
      ::close(descriptor);
      --open;
    }
  }
}

}  // namespace

Reading read_bare(const Stretch& stretch) {
  const LoadOptions options = options_of(stretch);
  const Target target = target_for(stretch.root, options).value();
  const EngineDialect* const dialect = dialect_named(stretch.dialect);
  TJ_ASSERT(dialect != nullptr);
  const Workload workload(options, {});
  std::vector<std::string> requests;
  for (int i = 0; i < stretch.streams; ++i) {
    const std::string body = dialect->request_body(workload.spec(static_cast<std::uint64_t>(i)));
    requests.push_back(target.head_for(body.size()) + body);
  }
  Reading reading;
  std::thread([&] {
    ::prctl(PR_SET_NAME, "bare-loop");
    const auto begin = std::chrono::steady_clock::now();
    const ThreadTimes times;
    const Nanoseconds cpu = ThreadTimes::cpu();
    const Nanoseconds waited = times.run_queue_wait();
    const int epoll = ::epoll_create1(0);
    for (const std::string& request : requests) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = connected_socket(target, request);
      ::epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    read_all(epoll, stretch.streams, reading);
    reading.cpu = to_seconds(ThreadTimes::cpu() - cpu);
    reading.run_queue_wait = to_seconds(times.run_queue_wait() - waited);
    reading.wall =
        Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    ::close(epoll);
  }).join();
  reading.token_events -= kEventsWithoutToken * (stretch.streams - reading.failed);
  return reading;
}

}  // namespace tokenjoule::bench
