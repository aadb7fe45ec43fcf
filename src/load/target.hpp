#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/url.hpp"
#include "io/tls.hpp"
#include "load/load_options.hpp"
#include "load/socket.hpp"

namespace tokenjoule {

/// Key, password and header values, each also without a word like "Bearer" before it: what a server
/// may repeat, and no message may. Values below six bytes are no secrets, and would make a text
/// unreadable.
std::vector<std::string> secrets_in(const HttpHeaders& headers, std::string_view user_info,
                                    std::string_view api_key = {});
/// The text with "***" for each secret in it, also for the first part of one at its end, where the
/// text was cut.
std::string without_secrets(std::string text, const std::vector<std::string>& secrets);

/// That the header can be sent, and is none that the client sets itself. The value never appears in
/// the message: it may be a secret.
Status check_header(const std::string& name, const std::string& value);

/// One server that requests go to.
struct Target {
  std::string name;                      ///< its URL without user info, for messages
  std::vector<SocketAddress> addresses;  ///< tried in this order; at least one
  std::string head;                      ///< of each request, up to the value of Content-Length
  std::string host;                      ///< what a certificate must name
  std::optional<TlsContext> tls;         ///< of an https URL
  std::vector<std::string> secrets;      ///< values that a server may repeat, and no message may

  /// The head of a request with a body of so many bytes.
  std::string head_for(std::size_t body_size) const;
};

/// The head of all requests to this server, up to the value of Content-Length. A header that is no
/// HTTP, or that the client sets itself, is a usage error.
Result<std::string> request_head(const Url& root, const LoadOptions& options);

/// Resolves the host, once for the whole load. Errors: a host that is not known, a file of
/// certificates that cannot be read.
Result<Target> target_for(const Url& root, const LoadOptions& options);

}  // namespace tokenjoule
