#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "io/tls_session.hpp"

namespace tokenjoule {

/// Writes to a connected socket without ever waiting: what the kernel does not take at once is kept
/// and goes out with the next `flush`. Does not own the socket, nor the TLS connection on it.
class Outbox {
 public:
  /// `on_blocked` is called when bytes had to be kept: then call `flush` once the socket can be
  /// written again.
  /// @param tls encrypts all that is sent, once its handshake is done; nullptr: nobody does.
  Outbox(int socket, TlsSession* tls, std::function<void()> on_blocked)
      : socket_(socket), tls_(tls), on_blocked_(std::move(on_blocked)) {}

  /// Sends after all that was sent before. Nothing happens once the connection is broken.
  void send(std::string_view bytes);
  /// Sends what the TLS connection has to say by itself: its part of a handshake, an alert.
  void send_tls_outgoing();
  /// Sends what was kept, as far as it goes; calls `on_blocked` again if something is left.
  void flush();
  /// Ends our side of the connection when everything is sent.
  void close_when_sent();

  /// The peer went away, or left more than 64 MiB unread.
  bool broken() const { return broken_; }

 private:
  void put(std::string_view wire);
  std::size_t sent_at_once(std::string_view bytes);
  void close_if_due();

  int socket_;
  TlsSession* tls_;
  std::function<void()> on_blocked_;
  std::string kept_;
  bool broken_ = false;
  bool closing_ = false;
};

}  // namespace tokenjoule
