#include <algorithm>
#include <utility>

#include <sys/epoll.h>

#include "load/load_loop.hpp"

// The part of LoadLoop that puts TLS between a stream's socket and its HTTP. Bytes are decrypted
// right behind the read that brought them, so that plain text carries the stamp of the read that
// brought its record's last byte.

namespace tokenjoule {

namespace {

/// The next piece of head and body, from byte `offset` of both together.
std::string_view next_piece(const Stream& stream) {
  const std::string_view head = stream.head;
  const std::string_view body = stream.request->body;
  const std::string_view rest = stream.sent_bytes < head.size()
                                    ? head.substr(stream.sent_bytes)
                                    : body.substr(stream.sent_bytes - head.size());
  return rest.substr(0, TlsSession::kMostWritten);
}

}  // namespace

void LoadLoop::begin_handshake(Stream& stream) {
  stream.tls = std::make_unique<TlsSession>(*stream.target->tls, stream.target->host);
  plain_.resize(HttpReader::kHeadroom + buffer_.size() + TlsSession::kMostKept);
  shake_hands(stream, {});
}

/// The socket can be read from or written to before the handshake is done.
void LoadLoop::handshake_ready(Stream& stream, std::uint32_t epoll_events) {
  if ((epoll_events & (EPOLLIN | EPOLLERR | EPOLLHUP)) == 0) return shake_hands(stream, {});
  const Transfer transfer = stream.socket.receive(buffer_);
  if (transfer.would_block) return;
  if (transfer.error != 0) return connection_failed(stream, failure_text(transfer.error));
  if (transfer.count == 0) {
    return connection_failed(stream, "tls: the connection was closed during the handshake");
  }
  shake_hands(stream, {buffer_.data(), transfer.count});
}

void LoadLoop::shake_hands(Stream& stream, std::string_view received) {
  const Result<bool> done = stream.tls->shake_hands(received);
  // Also where it failed: an alert tells the server why.
  const int error = send_outgoing(stream);
  if (!done) return connection_failed(stream, "tls: " + done.error().message);
  if (error != 0) return connection_failed(stream, failure_text(error));
  if (*done) return connected(stream);
  watch(stream, !stream.tls->outgoing().empty());
}

/// Sends what is encrypted, as far as the socket takes it. 0 or an errno.
int LoadLoop::send_outgoing(Stream& stream) {
  while (!stream.tls->outgoing().empty()) {
    const Transfer sent = stream.socket.send(stream.tls->outgoing(), {}, 0);
    if (sent.error != 0 || sent.would_block) return sent.error;
    stream.tls->sent(sent.count);
  }
  return 0;
}

void LoadLoop::send_encrypted(Stream& stream) {
  // Encrypted piece by piece as the socket takes them: a long prompt is not held twice.
  while (true) {
    if (const int error = send_outgoing(stream); error != 0) {
      return exchange_broken(stream, failure_text(error));
    }
    if (stream.sent_whole() || !stream.tls->outgoing().empty()) break;
    const std::string_view piece = next_piece(stream);
    if (const Status written = stream.tls->write(piece); !written) {
      return exchange_broken(stream, "tls: " + written.error().message);
    }
    stream.sent_bytes += piece.size();
  }
  watch(stream, !stream.sent_whole());
}

void LoadLoop::take_encrypted(Stream& stream, std::size_t count, const Arrival& arrival) {
  const std::span<char> space = std::span(plain_).subspan(HttpReader::kHeadroom);
  const TlsSession::Plain plain =
      stream.tls->read({buffer_.data() + HttpReader::kHeadroom, count}, space);
  const TlsSession* const session = stream.tls.get();
  const std::uint64_t request = stream.record.id;
  if (plain.count > 0) take_bytes(stream, space.data(), plain.count, arrival);
  // What else it brought concerns the request that it was read for.
  const bool same = stream.tls.get() == session && stream.record.id == request;
  if (!same || stream.state != Stream::State::exchanging) return;
  if (plain.failure) return exchange_broken(stream, "tls: " + plain.failure->message);
  if (plain.closed) return peer_closed(stream, arrival.at);
  if (!stream.tls->outgoing().empty()) send_encrypted(stream);  // the answer to a key update
}

/// Between two requests a server may renew its keys or hand out tickets; all else ends the
/// connection, as it does without TLS.
void LoadLoop::encrypted_between_requests(Stream& stream) {
  const Transfer transfer = stream.socket.receive(buffer_);
  if (transfer.would_block) return;
  if (transfer.error != 0 || transfer.count == 0) return drop_connection(stream);
  const TlsSession::Plain plain = stream.tls->read({buffer_.data(), transfer.count}, plain_);
  const bool nothing_said = plain.count == 0 && !plain.closed && !plain.failure;
  if (!nothing_said || send_outgoing(stream) != 0) drop_connection(stream);
}

}  // namespace tokenjoule
