#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tokenjoule {

/// Writes to a connected socket without ever waiting: what the kernel does not take at once is kept
/// and goes out with the next `flush`. Does not own the socket.
class Outbox {
 public:
  /// `on_blocked` is called when bytes had to be kept: then call `flush` once the socket can be
  /// written again.
  Outbox(int socket, std::function<void()> on_blocked)
      : socket_(socket), on_blocked_(std::move(on_blocked)) {}

  /// Sends after all that was sent before. Nothing happens once the connection is broken.
  void send(std::string_view bytes);
  /// Sends what was kept, as far as it goes; calls `on_blocked` again if something is left.
  void flush();
  /// Ends our side of the connection when everything is sent.
  void close_when_sent();

  /// The peer went away, or left more than 64 MiB unread.
  bool broken() const { return broken_; }

 private:
  std::size_t sent_at_once(std::string_view bytes);
  void close_if_due();

  int socket_;
  std::function<void()> on_blocked_;
  std::string kept_;
  bool broken_ = false;
  bool closing_ = false;
};

}  // namespace tokenjoule
