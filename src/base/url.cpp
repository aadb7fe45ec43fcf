#include "base/url.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> bad_url(std::string_view text, std::string_view why) {
  // User info may be a password: what stands before '@' is not shown.
  const auto at = text.rfind('@');
  if (at != std::string_view::npos) text.remove_prefix(at + 1);
  return failure(ErrorKind::usage, fmt::format("\"{}\" is not a URL: {}", quoted(text), why),
                 "write it as http://HOST:PORT, for example http://127.0.0.1:8000");
}

bool is_host_character(char c) {
  return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '<' && c != '>' && c != '\\' &&
         c != 0x7f;
}

}  // namespace

std::string Url::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

std::string Url::text() const {
  const auto query = path.find('?');
  const bool has_query = query != std::string::npos;
  return fmt::format("{}://{}{}{}", scheme, authority(), path.substr(0, query),
                     has_query ? "?…" : "");
}

Url Url::joined(std::string_view suffix) const {
  Url longer = *this;
  longer.path += suffix;
  return longer;
}

Result<Url> url_in(std::string_view text) {
  const std::string_view whole = text;
  Url url;
  const auto scheme_end = text.find("://");
  if (scheme_end != std::string_view::npos) {
    url.scheme = lower_case(text.substr(0, scheme_end));
    text.remove_prefix(scheme_end + 3);
  }
  if (url.scheme != "http" && url.scheme != "https")
    return bad_url(whole, "only http and https are spoken");
  url.port = url.scheme == "https" ? 443 : 80;
  const auto path_start = text.find_first_of("/?#");
  std::string_view authority = text.substr(0, path_start);
  if (path_start != std::string_view::npos) url.path = text.substr(path_start);
  while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    url.user_info = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const auto close = authority.find(']');
    if (close == std::string_view::npos)
      return bad_url(whole, "the bracket of the IPv6 address is open");
    url.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else {
    const auto colon = authority.find(':');
    url.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (!port.empty()) {
    const auto number = port.front() == ':' ? integer_in(port.substr(1)) : std::nullopt;
    if (!number || *number < 1 || *number > 65535)
      return bad_url(whole, "the port is no number from 1 to 65535");
    url.port = static_cast<std::uint16_t>(*number);
  }
  if (url.host.empty()) return bad_url(whole, "it names no host");
  for (const char c : url.host + url.path) {
    if (!is_host_character(c)) return bad_url(whole, "it holds a blank or a control character");
  }
  return url;
}

std::string user_info_of(std::string_view user, std::string_view password) {
  const auto encoded = [](std::string_view text) {
    std::string all;
    for (const char c : text) all += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return all;
  };
  return encoded(user) + ':' + encoded(password);
}

std::string shown_location(std::string_view location) {
  location = location.substr(0, location.find_first_of("?#"));
  constexpr std::size_t kLongest = 300;
  const auto scheme = location.find("//");
  if (scheme == std::string_view::npos) return quoted(location, kLongest);
  const std::string_view behind = location.substr(scheme + 2);
  const auto at = behind.substr(0, behind.find('/')).rfind('@');
  if (at == std::string_view::npos) return quoted(location, kLongest);
  return quoted(std::string(location.substr(0, scheme + 2)).append(behind.substr(at + 1)),
                kLongest);
}

Url api_root(Url url) {
  if (ends_with(url.path, "/v1")) url.path.resize(url.path.size() - 3);
  while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
  return url;
}

}  // namespace tokenjoule
