#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "io/http_reader.hpp"
#include "io/tls_session.hpp"
#include "load/request_source.hpp"
#include "load/socket.hpp"
#include "load/target.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// One of the `concurrency` streams: a connection that carries one request after another.
struct Stream {
  enum class State {
    idle,        ///< has nothing to do until the load begins
    waiting,     ///< pauses until `due`, after a failure
    queued,      ///< wants a connection, as soon as fewer are being opened
    connecting,  ///< until `due`; with TLS: up to the end of the handshake
    exchanging,  ///< a request is out, or going out; until `due`
  };

  std::uint32_t index = 0;  ///< within its loop
  const Target* target = nullptr;
  State state = State::idle;
  MonoTime due;

  Socket socket;
  std::unique_ptr<TlsSession> tls;  ///< null without TLS, and until the socket is connected
  HttpReader reader;
  bool reused = false;      ///< the connection has carried an answer before
  std::size_t address = 0;  ///< of the target, in use
  std::size_t addresses_tried = 0;

  std::optional<PreparedRequest> request;
  RequestRecord record;
  std::string head;
  std::size_t sent_bytes = 0;
  bool body_begun = false;                    ///< the decoder was told of the answer
  std::string refusal;                        ///< start of the body of an answer that is no success
  bool counted = false;                       ///< the request is in LoadCounters::sent
  bool watches_write = false;                 ///< epoll tells when the socket can be written to
  std::optional<std::uint64_t> conversation;  ///< the next request is the turn behind this one
  int failures_in_row = 0;
  std::uint32_t answer_failures = 0;  ///< of AnswerFailures, already answered with a pause

  bool sent_whole() const {
    return request && sent_bytes == head.size() + request->body.size() &&
           (!tls || tls->outgoing().empty());
  }
  /// The request was sent whole and its answer has begun, so that it is never sent again: its bytes
  /// are not needed while the answer comes, and with long prompts they are most of a stream.
  void forget_sent_bytes() {
    std::string().swap(head);
    std::string().swap(request->body);
    sent_bytes = 0;
  }
};

/// The pause after so many failures in a row (at least 1): 100 ms, doubled up to 2 s; what the
/// server asks for by Retry-After instead, where that is longer, up to 60 s.
Nanoseconds pause_after(int failures_in_row, std::optional<Nanoseconds> retry_after = {});

/// The value of a Retry-After field, seconds or a date (RFC 9110, section 10.2.3), as the time to
/// wait from `now` on, at most a day; nullopt for anything else, and for a date that has passed.
std::optional<Nanoseconds> retry_after_in(std::string_view text, WallTime now);

/// "model_not_found: http 404: …": what an answer outside 200..299 says; see Refusal.
std::string refusal_text(const HttpHead& head, std::string_view body);

/// "refused", "reset", "unreachable: No route to host", …: an errno of connecting, reading or
/// writing.
std::string failure_text(int error);

}  // namespace tokenjoule
