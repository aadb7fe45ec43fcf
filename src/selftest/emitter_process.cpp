#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.hpp"
#include "selftest/cost_meter.hpp"
#include "selftest/emitted_event.hpp"
#include "selftest/emitter.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
/// To what clients of others ask for besides: health, models, metrics, counts of tokens.
constexpr std::string_view kNotFound =
    "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
constexpr std::int64_t kLateNs = 1'000'000;
constexpr std::int64_t kEventsPerUnpacedSend = 32;

std::int64_t now_ns() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

void sleep_ns(std::int64_t ns) {
  const timespec span{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  ::nanosleep(&span, nullptr);
}

bool asks_completion(const std::string& request) {
  return request.substr(0, request.find("\r\n")).find("/completions ") != std::string::npos;
}

bool is_whole(const std::string& request) {
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t end = request.find("\r\n\r\n");
  const std::size_t length = request.find(kLength);
  if (end == std::string::npos) return false;
  if (length == std::string::npos) return request.starts_with("GET ");
  const auto body = std::strtoul(request.c_str() + length + kLength.size(), nullptr, 10);
  return request.size() >= end + 4 + body;
}

/// One stream, from its request on.
struct Answer {
  int descriptor = -1;  ///< -1: ended
  std::int64_t phase_ns = 0;
  std::int64_t events = 0;
  std::int64_t first_sent_ns = 0, last_sent_ns = 0;  ///< paced
  std::size_t cut = 0;  ///< unpaced: bytes of the block that were sent already
};

class EmitterProcess {
 public:
  EmitterProcess(const EmitterPlan& plan, int listener, EmitterCounts& counts)
      : plan_(plan),
        listener_(listener),
        counts_(counts),
        epoll_(::epoll_create1(0)),
        event_(plan.stamp_in_text) {
    watch(listener);
  }

  void run() {
    take_requests();
    begin_ns_ = now_ns() + 1'000'000;
    counts_.begin_ns.store(begin_ns_, std::memory_order_release);
    const MonoTime from = MonoTime{begin_ns_} + to_nanoseconds(plan_.lead);
    window_ = TimeSpan{from, from + to_nanoseconds(plan_.window)};
    if (plan_.rate > 0) {
      emit_paced();
    } else {
      emit_unpaced();
    }
  }

 private:
  void watch(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  void take_requests() {
    std::array<epoll_event, 256> events;
    while (answers_.size() < static_cast<std::size_t>(plan_.streams)) {
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 1000);
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
        descriptor == listener_ ? take_connections() : take_request(descriptor);
      }
    }
  }

  void take_connections() {
    while (true) {
      const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (peer < 0) return;
      const int on = 1;
      ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      watch(peer);
    }
  }

  void take_request(int descriptor) {
    std::array<char, 16384> bytes;
    const ssize_t count = ::recv(descriptor, bytes.data(), bytes.size(), 0);
    std::string& request = requests_[descriptor];
    if (count > 0) request.append(bytes.data(), static_cast<std::size_t>(count));
    if (count > 0 && !is_whole(request)) return;
    const bool other = !asks_completion(request);
    requests_.erase(descriptor);
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
    if (other) ::send(descriptor, kNotFound.data(), kNotFound.size(), MSG_NOSIGNAL);
    if (count <= 0 || other) {
      ::close(descriptor);
      return;
    }
    ::send(descriptor, kHead.data(), kHead.size(), MSG_NOSIGNAL);
    answers_.push_back({.descriptor = descriptor});
  }

  /// On a CPU of its own it spins, as to be woken takes tens of microseconds.
  std::int64_t wait_until(std::int64_t due_ns) const {
    constexpr std::int64_t kSpinNs = 200'000;
    const std::int64_t spin_ns = plan_.cpu ? kSpinNs : 0;
    while (true) {
      const std::int64_t now = now_ns();
      if (now >= due_ns) return now;
      if (due_ns - now > spin_ns) sleep_ns(due_ns - now - spin_ns);
    }
  }

  void emit_paced() {
    Random random(1);
    const double interval_ns = 1e9 / plan_.rate;
    for (Answer& answer : answers_) {
      answer.phase_ns = random.integer(0, static_cast<std::int64_t>(interval_ns));
    }
    std::sort(answers_.begin(), answers_.end(),
              [](const Answer& a, const Answer& b) { return a.phase_ns < b.phase_ns; });
    for (std::int64_t round = 0; round <= plan_.events(); ++round) {
      const auto round_ns = static_cast<std::int64_t>(static_cast<double>(round) * interval_ns);
      for (Answer& answer : answers_) emit_one(answer, begin_ns_ + round_ns + answer.phase_ns);
    }
  }

  void emit_one(Answer& answer, std::int64_t due_ns) {
    const MonoTime now{wait_until(due_ns)};
    cost_.round(now, window_);
    if (cost_.finished()) counts_.run_queue_wait_ns = cost_.run_queue_wait().count;
    if (answer.descriptor < 0) return;
    if (answer.events == plan_.events()) return end_paced(answer);
    if (window_.contains(now) && now.ns - due_ns > kLateNs) ++counts_.late;
    answer.last_sent_ns = now_ns();
    if (answer.events == 0) answer.first_sent_ns = answer.last_sent_ns;
    const std::string_view bytes = event_.stamped(answer.last_sent_ns);
    const ssize_t sent = ::send(answer.descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ++answer.events;
    counts_.events.fetch_add(1, std::memory_order_relaxed);
    if (sent == static_cast<ssize_t>(bytes.size())) return;
    ++counts_.cut_off;
    ::close(answer.descriptor);
    answer.descriptor = -1;
  }

  void emit_unpaced() {
    std::string block;
    for (std::int64_t i = 0; i < kEventsPerUnpacedSend; ++i) block += event_.stamped(now_ns());
    while (MonoTime{now_ns()} < window_.end) {
      bool moved = false;
      for (Answer& answer : answers_) moved = push(answer, block) || moved;
      if (!moved) sleep_ns(20'000);
    }
    for (Answer& answer : answers_) {
      // The client is to read on until the end, however long it takes.
      ::fcntl(answer.descriptor, F_SETFL, 0);
      while (answer.cut > 0 && push(answer, block)) {
      }
      end(answer);
    }
  }

  bool push(Answer& answer, const std::string& block) const {
    const ssize_t sent = ::send(answer.descriptor, block.data() + answer.cut,
                                block.size() - answer.cut, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    answer.cut += static_cast<std::size_t>(sent);
    if (answer.cut < block.size()) return true;
    answer.cut = 0;
    answer.events += kEventsPerUnpacedSend;
    counts_.events.fetch_add(kEventsPerUnpacedSend, std::memory_order_relaxed);
    return true;
  }

  void end_paced(Answer& answer) {
    if (answer.events > 1) {
      ++counts_.whole_streams;
      counts_.tpot_sum_ns += (answer.last_sent_ns - answer.first_sent_ns) / (answer.events - 1);
    }
    end(answer);
  }

  static void end(Answer& answer) {
    const std::string last = last_chunks(answer.events);
    ::send(answer.descriptor, last.data(), last.size(), MSG_NOSIGNAL);
    ::close(answer.descriptor);
    answer.descriptor = -1;
  }

  const EmitterPlan& plan_;
  int listener_;
  EmitterCounts& counts_;
  int epoll_;
  std::int64_t begin_ns_ = 0;
  TimeSpan window_;  ///< on CLOCK_MONOTONIC
  CostMeter cost_;
  EmittedEvent event_;
  std::vector<Answer> answers_;
  std::unordered_map<int, std::string> requests_;  ///< what came so far, by connection
};

}  // namespace

void run_emitter(const EmitterPlan& plan, int listener, EmitterCounts& counts) {
  ::prctl(PR_SET_NAME, "tj-emitter");
  ::prctl(PR_SET_TIMERSLACK, 1);
  EmitterProcess(plan, listener, counts).run();
  ::close(
      listener);  // what clients of others ask for afterwards is refused, instead of left waiting
  while (true) ::pause();  // until it is killed: its counts are still read
}

}  // namespace tokenjoule
