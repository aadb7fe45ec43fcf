#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tokenjoule {

/// A parsed http or https URL. `path` has no trailing slash ("" for the root) and keeps any query.
struct Url {
  std::string scheme = "http";
  std::string host;  ///< name, IPv4, or IPv6 without brackets
  std::uint16_t port = 80;
  std::string path;
  std::string user_info;  ///< "user:password" if the URL carried one; never printed or recorded

  /// "host:port", IPv6 in brackets: the Host header.
  std::string authority() const;
  /// scheme://host:port/path for people and records: without the user info, and "?…" in place of a
  /// query, either of which may hold a secret.
  std::string text() const;
  /// This URL with `suffix` (starting with '/') appended to its path.
  Url joined(std::string_view suffix) const;
};

/// Takes "http://host:8000/v1", "host:8000", "http://[::1]:8000/". Another scheme is an error.
Result<Url> url_in(std::string_view text);

/// A user and a password as Url::user_info holds them, whatever bytes are in them.
std::string user_info_of(std::string_view user, std::string_view password);

/// Where a redirect leads, for a message: without user info and without what stands behind '?' or
/// '#', either of which may hold a secret.
std::string shown_location(std::string_view location);

/// The base of an OpenAI-compatible server: a trailing "/v1" is taken off, so that both forms work.
Url api_root(Url url);

}  // namespace tokenjoule
