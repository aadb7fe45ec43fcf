#include "io/tls_session.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/check.hpp"

namespace tokenjoule {

/// What stands in for the socket below OpenSSL: the bytes of the call under way.
struct TlsSession::Callbacks {
  static TlsSession& session_of(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, int size) {
    BIO_clear_retry_flags(bio);
    std::string_view& received = session_of(bio).received_;
    const std::size_t count = std::min(static_cast<std::size_t>(size), received.size());
    if (count == 0) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::memcpy(into, received.data(), count);
    received.remove_prefix(count);
    return static_cast<int>(count);
  }
  static int write(BIO* bio, const char* bytes, int size) {
    session_of(bio).outgoing_.append(bytes, static_cast<std::size_t>(size));
    return size;
  }
  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static const BIO_METHOD* method() {
    static const BIO_METHOD* const made = [] {
      BIO_METHOD* const fresh = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "bytes");
      TJ_ASSERT(fresh != nullptr);
      BIO_meth_set_read(fresh, read);
      BIO_meth_set_write(fresh, write);
      BIO_meth_set_ctrl(fresh, control);
      return fresh;
    }();
    return made;
  }
};

void TlsSession::Free::operator()(ssl_st* connection) const { SSL_free(connection); }

TlsSession::TlsSession(const TlsContext& context, std::string host)
    : host_(std::move(host)), connection_(SSL_new(context.native())) {
  BIO* const bio = BIO_new(Callbacks::method());
  TJ_ASSERT(connection_ && bio != nullptr);  // fail only without memory
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(connection_.get(), bio, bio);  // which owns it from here on
  context.prepare(connection_.get(), host_);
}

TlsSession::~TlsSession() = default;

Error TlsSession::error(int returned) {
  // What failed may lie in an earlier entry of the queue; the last one says what it came to.
  const bool known = SSL_get_error(connection_.get(), returned) == SSL_ERROR_SSL;
  const unsigned long code = take_tls_code();
  return tls_error(connection_.get(), host_, known ? code : 0);
}

Result<bool> TlsSession::shake_hands(std::string_view received) {
  received_ = received;
  ERR_clear_error();
  const int returned = SSL_do_handshake(connection_.get());
  if (returned == 1) {
    kept_ = std::exchange(received_, {});
    if (kept_.size() <= kMostKept / 2) return true;
    return failure(ErrorKind::missing,
                   fmt::format("TLS with {}: the server talks before it was asked", host_),
                   "check host and port of the URL");
  }
  received_ = {};
  const int reason = SSL_get_error(connection_.get(), returned);
  if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return false;
  return unexpected(error(returned));
}

TlsSession::Plain TlsSession::read(std::string_view received, std::span<char> into) {
  TJ_ASSERT(into.size() >= received.size() + kMostKept);
  Plain plain;
  std::string joined;
  if (!kept_.empty()) {
    joined = std::exchange(kept_, {});
    joined += received;
    received = joined;
  }
  received_ = received;
  ERR_clear_error();
  while (true) {
    std::size_t count = 0;
    const int returned = SSL_read_ex(connection_.get(), into.data() + plain.count,
                                     into.size() - plain.count, &count);
    plain.count += count;
    if (returned == 1) continue;
    const int reason = SSL_get_error(connection_.get(), returned);
    closed_ = closed_ || reason == SSL_ERROR_ZERO_RETURN;
    plain.closed = closed_;
    const bool waits = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
    if (!waits && !closed_) plain.failure = error(returned);
    received_ = {};
    return plain;
  }
}

Status TlsSession::write(std::string_view plain) {
  TJ_ASSERT(!plain.empty() && plain.size() <= kMostWritten);
  ERR_clear_error();
  std::size_t written = 0;
  const int returned = SSL_write_ex(connection_.get(), plain.data(), plain.size(), &written);
  if (returned == 1) return {};
  return unexpected(error(returned));
}

void TlsSession::say_goodbye() {
  ERR_clear_error();
  (void)SSL_shutdown(connection_.get());  // its answer is not waited for
}

void TlsSession::sent(std::size_t count) {
  outgoing_sent_ += count;
  if (outgoing_sent_ < outgoing_.size()) return;
  // Given back whole: ten thousand streams would hold 180 MB else.
  outgoing_ = {};
  outgoing_sent_ = 0;
}

}  // namespace tokenjoule
