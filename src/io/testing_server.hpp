#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/url.hpp"

// Servers on loopback for tests. Nothing but tests includes this.
namespace tokenjoule {

/// A server on loopback with one thread: takes connections one after another and gives each to
/// `serve`, which reads and writes the bare socket.
class SocketServer {
 public:
  using Serve = std::function<void(SocketServer& server, int socket)>;

  explicit SocketServer(Serve serve) : serve_(std::move(serve)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(listener_, generic, length), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, generic, &length), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve_all(); });
  }
  ~SocketServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  Url url(const std::string& path = "/metrics") const {
    return *url_in("http://127.0.0.1:" + std::to_string(port_) + path);
  }
  std::string requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  int connections() {
    const std::lock_guard lock(mutex_);
    return connections_;
  }
  /// The next request's head and body; "" when the client has closed.
  std::string next_request(int socket) {
    std::string request;
    char c = 0;
    std::size_t body = 0;
    std::size_t head = std::string::npos;
    while (head == std::string::npos || request.size() < head + 4 + body) {
      if (recv(socket, &c, 1, 0) != 1) return "";
      request += c;
      if (head != std::string::npos) continue;
      head = request.find("\r\n\r\n");
      const auto field = request.find("Content-Length: ");
      if (head != std::string::npos && field != std::string::npos) {
        body = std::stoul(request.substr(field + 16));
      }
    }
    const std::lock_guard lock(mutex_);
    requests_ += request;
    return request;
  }
  static void reply(int socket, const std::string& bytes) {
    (void)send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

 private:
  void serve_all() {
    for (;;) {
      const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      {
        const std::lock_guard lock(mutex_);
        ++connections_;
      }
      serve_(*this, socket);
      close(socket);
    }
  }

  Serve serve_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::string requests_;
  int connections_ = 0;
  std::thread thread_;
};

/// A server of pages by "METHOD /path", one answer a connection. Pages may be changed meanwhile.
class PageServer {
 public:
  struct Page {
    int status = 200;
    std::string body;
    std::string content_type = "application/json";
  };

  explicit PageServer(std::map<std::string, Page> pages)
      : pages_(std::move(pages)),
        server_([this](SocketServer& server, int socket) { answer(server, socket); }) {}

  Url url(const std::string& path = "") const { return server_.url(path); }
  std::string requests() { return server_.requests(); }
  void set(const std::string& request, Page page) {
    const std::lock_guard lock(mutex_);
    pages_[request] = std::move(page);
  }

 private:
  void answer(SocketServer& server, int socket) {
    const std::string request = server.next_request(socket);
    if (request.empty()) return;
    const std::lock_guard lock(mutex_);
    const auto at = pages_.find(request.substr(0, request.find(" HTTP/")));
    const Page page = at == pages_.end() ? Page{404, "{\"detail\":\"Not Found\"}"} : at->second;
    SocketServer::reply(socket,
                        "HTTP/1.1 " + std::to_string(page.status) +
                            " Status\r\nConnection: close\r\nContent-Type: " + page.content_type +
                            "\r\nContent-Length: " + std::to_string(page.body.size()) + "\r\n\r\n" +
                            page.body);
  }

  std::mutex mutex_;
  std::map<std::string, Page> pages_;
  SocketServer server_;  ///< last: its thread uses the others
};

}  // namespace tokenjoule
