#include <algorithm>
#include <utility>

#include <sys/timerfd.h>

#include "load/load_loop.hpp"

// The part of LoadLoop that sends requests when they are planned: those of an open loop, and the
// later turns of conversations.

namespace tokenjoule {

void LoadLoop::free_stream(Stream& stream) {
  set_state(stream, Stream::State::idle);
  // One that was never used was free all along, however late this loop came to see the begin.
  const bool unused = stream.record.sent == MonoTime{};
  if (free_count_++ == 0) free_since_ = unused ? MonoTime{} : parts_.clock.now();
  for (auto& [target, streams] : free_) {
    if (target == stream.target) return streams.push_back(stream.index);
  }
  free_.push_back({stream.target, {stream.index}});
}

/// Of the server with the most free streams, the one that was used last: its connection is the
/// least likely to have been closed. Servers that are equal take turns.
Stream& LoadLoop::taken_free_stream() {
  std::size_t best = last_target_;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const std::size_t next = (last_target_ + 1 + i) % free_.size();
    if (i == 0 || free_[next].second.size() > free_[best].second.size()) best = next;
  }
  last_target_ = best;
  Stream& stream = streams_[free_[best].second.back()];
  free_[best].second.pop_back();
  --free_count_;
  return stream;
}

void LoadLoop::send_arrivals() {
  while (free_count_ > 0) {
    const MonoTime now = parts_.clock.now();
    auto arrival = parts_.arrivals->take(now);
    if (!arrival) return;
    begin_arrival(taken_free_stream(), std::move(*arrival), now);
  }
}

void LoadLoop::begin_arrival(Stream& stream, ArrivalQueue::Arrival arrival, MonoTime now) {
  stream.record = {};
  stream.record.planned = arrival.planned;
  stream.record.stream_free = std::max(arrival.planned, free_since_);
  stream.record.sent = now;
  stream.counted = false;
  take_up(stream, std::move(arrival.request), arrival.kind == RequestKind::warmup);
  // Counted before there is a connection: from here on the request is owed an end.
  count_sent(stream);
  if (stream.socket.open()) return begin_exchange(stream);
  want_connection(stream);
}

void LoadLoop::think_before_turn(Stream& stream, std::uint64_t id, MonoTime until) {
  stream.conversation = id;
  pause(stream, until);
  thinking_.emplace(until, stream.index);
}

void LoadLoop::begin_due_turns() {
  while (!thinking_.empty() && thinking_.begin()->first <= parts_.clock.now()) {
    const auto [due, index] = *thinking_.begin();
    thinking_.erase(thinking_.begin());
    want_request(streams_[index], due);
  }
}

/// The stream stays with its conversation, in an open loop too.
void LoadLoop::begin_turn(Stream& stream, MonoTime planned) {
  const auto id = std::exchange(stream.conversation, std::nullopt);
  const auto sending = parts_.control.sending.load(std::memory_order_acquire);
  if (sending == LoadControl::Sending::stopped) return set_state(stream, Stream::State::idle);
  stream.record = {};
  stream.record.planned = planned;
  stream.record.sent = parts_.clock.now();
  stream.counted = false;
  take_up(stream, parts_.source.next_turn(*id), sending == LoadControl::Sending::warmup);
  count_sent(stream);
  if (stream.socket.open()) return begin_exchange(stream);
  want_connection(stream);
}

void LoadLoop::wake_in_time() {
  std::optional<MonoTime> next;
  if (parts_.arrivals != nullptr && free_count_ > 0) next = parts_.arrivals->next_planned();
  if (!thinking_.empty()) {
    const MonoTime turn = thinking_.begin()->first;
    next = std::min(next.value_or(turn), turn);
  }
  if (next == timer_) return;
  timer_ = next;
  itimerspec when{};  // all zero: no alarm
  if (next) {
    const Nanoseconds left = std::max(*next - parts_.clock.now(), Nanoseconds{1});
    when.it_value.tv_sec = left.count / 1'000'000'000;
    when.it_value.tv_nsec = left.count % 1'000'000'000;
  }
  ::timerfd_settime(timer_descriptor_, 0, &when, nullptr);
}

}  // namespace tokenjoule
