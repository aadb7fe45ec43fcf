#include "sim/outbox.hpp"

#include <cerrno>

#include <sys/socket.h>

namespace tokenjoule {

void Outbox::send(std::string_view bytes) {
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
