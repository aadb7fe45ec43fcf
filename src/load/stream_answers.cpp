#include <algorithm>
#include <utility>

#include <sys/epoll.h>

#include "base/text.hpp"
#include "load/load_loop.hpp"

// The part of LoadLoop that takes a stream's answer from bytes to blocks for the decoder.

namespace tokenjoule {

namespace {

// More than any message takes: an error that is cut is no JSON, and its message hard to find.
constexpr std::size_t kRefusalBytes = 8192;

bool is_success(const HttpHead& head) { return head.status >= 200 && head.status < 300; }

}  // namespace

void LoadLoop::ready(Stream& stream, std::uint32_t epoll_events) {
  if (stream.state == Stream::State::connecting) {
    if (stream.tls) return handshake_ready(stream, epoll_events);
    const int error = stream.socket.connect_result();
    if (error != 0) return connection_failed(stream, failure_text(error));
    return stream.target->tls ? begin_handshake(stream) : connected(stream);
  }
  // Between requests a server has nothing to say: it closes, or its bytes belong to no request.
  if (stream.state != Stream::State::exchanging) {
    return stream.tls ? encrypted_between_requests(stream) : drop_connection(stream);
  }
  if ((epoll_events & EPOLLOUT) != 0 && !stream.sent_whole()) send_rest(stream);
  const bool still = stream.state == Stream::State::exchanging;
  if (still && (epoll_events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) readable(stream);
}

void LoadLoop::readable(Stream& stream) {
  wait_for_room();
  const std::span<char> space = std::span(buffer_).subspan(HttpReader::kHeadroom);
  const Transfer transfer = stream.socket.receive(space);
  const MonoTime own = parts_.clock.now();
  if (transfer.would_block) return;
  if (transfer.error != 0) return exchange_broken(stream, failure_text(transfer.error));
  if (transfer.count == 0) return peer_closed(stream, own);
  const Arrival arrival = arrival_of(transfer, own);
  totals_.add_read(arrival.lag);
  if (stream.tls) return take_encrypted(stream, transfer.count, arrival);
  take_bytes(stream, space.data(), transfer.count, arrival);
}

LoadLoop::Arrival LoadLoop::arrival_of(const Transfer& transfer, MonoTime own) {
  if (!transfer.received) {
    // Without the kernel's stamp the bytes are known to have waited since epoll named the socket.
    ++totals_.reads_user_stamped;
    return {own, own - round_begin_, harvest_times_.spread_unstamped(own)};
  }
  const MonoTime at = std::min(offset_.steady_time(*transfer.received), own);
  return {at, own - at, harvest_times_.spread_of(at)};
}

void LoadLoop::take_bytes(Stream& stream, char* bytes, std::size_t count, const Arrival& arrival) {
  const Status read = stream.reader.put_in_place(bytes, count);
  if (stream.reader.head_done()) take_pieces(stream, arrival);
  if (!read) return exchange_broken(stream, "bad_http: " + read.error().message);
  if (stream.reader.done()) answered(stream, arrival.at);
}

void LoadLoop::take_pieces(Stream& stream, const Arrival& arrival) {
  const HttpHead& head = stream.reader.head();
  stream.record.http_status = head.status;
  if (is_success(head) && !stream.body_begun) {
    const bool events = starts_with(lower_case(head.content_type), "text/event-stream");
    parts_.blocks.begin(stream.index, stream.record.sent, events);
    stream.body_begun = true;
    if (stream.sent_whole()) stream.forget_sent_bytes();
  }
  const auto pieces = stream.reader.body();
  if (pieces.empty()) return;
  if (!stream.record.first_body) stream.record.first_body = arrival.at;
  if (stream.body_begun) {
    return parts_.blocks.body(stream.index, arrival, pieces);
  }
  for (const std::string_view piece : pieces) {
    stream.refusal +=
        piece.substr(0, kRefusalBytes - std::min(kRefusalBytes, stream.refusal.size()));
  }
}

void LoadLoop::peer_closed(Stream& stream, MonoTime at) {
  if (!stream.reader.started()) {
    return exchange_broken(stream, "reset: the connection was closed before an answer");
  }
  // With TLS anybody on the way could end the connection: only the server's own word counts as the
  // end of a body that lasts until then.
  const bool said_so = !stream.tls || stream.tls->closed();
  if (!said_so || !stream.reader.put_eof()) return exchange_broken(stream, "ended_early");
  answered(stream, at);
}

void LoadLoop::answered(Stream& stream, MonoTime at) {
  const HttpHead head = stream.reader.head();
  const bool closing = stream.tls && stream.tls->closed();
  const bool reusable =
      head.keep_alive && !closing && stream.reader.surplus() == 0 && stream.sent_whole();
  if (reusable) {
    stream.reused = true;
  } else {
    drop_connection(stream);
  }
  if (is_success(head)) return answer_accepted(stream, at);
  const auto retry_after = retry_after_in(head.retry_after, parts_.clock.wall_now());
  if (retry_after) stream.record.retry_after = to_seconds(*retry_after);
  finish(stream, AnswerEnd::cut, refusal_text(head, stream.refusal), at);
  pause(stream, at + pause_after(++stream.failures_in_row, retry_after));
}

void LoadLoop::answer_accepted(Stream& stream, MonoTime at) {
  const MonoTime sent = stream.record.sent;
  const std::uint64_t id = stream.record.id;
  const auto think = stream.request->think;
  finish(stream, AnswerEnd::whole, {}, at);
  // What the answer held is the decoder's to judge, some milliseconds later. A server that fails at
  // once inside its answers gets no more than one request per pause.
  const std::uint32_t failures = parts_.failures[stream.index].load(std::memory_order_relaxed);
  if (std::exchange(stream.answer_failures, failures) == failures) {
    stream.failures_in_row = 0;
    if (think) return think_before_turn(stream, id, at + *think);
    return want_request(stream, at);
  }
  const MonoTime next = sent + pause_after(++stream.failures_in_row);
  if (next <= at) return want_request(stream, at);
  pause(stream, next);
}

}  // namespace tokenjoule
