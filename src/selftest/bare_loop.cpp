#include <algorithm>
#include <array>
#include <cerrno>
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
#include "load/socket.hpp"
#include "load/target.hpp"
#include "load/workload.hpp"
#include "selftest/cost_meter.hpp"
#include "selftest/emitted_event.hpp"
#include "selftest/turn.hpp"
#include "selftest/turn_window.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kEvent = "\ndata:";
constexpr std::string_view kEnd = "0\r\n\r\n";
// Of another server than ours: finish reason, usage and [DONE].
constexpr std::int64_t kEventsWithoutToken = 3;

std::vector<std::string> requests_of(const TurnPlan& plan, const Target& target,
                                     const LoadOptions& options) {
  const EngineDialect* const dialect = dialect_named(plan.dialect);
  TJ_ASSERT(dialect != nullptr);
  const Workload workload(options, {});
  std::vector<std::string> requests;
  for (int i = 0; i < plan.streams; ++i) {
    const std::string body = dialect->request_body(workload.spec(static_cast<std::uint64_t>(i)));
    requests.push_back(target.head_for(body.size()) + body);
  }
  return requests;
}

std::int64_t events_in(std::string_view bytes) {
  std::int64_t events = 0;
  for (auto at = bytes.find(kEvent); at != std::string_view::npos;
       at = bytes.find(kEvent, at + 1)) {
    ++events;
  }
  return events;
}

class BareLoop {
 public:
  BareLoop(const TurnPlan& plan, SystemClock& clock, TurnReading& reading)
      : plan_(plan),
        clock_(clock),
        reading_(reading),
        window_(plan, clock),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        descriptors_(static_cast<std::size_t>(plan.streams)) {}
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;
  ~BareLoop() { ::close(epoll_); }

  void run(const Target& target, const std::vector<std::string>& requests) {
    ::prctl(PR_SET_NAME, "bare-loop");
    const MonoTime begin = clock_.now();
    for (std::size_t i = 0; i < requests.size(); ++i) connect(i, target, requests[i]);
    while (open_ > 0) round();
    cost_.finish();
    reading_.wall = to_seconds(clock_.now() - begin);
    reading_.cpu = to_seconds(cost_.cpu());
    reading_.run_queue_wait = to_seconds(cost_.run_queue_wait());
    reading_.others = to_seconds(cost_.others());
    reading_.whole_cpu = to_seconds(ThreadTimes::cpu());
    if (counts_only()) {
      reading_.events -= kEventsWithoutToken * (plan_.streams - reading_.failed);
    }
  }

 private:
  bool counts_only() const { return plan_.emitter == nullptr || !plan_.stamps; }

  /// Blocking, as nothing is read before all streams are connected.
  void connect(std::size_t stream, const Target& target, const std::string& request) {
    const SocketAddress& address = target.addresses.front();
    const int descriptor = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_storage storage = address.storage;
    const bool works =
        descriptor >= 0 &&
        ::connect(descriptor, reinterpret_cast<sockaddr*>(&storage), address.length) == 0 &&
        ::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size());
    if (!works) {
      ++reading_.failed;
      if (descriptor >= 0) ::close(descriptor);
      return;
    }
    const int on = 1;
    if (plan_.kernel_stamps) {
      (void)::setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    }
    ++open_;
    descriptors_[stream] = descriptor;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = stream;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  void round() {
    std::array<epoll_event, 256> events;
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 1000);
    cost_.round(clock_.now(), window_.get());
    for (int i = 0; i < count; ++i) read(events[static_cast<std::size_t>(i)].data.u64);
  }

  void read(std::size_t stream) {
    iovec part{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, 64> control;
    if (plan_.kernel_stamps) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
    }
    const ssize_t size = ::recvmsg(descriptors_[stream], &message, 0);
    const MonoTime own = clock_.now();
    const std::string_view bytes(buffer_.data(),
                                 static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    count(stream, bytes, own);
    const bool ended =
        bytes.size() >= kEnd.size() && bytes.substr(bytes.size() - kEnd.size()) == kEnd;
    if (size > 0 && !ended) return;
    if (size <= 0) ++reading_.failed;
    ::close(descriptors_[stream]);
    --open_;
  }

  void count(std::size_t stream, std::string_view bytes, MonoTime own) {
    if (counts_only()) {
      reading_.events += events_in(bytes);
      return;
    }
    sent_.clear();
    for_each_send_time(bytes, [this](std::int64_t sent_ns) {
      sent_.push_back(MonoTime{sent_ns - clock_.origin_ns()});
    });
    reading_.events += static_cast<std::int64_t>(sent_.size());
    reading_.arrivals.add({static_cast<std::uint32_t>(stream), own, {}, {}}, sent_, window_.get());
  }

  const TurnPlan& plan_;
  SystemClock& clock_;
  TurnReading& reading_;
  TurnWindow window_;
  CostMeter cost_;
  int epoll_;
  std::vector<int> descriptors_;  ///< by stream
  std::vector<char> buffer_ = std::vector<char>(64 * 1024);
  std::vector<MonoTime> sent_;
  int open_ = 0;
};

}  // namespace

Result<TurnReading> read_bare(const TurnPlan& plan, SystemClock& clock) {
  const LoadOptions options = load_options_of(plan);
  TRY(const Target target, target_for(plan.root, options));
  const std::vector<std::string> requests = requests_of(plan, target, options);
  TurnReading reading(static_cast<std::size_t>(plan.streams));
  BareLoop loop(plan, clock, reading);
  std::thread([&] { loop.run(target, requests); }).join();
  if (reading.failed > 0) {
    return failure(ErrorKind::missing,
                   fmt::format("{} of {} streams could not be read by a bare loop", reading.failed,
                               plan.streams),
                   "take fewer --streams");
  }
  return reading;
}

}  // namespace tokenjoule
