#include "sim/outbox.hpp"

#include <cerrno>

#include <sys/socket.h>

namespace tokenjoule {

void Outbox::send(std::string_view bytes) {
  if (tls_ == nullptr) {
    put(bytes);
    return;
  }
  while (!bytes.empty() && !broken_) {
    const std::string_view piece = bytes.substr(0, TlsSession::kMostWritten);
    bytes.remove_prefix(piece.size());
    if (!tls_->write(piece)) broken_ = true;
  }
  send_tls_outgoing();
}

void Outbox::send_tls_outgoing() {
  const std::size_t size = tls_->outgoing().size();
  put(tls_->outgoing());
  if (size > 0) tls_->sent(size);
}

void Outbox::put(std::string_view bytes) {
  constexpr std::size_t kMostKept = std::size_t{64} << 20U;
  if (broken_) return;
  const bool was_blocked = !kept_.empty();
  const std::size_t sent = was_blocked ? 0 : sent_at_once(bytes);
  if (broken_ || sent == bytes.size()) return;
  kept_ += bytes.substr(sent);
  if (kept_.size() > kMostKept) {
    broken_ = true;
    kept_.clear();
    return;
  }
  if (!was_blocked) on_blocked_();
}

void Outbox::flush() {
  const std::size_t sent = sent_at_once(kept_);
  kept_.erase(0, broken_ ? kept_.size() : sent);
  if (!kept_.empty()) {
    on_blocked_();
    return;
  }
  close_if_due();
}

void Outbox::close_when_sent() {
  if (tls_ != nullptr) {
    tls_->say_goodbye();
    send_tls_outgoing();
  }
  closing_ = true;
  if (kept_.empty()) close_if_due();
}

void Outbox::close_if_due() {
  if (closing_) shutdown(socket_, SHUT_WR);
}

std::size_t Outbox::sent_at_once(std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto count =
        ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      broken_ = errno != EAGAIN && errno != EWOULDBLOCK;
      break;
    }
  }
  return sent;
}

}  // namespace tokenjoule
