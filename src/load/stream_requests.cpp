#include <algorithm>
#include <utility>

#include <sys/epoll.h>

#include "base/check.hpp"
#include "load/load_loop.hpp"

// The part of LoadLoop that takes a stream from one request to the next.

namespace tokenjoule {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr Nanoseconds kConnectTimeout = whole_seconds(10);

void raise_to(std::atomic<std::int64_t>& highest, std::int64_t value) {
  std::int64_t known = highest.load(kRelaxed);
  while (known < value && !highest.compare_exchange_weak(known, value, kRelaxed)) {
  }
}

}  // namespace

void LoadLoop::set_state(Stream& stream, Stream::State state) {
  const auto in = [&](Stream::State which) { return stream.state == which ? 1U : 0U; };
  connecting_ -= in(Stream::State::connecting);
  waiting_ -= in(Stream::State::waiting);
  stream.state = state;
  connecting_ += in(Stream::State::connecting);
  waiting_ += in(Stream::State::waiting);
}

void LoadLoop::want_request(Stream& stream, MonoTime planned) {
  if (stream.conversation) return begin_turn(stream, planned);
  if (parts_.arrivals != nullptr) return free_stream(stream);
  stream.record = {};
  stream.record.planned = planned;
  stream.counted = false;
  if (!stream.socket.open()) return want_connection(stream);
  if (!take_request(stream)) return set_state(stream, Stream::State::idle);
  begin_exchange(stream);
}

void LoadLoop::want_connection(Stream& stream) {
  if (!stream.record.connecting) stream.record.connecting = parts_.clock.now();
  set_state(stream, Stream::State::queued);
  queued_.push_back(stream.index);
}

void LoadLoop::open_connection(Stream& stream) {
  const auto sending = parts_.control.sending.load(std::memory_order_acquire);
  if (!stream.request && sending == LoadControl::Sending::stopped) {
    return set_state(stream, Stream::State::idle);
  }
  const MonoTime now = parts_.clock.now();
  if (!stream.counted) stream.record.sent = now;
  set_state(stream, Stream::State::connecting);
  stream.due = now + std::min(kConnectTimeout, parts_.request_timeout);
  const int error = stream.socket.connect(stream.target->addresses[stream.address]);
  if (stream.socket.open()) ++totals_.connections_open;
  if (error != 0) return connection_failed(stream, failure_text(error));
  ++totals_.connections_opened;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.u64 = stream.index;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, stream.socket.descriptor(), &event);
  stream.watches_write = true;
}

void LoadLoop::connected(Stream& stream) {
  stream.addresses_tried = 0;
  if (!take_request(stream)) return set_state(stream, Stream::State::idle);
  begin_exchange(stream);
}

void LoadLoop::connection_failed(Stream& stream, const std::string& failure) {
  drop_connection(stream);
  const std::size_t addresses = stream.target->addresses.size();
  if (++stream.addresses_tried < addresses) {
    stream.address = (stream.address + 1) % addresses;
    return want_connection(stream);
  }
  stream.addresses_tried = 0;
  if (!take_request(stream)) return set_state(stream, Stream::State::idle);
  count_sent(stream);
  const MonoTime now = parts_.clock.now();
  finish(stream, AnswerEnd::cut, failure, now);
  pause(stream, now + pause_after(++stream.failures_in_row));
}

bool LoadLoop::take_request(Stream& stream) {
  if (stream.request) return true;  // to be repeated on a new connection
  // Read anew, not as obeyed last: a request of the warm-up must not be sent behind the mark.
  const auto sending = parts_.control.sending.load(std::memory_order_acquire);
  const bool warmup = sending == LoadControl::Sending::warmup;
  if (!warmup && sending != LoadControl::Sending::measured) return false;
  auto& left = warmup ? parts_.control.warmup_left : parts_.control.measured_left;
  if (left.fetch_sub(1, kRelaxed) <= 0) return false;
  take_up(stream, parts_.source.next(warmup ? RequestKind::warmup : RequestKind::measured), warmup);
  return true;
}

void LoadLoop::take_up(Stream& stream, PreparedRequest request, bool warmup) {
  stream.record.id = request.id;
  stream.record.warmup = warmup;
  stream.record.model = request.model;
  stream.record.input_tokens_asked = request.asked.input;
  stream.record.output_tokens_asked = request.asked.output;
  stream.request = std::move(request);
}

void LoadLoop::begin_exchange(Stream& stream) {
  stream.head = stream.target->head_for(stream.request->body.size());
  stream.sent_bytes = 0;
  stream.reader.next_message();
  stream.body_begun = false;
  stream.refusal.clear();
  stream.record.reused_connection = stream.reused;
  set_state(stream, Stream::State::exchanging);
  stream.record.sent = parts_.clock.now();
  stream.due = stream.record.sent + parts_.request_timeout;
  count_sent(stream);
  send_rest(stream);
}

void LoadLoop::count_sent(Stream& stream) {
  if (std::exchange(stream.counted, true)) return;
  parts_.counters.sent.fetch_add(1, kRelaxed);
  parts_.counters.in_flight.fetch_add(1, kRelaxed);
  if (stream.record.warmup) return;
  parts_.counters.measured_sent.fetch_add(1, kRelaxed);
  if (stream.record.id >= parts_.numbered) return;
  raise_to(parts_.counters.last_numbered_ns, stream.record.sent.ns);
  parts_.counters.numbered_sent.fetch_add(1, std::memory_order_release);
}

void LoadLoop::send_rest(Stream& stream) {
  if (stream.tls) return send_encrypted(stream);
  const Transfer sent = stream.socket.send(stream.head, stream.request->body, stream.sent_bytes);
  if (sent.error != 0) return exchange_broken(stream, failure_text(sent.error));
  stream.sent_bytes += sent.count;
  watch(stream, !stream.sent_whole());
}

/// A server may close a connection that it kept open at the very moment a request goes out: where
/// not one byte of an answer came, the request is sent again on a new one. Nothing else is
/// repeated.
void LoadLoop::exchange_broken(Stream& stream, const std::string& failure) {
  const bool untouched = stream.reused && !stream.reader.started();
  drop_connection(stream);
  if (untouched) {
    ++stream.record.retries;
    return want_connection(stream);
  }
  const MonoTime now = parts_.clock.now();
  finish(stream, AnswerEnd::cut, failure, now);
  pause(stream, now + pause_after(++stream.failures_in_row));
}

void LoadLoop::exchange_timed_out(Stream& stream) {
  drop_connection(stream);
  const MonoTime now = parts_.clock.now();
  finish(stream, AnswerEnd::cut, "timeout", now);
  pause(stream, now + pause_after(++stream.failures_in_row));
}

void LoadLoop::finish(Stream& stream, AnswerEnd how, const std::string& failure, MonoTime at) {
  RequestRecord& record = stream.record;
  record.end = at;
  record.failure = failure.empty() ? failure : without_secrets(failure, stream.target->secrets);
  record.outcome = how == AnswerEnd::cancelled ? Outcome::cancelled
                   : failure.empty()           ? Outcome::completed
                                               : Outcome::failed;
  stream.request.reset();
  parts_.counters.in_flight.fetch_sub(1, kRelaxed);
  if (!record.warmup && record.id < parts_.numbered) {
    raise_to(parts_.counters.last_numbered_end_ns, at.ns);
    parts_.counters.numbered_ended.fetch_add(1, std::memory_order_release);
  }
  parts_.blocks.end(stream.index, how, std::move(record));
}

void LoadLoop::pause(Stream& stream, MonoTime until) {
  stream.due = until;
  set_state(stream, Stream::State::waiting);
}

void LoadLoop::drop_connection(Stream& stream) {
  if (stream.socket.open()) --totals_.connections_open;
  stream.socket.close();  // which also takes it out of epoll
  stream.tls.reset();
  stream.reader.reset();
  stream.reused = false;
  stream.watches_write = false;
}

void LoadLoop::watch(Stream& stream, bool write) {
  if (std::exchange(stream.watches_write, write) == write) return;
  epoll_event event{};
  event.events = write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = stream.index;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, stream.socket.descriptor(), &event);
}

}  // namespace tokenjoule
