#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "base/time.hpp"

namespace tokenjoule {

/// One resolved address of a server.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

/// How a read or a write went. `count` 0 of a read: the peer closed. `error` is an errno, 0 for
/// none; EAGAIN counts as nothing read, with would_block set.
struct Transfer {
  std::size_t count = 0;
  int error = 0;
  bool would_block = false;
  std::optional<WallTime> received;  ///< the kernel's receive stamp of the last byte read
};

/// A TCP connection that never blocks, with the kernel's receive stamps asked for. Owned: closed
/// once.
class Socket {
 public:
  Socket() = default;
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  /// Begins to connect. @returns 0 if it is under way or done, else an errno.
  int connect(const SocketAddress& address);
  /// What became of connecting, once the socket can be written to: 0 or an errno.
  int connect_result() const;

  bool open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void close();

  /// Sends `head` and `body` in one call, from byte `offset` of both together.
  Transfer send(std::string_view head, std::string_view body, std::size_t offset) const;
  Transfer receive(std::span<char> into) const;

 private:
  int descriptor_ = -1;
};

/// Keeps the kernel's receive stamps turned on while it lives. The kernel turns them on some
/// milliseconds after the first socket asked for them, and what comes before has none: so one is
/// made ahead of the load. Waits for that, 0.2 s at most.
class ReceiveStamps {
 public:
  ReceiveStamps();

 private:
  Socket held_;
};

}  // namespace tokenjoule
