#include "load/socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tokenjoule {

namespace {

Transfer failed_transfer(int error) {
  const bool would_block = error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
  return {.error = would_block ? 0 : error, .would_block = would_block};
}

std::optional<WallTime> receive_stamp(msghdr& message) {
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(at), sizeof stamp);
    return WallTime{static_cast<std::int64_t>(stamp.tv_sec) * 1'000'000'000 + stamp.tv_nsec};
  }
  return std::nullopt;
}

/// A listening socket at a free port of the loopback address, put into `address`; -1 if there is
/// none.
int loopback_listener(SocketAddress& address) {
  auto* const inet = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* const generic = reinterpret_cast<sockaddr*>(&address.storage);
  inet->sin_family = AF_INET;
  inet->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.length = sizeof *inet;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool works = listener >= 0 && ::bind(listener, generic, address.length) == 0 &&
                     ::listen(listener, 1) == 0 &&
                     ::getsockname(listener, generic, &address.length) == 0;
  if (works) return listener;
  if (listener >= 0) ::close(listener);
  return -1;
}

/// Sends single bytes until one comes with a stamp.
void wait_for_stamp(const Socket& receiver, int sender) {
  constexpr int kTries = 100;
  std::array<char, 8> bytes{};
  for (int i = 0; i < kTries; ++i) {
    if (::send(sender, "x", 1, MSG_NOSIGNAL) != 1) return;
    pollfd readable{.fd = receiver.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&readable, 1, 100);
    if (receiver.receive(bytes).received) return;
    ::poll(nullptr, 0, 2);
  }
}

// sendmsg takes buffers without const, though it only reads them.
iovec buffer_of(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

Socket::~Socket() { close(); }

void Socket::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

int Socket::connect(const SocketAddress& address) {
  close();
  descriptor_ = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) return errno;
  const int on = 1;
  // Where an option is refused the socket still works: stamps are then our own, and said to be.
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  sockaddr_storage storage = address.storage;
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&storage), address.length) == 0) return 0;
  return errno == EINPROGRESS ? 0 : errno;
}

int Socket::connect_result() const {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

Transfer Socket::send(std::string_view head, std::string_view body, std::size_t offset) const {
  const std::size_t from_head = std::min(offset, head.size());
  std::array<iovec, 2> parts = {buffer_of(head.substr(from_head)),
                                buffer_of(body.substr(offset - from_head))};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t sent = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
  if (sent < 0) return failed_transfer(errno);
  return {.count = static_cast<std::size_t>(sent)};
}

Transfer Socket::receive(std::span<char> into) const {
  iovec part{into.data(), into.size()};
  alignas(cmsghdr) std::array<char, 64> control;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t received = ::recvmsg(descriptor_, &message, 0);
  if (received < 0) return failed_transfer(errno);
  return {.count = static_cast<std::size_t>(received), .received = receive_stamp(message)};
}

ReceiveStamps::ReceiveStamps() {
  SocketAddress address;
  const int listener = loopback_listener(address);
  if (listener < 0) return;
  if (held_.connect(address) == 0) {
    pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
    const bool came = ::poll(&waiting, 1, 100) == 1;
    const int peer = !came ? -1 : ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer >= 0) {
      wait_for_stamp(held_, peer);
      ::close(peer);
    }
  }
  ::close(listener);
}

}  // namespace tokenjoule
