#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/url.hpp"
#include "io/tls.hpp"

namespace tokenjoule {

struct HttpReply {
  int status = 0;
  std::string content_type;  ///< "" if not given
  std::string location;      ///< of a redirect, or of what a POST made
  std::string auth_token;    ///< X-Auth-Token, by which Redfish names a session; "" if not given
  std::string retry_after;   ///< as it was sent; "" if not given
  std::string body;
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpOptions {
  Seconds timeout{5.0};               ///< for the whole exchange, connecting included
  std::size_t body_limit = 64 << 20;  ///< a longer answer is an error
  HttpHeaders headers;
  TlsOptions tls;  ///< for https URLs
};

/// What is wrong with a reply whose status is not 200: "answers with status 404"; of a redirect,
/// which nothing here follows, where it leads.
std::string status_words(const HttpReply& reply);
/// What to do about it: of a redirect, give the URL that it leads to; else `otherwise`.
std::string status_hint(const HttpReply& reply, std::string_view otherwise);

/// An HTTP/1.1 client for small exchanges over http or https: probes, scrapes, power pages. Keeps
/// its connection between calls and opens a new one where the server closed it. Not for load: see
/// load/. One object is for one thread.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options = {});
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  /// Any status is a reply; errors are: refused, reset, time-out, no HTTP, too long, a server that
  /// is not the one that the URL names (see TlsOptions), an answer that was cut.
  Result<HttpReply> get(const Url& url);
  Result<HttpReply> post_json(const Url& url, std::string_view body);
  /// DELETE.
  Result<HttpReply> remove(const Url& url);
  /// Sends this header with every request from now on; an empty value takes it away.
  void set_header(const std::string& name, const std::string& value);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tokenjoule
