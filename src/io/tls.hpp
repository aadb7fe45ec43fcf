#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace tokenjoule {

/// How the server at the other end of a TLS connection is checked.
struct TlsOptions {
  enum class Verification {
    full,  ///< chain of trust, period of validity, name or address
    none,  ///< whoever answers is taken for the server: must be told wherever a result is shown
  };
  Verification verification = Verification::full;
  std::string ca_file;  ///< PEM file of trusted certificates, instead of the system's; "" for those
  /// SHA-256 of the one certificate (in DER) that the server may show, as 64 hex digits, with or
  /// without colons: then nothing else of it is looked at. "": any that is trusted.
  std::string fingerprint = {};
};

/// What all TLS connections with the same options share: those of a client, or (io/tls_server.hpp)
/// those that a server takes. TLS 1.2 and 1.3, with HTTP/1.1 inside. May be copied and used by
/// several threads.
class TlsContext {
 public:
  enum class Role { client, server };
  /// Errors, of kind usage: a file of certificates that cannot be read or holds none; a fingerprint
  /// that is none, or that is given although nothing is to be verified.
  static Result<TlsContext> create(const TlsOptions& options);
  /// For a server: what it has in common with a client's is set, a certificate is not.
  static TlsContext create_server();

  ssl_ctx_st* native() const { return context_.get(); }
  /// Makes a connection a client's, of the server `host`: a name, which is sent along (SNI) and
  /// must stand in the certificate, or an IP address, which must stand there. Or makes it a
  /// server's, for which `host` says nothing.
  void prepare(ssl_st* connection, const std::string& host) const;

 private:
  TlsContext(Role role, std::shared_ptr<std::string> pin);
  /// Shared by the connections of several threads, which must end before the last copy of this.
  std::shared_ptr<ssl_ctx_st> context_;
  Role role_;
  std::shared_ptr<std::string> pin_;  ///< digest of the only certificate believed; null: none
  TlsOptions::Verification verification_ = TlsOptions::Verification::full;
};

/// Why a handshake or a transfer failed, in one line, and what to do.
/// @param code OpenSSL's error code; 0 if there is none.
Error tls_error(const ssl_st* connection, const std::string& host, unsigned long code);

/// OpenSSL's error code of the call that just failed in this thread; 0 if there is none. Takes it
/// off.
unsigned long take_tls_code();

}  // namespace tokenjoule
