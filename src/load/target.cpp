#include "load/target.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

// What the client itself must decide: how the body is framed, how long a connection lives, and that
// nothing is compressed (a compressed event has no time of its own).
constexpr std::string_view kOurHeaders[] = {"content-length", "transfer-encoding", "connection",
                                            "accept-encoding", "expect"};

bool is_token(std::string_view name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

/// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
      return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
    };
    const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (std::uint32_t digit = 0; digit < 4; ++digit) {
      const bool padding = i + digit > bytes.size();
      text += padding ? '=' : digits[group >> (18U - 6U * digit) & 63U];
    }
  }
  return text;
}

/// Ours, each unless the user gave one of that name.
HttpHeaders default_headers(const Url& root, const LoadOptions& options) {
  HttpHeaders headers = {{"Host", root.authority()},
                         {"Content-Type", "application/json"},
                         {"Accept", "text/event-stream, application/json"},
                         {"User-Agent", "tokenjoule"}};
  if (!options.api_key.empty()) {
    headers.emplace_back("Authorization", "Bearer " + options.api_key);
  } else if (!root.user_info.empty()) {
    headers.emplace_back("Authorization", "Basic " + base64(root.user_info));
  }
  return headers;
}

constexpr std::size_t kShortestSecret = 6;

/// Where a first part of the secret ends the text, as far as a cut left it; npos: nowhere.
std::size_t cut_secret(std::string_view text, std::string_view secret) {
  for (std::size_t size = std::min(text.size(), secret.size()); size >= kShortestSecret; --size) {
    if (ends_with(text, secret.substr(0, size))) return text.size() - size;
  }
  return std::string_view::npos;
}

bool contains(const HttpHeaders& headers, const std::string& name) {
  return std::any_of(headers.begin(), headers.end(), [&](const auto& header) {
    return lower_case(header.first) == lower_case(name);
  });
}

}  // namespace

Status check_header(const std::string& name, const std::string& value) {
  if (!is_token(name) || !is_field_value(value)) {
    return failure(ErrorKind::usage, fmt::format("the header \"{}\" cannot be sent", quoted(name)),
                   "write --header 'Name: value', in one line");
  }
  const auto* const ours =
      std::find(std::begin(kOurHeaders), std::end(kOurHeaders), lower_case(name));
  if (ours != std::end(kOurHeaders)) {
    return failure(ErrorKind::usage,
                   fmt::format("the header {} is set by the client itself", quoted(name)),
                   "leave it out");
  }
  return {};
}

std::string Target::head_for(std::size_t body_size) const {
  return fmt::format("{}{}\r\n\r\n", head, body_size);
}

std::vector<std::string> secrets_in(const HttpHeaders& headers, std::string_view user_info,
                                    std::string_view api_key) {
  std::vector<std::string> secrets;
  const auto add = [&](std::string_view value) {
    if (value.size() >= kShortestSecret) secrets.emplace_back(value);
  };
  add(api_key);
  add(user_info.substr(user_info.find(':') + 1));
  for (const auto& [name, value] : headers) {
    add(value);
    add(std::string_view(value).substr(value.find(' ') + 1));
  }
  return secrets;
}

std::string without_secrets(std::string text, const std::vector<std::string>& secrets) {
  constexpr std::string_view kCut = "...";  // of quoted()
  for (const std::string& secret : secrets) {
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret)) {
      text.replace(at, secret.size(), "***");
    }
    const bool marked = ends_with(text, kCut);
    const std::string_view whole = text;
    const std::string_view kept = marked ? whole.substr(0, text.size() - kCut.size()) : whole;
    const auto at = cut_secret(kept, secret);
    if (at != std::string_view::npos) text = text.substr(0, at) + "***" + (marked ? "..." : "");
  }
  return text;
}

Result<std::string> request_head(const Url& root, const LoadOptions& options) {
  const std::string path =
      options.path.empty() ? std::string(path_of(options.endpoint)) : options.path;
  const std::string target = root.joined(path).path;
  if (!is_field_value(target) || target.find(' ') != std::string::npos) {
    return failure(ErrorKind::usage, fmt::format("\"{}\" is no path of a URL", quoted(target)),
                   "write --endpoint /v1/completions");
  }
  std::string head = fmt::format("POST {} HTTP/1.1\r\n", target);
  for (const auto& [name, value] : default_headers(root, options)) {
    if (contains(options.headers, name)) continue;
    TRY_DO(check_header(name, value));
    head += fmt::format("{}: {}\r\n", name, value);
  }
  for (const auto& [name, value] : options.headers) {
    TRY_DO(check_header(name, value));
    head += fmt::format("{}: {}\r\n", name, value);
  }
  head += "Content-Length: ";
  return head;
}

Result<Target> target_for(const Url& root, const LoadOptions& options) {
  Target target;
  target.name = root.text();
  target.host = root.host;
  target.secrets = secrets_in(options.headers, root.user_info, options.api_key);
  if (root.scheme == "https") {
    TRY(target.tls, TlsContext::create(options.tls));
  }
  TRY(target.head, request_head(root, options));
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(root.host.c_str(), fmt::format("{}", root.port).c_str(), &wanted, &found);
  if (error != 0) {
    return failure(ErrorKind::missing,
                   fmt::format("cannot find the host {}: {}", root.host, ::gai_strerror(error)),
                   "check the name in --url, or give its address");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    address.length = at->ai_addrlen;
    target.addresses.push_back(address);
  }
  return target;
}

}  // namespace tokenjoule
