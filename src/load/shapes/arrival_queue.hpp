#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "load/request_source.hpp"
#include "load/shapes/arrival_schedule.hpp"

namespace tokenjoule {

/// The open loop's one queue: which request is planned for when. Any load thread with a free stream
/// takes the next one that is due, so that neither what is sent nor when it was to be sent depends
/// on the number of threads. For any thread.
///
/// At a rate, the warm-up's next arrival becomes the first measured one, and the gaps from there on
/// follow from the seed: the hand-over has no gap and no burst. A trace begins with the first
/// measured request, at begin_measure; its warm-up is Poisson at the trace's mean rate. Once
/// begin_measure was called every request taken is a measured one, also where its planned time lies
/// before, since no stream was free.
class ArrivalQueue {
 public:
  struct Arrival {
    MonoTime planned;
    RequestKind kind = RequestKind::measured;
    PreparedRequest request;
  };

  /// Requests that were planned and never sent: `count` of them, the first for `first`.
  struct Unsent {
    MonoTime first;
    std::int64_t count = 0;
  };

  ArrivalQueue(ArrivalPlan plan, RequestSource& source);

  void begin_warmup(MonoTime at);
  void begin_measure(MonoTime at);
  /// Nothing is given from here on.
  /// @return the requests whose time had come by `now` and that no stream was free for; nullopt
  /// where there is none, where it never began, and where it was stopped already.
  std::optional<Unsent> stop(MonoTime now);

  /// When the next request is planned; nullopt before the begin and after stop().
  std::optional<MonoTime> next_planned() const;
  /// The next request, if it is due by now.
  std::optional<Arrival> take(MonoTime now);

 private:
  void advance();
  MonoTime trace_time(std::uint64_t index) const;

  const ArrivalPlan plan_;
  RequestSource& source_;
  mutable std::mutex mutex_;
  std::optional<RequestKind> phase_;  ///< absent: nothing to send
  ArrivalSchedule warmup_, measured_;
  MonoTime origin_;  ///< of the schedule in use
  MonoTime next_;
  std::uint64_t trace_index_ = 0;
};

}  // namespace tokenjoule
