#include "io/tls.hpp"

#include <array>
#include <cctype>
#include <optional>

#include <fmt/core.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kTrustHint =
    "give the certificate that signed it, as PEM: --cacert FILE (or go without any check of who "
    "answers: --insecure)";

Error tls_failure(const std::string& host, std::string_view why, std::string_view hint) {
  return {ErrorKind::missing, fmt::format("TLS with {}: {}", host, why), std::string(hint)};
}

/// A certificate that was not believed.
Error certificate_error(const std::string& host, long verdict) {
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return tls_failure(host, "the certificate has expired",
                         "renew it, and check this machine's clock");
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return tls_failure(host, "the certificate is not valid yet",
                         "check the clocks of this machine and of the server");
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return tls_failure(host, "the certificate is for another host",
                         "give the URL with a name that stands in the certificate");
    case X509_V_ERR_APPLICATION_VERIFICATION:
      return tls_failure(
          host, "the certificate is not the one whose fingerprint was given",
          "see whose it is: openssl s_client -connect HOST:PORT </dev/null | openssl x509 "
          "-noout -subject -fingerprint -sha256");
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return tls_failure(host, "the certificate is self-signed and not trusted here", kTrustHint);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return tls_failure(host, "the certificate is signed by nobody who is trusted here",
                         kTrustHint);
    default:
      return tls_failure(host,
                         fmt::format("bad certificate: {}", X509_verify_cert_error_string(verdict)),
                         kTrustHint);
  }
}

Result<void> take_trusted(SSL_CTX* context, const TlsOptions& options) {
  if (options.verification == TlsOptions::Verification::none || !options.fingerprint.empty()) {
    return {};
  }
  if (options.ca_file.empty()) {
    // A system without any certificates trusts nobody, which the handshake then says.
    SSL_CTX_set_default_verify_paths(context);
    return {};
  }
  if (SSL_CTX_load_verify_file(context, options.ca_file.c_str()) == 1) return {};
  const char* const reason = ERR_reason_error_string(take_tls_code());
  return failure(ErrorKind::usage,
                 fmt::format("no certificate can be read from {}: {}", quoted(options.ca_file),
                             reason != nullptr ? reason : "it holds none"),
                 "give a PEM file that begins a part with -----BEGIN CERTIFICATE-----");
}

/// The 32 bytes of a fingerprint; nullopt if the text is none.
std::optional<std::string> digest_in(std::string_view fingerprint) {
  std::string digits;
  for (const char c : fingerprint) {
    if (c == ':') continue;
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    digits += c;
  }
  if (digits.size() != 64) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

Result<std::shared_ptr<std::string>> pin_of(const TlsOptions& options) {
  if (options.fingerprint.empty()) return std::shared_ptr<std::string>();
  if (options.verification == TlsOptions::Verification::none) {
    return failure(ErrorKind::usage, "a fingerprint was given, and that nothing is to be verified",
                   "leave one of them out");
  }
  auto digest = digest_in(options.fingerprint);
  if (digest) return std::make_shared<std::string>(std::move(*digest));
  return failure(ErrorKind::usage,
                 fmt::format("\"{}\" is no SHA-256 fingerprint", quoted(options.fingerprint)),
                 "give 64 hex digits: openssl x509 -in FILE -noout -fingerprint -sha256");
}

/// In place of OpenSSL's own verification: whether the server showed the certificate that was
/// pinned. @param pin the 32 bytes of its digest.
int is_pinned(X509_STORE_CTX* shown, void* pin) {
  const X509* const certificate = X509_STORE_CTX_get0_cert(shown);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (certificate != nullptr && X509_digest(certificate, EVP_sha256(), bytes.data(), &size) == 1 &&
      std::string_view(reinterpret_cast<const char*>(bytes.data()), size) ==
          *static_cast<const std::string*>(pin)) {
    return 1;
  }
  X509_STORE_CTX_set_error(shown, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

bool is_address(const std::string& host) {
  ASN1_OCTET_STRING* const bytes = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(bytes);
  return bytes != nullptr;
}

}  // namespace

TlsContext::TlsContext(Role role, std::shared_ptr<std::string> pin)
    : context_(SSL_CTX_new(role == Role::client ? TLS_client_method() : TLS_server_method()),
               SSL_CTX_free),
      role_(role),
      pin_(std::move(pin)) {
  SSL_CTX* const native = context_.get();
  TJ_ASSERT(native != nullptr);  // fails only without memory
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  // With the buffers of idle connections given back, ten thousand of them fit into 300 MB.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(native, 1);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
}

TlsContext TlsContext::create_server() { return TlsContext(Role::server, nullptr); }

Result<TlsContext> TlsContext::create(const TlsOptions& options) {
  TRY(auto pin, pin_of(options));
  TlsContext context(Role::client, std::move(pin));
  context.verification_ = options.verification;
  // Length and name: RFC 7301, section 3.1.
  constexpr std::array<unsigned char, 9> http11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_alpn_protos(context.native(), http11.data(), http11.size());
  TRY_DO(take_trusted(context.native(), options));
  if (context.pin_) {
    SSL_CTX_set_cert_verify_callback(context.native(), is_pinned, context.pin_.get());
  }
  return context;
}

void TlsContext::prepare(ssl_st* connection, const std::string& host) const {
  if (role_ == Role::server) {
    SSL_set_accept_state(connection);
    return;
  }
  SSL_set_connect_state(connection);
  const bool address = is_address(host);
  // An address is not sent along: RFC 6066, section 3. The cast is in a macro of OpenSSL's.
  if (!address)
    SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host.c_str()));
  if (verification_ == TlsOptions::Verification::none) {
    SSL_set_verify(connection, SSL_VERIFY_NONE, nullptr);
    return;
  }
  SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
  SSL_set_hostflags(connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM* const asked = SSL_get0_param(connection);
  const int set = address ? X509_VERIFY_PARAM_set1_ip_asc(asked, host.c_str())
                          : X509_VERIFY_PARAM_set1_host(asked, host.c_str(), host.size());
  TJ_ASSERT(set == 1);  // without a name to hold against, any certificate would do
}

Error tls_error(const ssl_st* connection, const std::string& host, unsigned long code) {
  const long verdict = SSL_get_verify_result(connection);
  const int reason = ERR_GET_REASON(code);
  const bool of_tls = ERR_GET_LIB(code) == ERR_LIB_SSL;
  if (of_tls && reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verdict != X509_V_OK) {
    return certificate_error(host, verdict);
  }
  if (of_tls && (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)) {
    return tls_failure(host, "what answers there does not speak TLS",
                       "check the port, or give the URL with http://");
  }
  if (of_tls &&
      (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION)) {
    return tls_failure(host, "the server speaks no version of TLS from 1.2 on",
                       "update the server");
  }
  if (of_tls && reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return tls_failure(host, "the connection was closed in the middle",
                       "see the log of the server");
  }
  const char* const words = code == 0 ? nullptr : ERR_reason_error_string(code);
  return tls_failure(host, words != nullptr ? words : "the connection failed",
                     "see the log of the server");
}

unsigned long take_tls_code() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  return code;
}

}  // namespace tokenjoule
