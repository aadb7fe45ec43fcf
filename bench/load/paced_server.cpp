#include "paced_server.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <new>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/random.hpp"

namespace tokenjoule::bench {

namespace {

std::int64_t now_ns() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

std::string chunk(const std::string& data) {
  const std::string event = "data: " + data + "\n\n";
  return fmt::format("{:x}\r\n{}\r\n", event.size(), event);
}

/// As vLLM writes a token: its members without a value included.
std::string token_chunk() {
  std::string json =
      R"({"id":"cmpl-0123456789abcdef0123456789abcdef","object":"text_completion","created":1796000000,)"
      R"("model":"bench","choices":[{"index":0,"text":" tok","logprobs":null,"finish_reason":null,)"
      R"("stop_reason":null,"token_ids":null,"prompt_logprobs":null,"prompt_token_ids":null}],"usage":null})";
  return chunk(json);
}

std::string last_chunks(int tokens) {
  return chunk(R"({"choices":[{"index":0,"text":"","finish_reason":"length"}],"usage":null})") +
         chunk(fmt::format(
             R"({{"choices":[],"usage":{{"prompt_tokens":8,"completion_tokens":{}}}}})", tokens)) +
         chunk("[DONE]") + "0\r\n\r\n";
}

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

struct Due {
  std::int64_t at_ns;
  int descriptor;
  int left;  ///< token events still to come
  bool operator<(const Due& other) const { return at_ns > other.at_ns; }
};

class Server {
 public:
  Server(const Pace& pace, int listener, ServerCounts& counts)
      : interval_ns_(static_cast<std::int64_t>(1e9 / pace.tokens_per_second)),
        tokens_(pace.tokens),
        listener_(listener),
        counts_(counts),
        epoll_(::epoll_create1(0)),
        token_(token_chunk()),
        last_(last_chunks(pace.tokens)) {
    watch(listener);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events;
    while (true) {
      const int count =
          ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), sleep_ms());
      for (int i = 0; i < count; ++i) ready(events[static_cast<std::size_t>(i)].data.fd);
      send_due();
    }
  }

 private:
  void watch(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  int sleep_ms() const {
    if (due_.empty()) return 100;
    return static_cast<int>(
        std::clamp<std::int64_t>((due_.top().at_ns - now_ns()) / 1'000'000, 0, 100));
  }

  void ready(int descriptor) {
    if (descriptor == listener_) {
      const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (peer < 0) return;
      const int on = 1;
      ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      watch(peer);
      return;
    }
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(descriptor, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      ::close(descriptor);
      requests_.erase(descriptor);
      return;
    }
    std::string& request = requests_[descriptor];
    request.append(bytes.data(), static_cast<std::size_t>(count));
    if (!is_whole(request)) return;
    request.clear();
    begin(descriptor);
  }

  static bool is_whole(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    const std::size_t length = request.find("Content-Length: ");
    if (end == std::string::npos || length == std::string::npos) return false;
    return request.size() >= end + 4 + std::strtoul(request.c_str() + length + 16, nullptr, 10);
  }

  void begin(int descriptor) {
    send(descriptor, kHead);
    due_.push({now_ns() + random_.integer(0, interval_ns_), descriptor, tokens_});
  }

  void send_due() {
    while (!due_.empty()) {
      Due due = due_.top();
      const std::int64_t now = now_ns();
      if (due.at_ns > now) return;
      due_.pop();
      if (requests_.count(due.descriptor) == 0) continue;
      if (now - due.at_ns > 1'000'000) ++counts_.late_events;
      if (due.left == 0) {
        send(due.descriptor, last_);
        continue;
      }
      send(due.descriptor, token_);
      ++counts_.token_events;
      due_.push({due.at_ns + interval_ns_, due.descriptor, due.left - 1});
    }
  }

  void send(int descriptor, std::string_view bytes) const {
    const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    counts_.bytes += std::max<ssize_t>(sent, 0);
    if (sent != static_cast<ssize_t>(bytes.size())) ++counts_.blocked;
  }

  std::int64_t interval_ns_;
  int tokens_;
  int listener_;
  ServerCounts& counts_;
  int epoll_;
  std::string token_;
  std::string last_;
  Random random_{1};
  std::priority_queue<Due> due_;
  std::unordered_map<int, std::string> requests_;  ///< what came of the next request, by connection
};

int listening_socket(std::uint16_t& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  const bool works = ::bind(listener, generic, length) == 0 && ::listen(listener, 4096) == 0 &&
                     ::getsockname(listener, generic, &length) == 0;
  TJ_ASSERT(works);
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

PacedServer::PacedServer(const Pace& pace) {
  void* const shared = ::mmap(nullptr, sizeof(ServerCounts), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  TJ_ASSERT(shared != MAP_FAILED);
  counts_ = new (shared) ServerCounts;
  const int listener = listening_socket(port_);
  child_ = ::fork();
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    ::sched_setaffinity(0, sizeof first, &first);
    Server(pace, listener, *counts_).run();
  }
  ::close(listener);
}

PacedServer::~PacedServer() {
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
  ::munmap(counts_, sizeof(ServerCounts));
}

}  // namespace tokenjoule::bench
