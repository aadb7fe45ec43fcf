#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/tls.hpp"

struct bio_st;

namespace tokenjoule {

/// One end of a TLS connection (the client's or, by the context, the server's), without a socket:
/// the caller hands over what it received and sends what is outgoing(). So who reads the socket
/// keeps the stamps of its reads. For one thread.
class TlsSession {
 public:
  /// read() may give this much more than it was given: a record whose first part came before, and
  /// what came together with the end of the handshake.
  static constexpr std::size_t kMostKept = 36 * 1024;
  /// What one write() takes at most: the plain text of one record.
  static constexpr std::size_t kMostWritten = 16 * 1024;

  TlsSession(const TlsContext& context, std::string host);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  /// The next bytes of the handshake; none to begin with. True: it is done. An error ends the
  /// connection; what is outgoing then tells the other side why.
  Result<bool> shake_hands(std::string_view received);

  struct Plain {
    std::size_t count = 0;         ///< bytes, also where it failed behind them
    bool closed = false;           ///< the other side said that nothing more comes
    std::optional<Error> failure;  ///< the connection cannot be used any more
  };
  /// Decrypts all that was received so far; a record that is not complete yet is kept.
  /// @param into must hold received.size() + kMostKept bytes.
  Plain read(std::string_view received, std::span<char> into);
  /// Whether the other side has said that nothing more comes. An end of the connection without that
  /// may be anybody's doing: what was not complete by then was cut.
  bool closed() const { return closed_; }

  /// Says to the other side that nothing more comes (close_notify).
  void say_goodbye();
  /// Encrypts `plain`, at most kMostWritten bytes, onto the end of what is outgoing.
  Status write(std::string_view plain);
  std::string_view outgoing() const { return std::string_view(outgoing_).substr(outgoing_sent_); }
  /// The first `count` bytes of outgoing() are sent.
  void sent(std::size_t count);

 private:
  struct Callbacks;
  struct Free {
    void operator()(ssl_st* connection) const;
  };

  Error error(int returned);

  std::string host_;
  std::unique_ptr<ssl_st, Free> connection_;
  std::string kept_;           ///< came with the end of the handshake, not yet read
  std::string_view received_;  ///< during a call: what OpenSSL has not taken yet
  std::string outgoing_;
  std::size_t outgoing_sent_ = 0;
  bool closed_ = false;
};

}  // namespace tokenjoule
