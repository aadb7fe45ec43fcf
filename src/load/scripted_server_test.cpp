#include "load/scripted_server.hpp"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// A listening socket at an ephemeral port of the loopback address; -1 where the family is missing.
int listening_socket(bool ipv6, std::uint16_t& port) {
  const int listener = ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage storage{};
  socklen_t length = 0;
  if (ipv6) {
    auto* const address = reinterpret_cast<sockaddr_in6*>(&storage);
    address->sin6_family = AF_INET6;
    address->sin6_addr = in6addr_loopback;
    length = sizeof *address;
  } else {
    auto* const address = reinterpret_cast<sockaddr_in*>(&storage);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    length = sizeof *address;
  }
  auto* const generic = reinterpret_cast<sockaddr*>(&storage);
  if (::bind(listener, generic, length) != 0 || ::listen(listener, 512) != 0) {
    ::close(listener);
    return -1;
  }
  ::getsockname(listener, generic, &length);
  port = ntohs(reinterpret_cast<sockaddr_in*>(&storage)->sin_port);  // at the same place in both
  return listener;
}

/// Reads one request; false at the end of the connection.
bool read_request(int descriptor, std::string& kept, ServedRequest& request) {
  char buffer[65536];
  const auto more = [&] {
    const ssize_t count = ::recv(descriptor, buffer, sizeof buffer, 0);
    if (count > 0) kept.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  };
  std::size_t end = 0;
  while ((end = kept.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return false;
  }
  request.head = kept.substr(0, end + 4);
  const std::size_t at = lower_case(request.head).find("content-length: ");
  const bool has_body = at != std::string::npos;
  const std::size_t size = has_body ? std::stoul(request.head.substr(at + 16)) : 0;
  while (kept.size() < request.head.size() + size) {
    if (!more()) return false;
  }
  request.body = kept.substr(request.head.size(), size);
  kept.erase(0, request.head.size() + size);
  return true;
}

}  // namespace

void Peer::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Peer::send_bytewise(std::string_view bytes) const {
  for (std::size_t i = 0; i < bytes.size(); ++i) send(bytes.substr(i, 1));
}

void Peer::reset() const {
  const linger abort{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
}

void Peer::wait_for_close() const {
  char byte = 0;
  while (::recv(descriptor_, &byte, 1, 0) > 0) {
  }
}

ScriptedServer::ScriptedServer(Script script, bool ipv6)
    : script_(std::move(script)), ipv6_(ipv6), listener_(listening_socket(ipv6, port_)) {
  if (listener_ >= 0) acceptor_ = std::jthread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  if (listener_ >= 0) ::shutdown(listener_, SHUT_RDWR);
  if (acceptor_.joinable()) acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int descriptor : open_) ::shutdown(descriptor, SHUT_RDWR);
  }
  workers_.clear();
  if (listener_ >= 0) ::close(listener_);
}

std::string ScriptedServer::url() const {
  return fmt::format("http://{}:{}", ipv6_ ? "[::1]" : "127.0.0.1", port_);
}

std::vector<ServedRequest> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::accept_all() {
  while (!stopping_) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    ++connections_;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    {
      const std::lock_guard lock(mutex_);
      open_.insert(descriptor);
    }
    workers_.emplace_back([this, descriptor] { serve(descriptor); });
  }
}

void ScriptedServer::serve(int descriptor) {
  const Peer peer(descriptor);
  std::string kept;
  ServedRequest request;
  Then then = Then::keep_open;
  while (then == Then::keep_open && read_request(descriptor, kept, request)) {
    const int now = ++in_flight_;
    int most = most_in_flight_;
    while (most < now && !most_in_flight_.compare_exchange_weak(most, now)) {
    }
    request.number = next_request_++;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    // A request counts until its answer's last byte is about to go out: see the scripts.
    then = script_(peer, request);
    --in_flight_;
    ++request.on_connection;
  }
  const std::lock_guard lock(mutex_);
  open_.erase(descriptor);
  ::close(descriptor);
}

std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(listening_socket(false, port));
  return port;
}

std::string events(const std::vector<std::string>& data) {
  std::string text;
  for (const std::string& each : data) text += "data: " + each + "\n\n";
  return text;
}

std::string token_stream(int tokens) {
  std::vector<std::string> data;
  for (int i = 0; i < tokens; ++i) data.push_back(R"({"choices":[{"index":0,"text":"tok"}]})");
  data.push_back(R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})");
  data.push_back(fmt::format(
      R"({{"choices":[],"usage":{{"prompt_tokens":5,"completion_tokens":{}}}}})", tokens));
  data.push_back("[DONE]");
  return events(data);
}

std::string chunked(std::string_view body, std::string_view content_type) {
  std::string text = fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n", content_type);
  while (!body.empty()) {
    const std::size_t end = body.find("\n\n");
    const std::string_view chunk = body.substr(0, end == std::string_view::npos ? end : end + 2);
    text += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
    body.remove_prefix(chunk.size());
  }
  return text + "0\r\n\r\n";
}

std::string first_events(const std::string& answer, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count; ++i) end = answer.find("\n\n", end) + 2;
  return answer.substr(0, end);
}

std::string with_length(int status, std::string_view body, std::string_view headers) {
  return fmt::format("HTTP/1.1 {} Status\r\n{}Content-Length: {}\r\n\r\n{}", status, headers,
                     body.size(), body);
}

TEST(ScriptedServer, ATokenStreamOfTwoTokensHasFiveEvents) {
  const std::string stream = token_stream(2);
  EXPECT_EQ(split(stream, '\n').size(), 5U * 2 + 1);
  const std::string answer = chunked("data: 1\n\ndata: 2\n\n");
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4),
            "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n");
  EXPECT_EQ(first_events("head 1\n\n2\n\n3", 2), "head 1\n\n2\n\n");
}

}  // namespace tokenjoule
