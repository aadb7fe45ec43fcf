#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "io/testing_server.hpp"
#include "io/testing_tls.hpp"

// A management controller for tests. Nothing but tests includes this.
namespace tokenjoule {

/// Speaks Redfish over HTTPS: sessions (two at most), basic authentication, pages by path.
class TestBmc {
 public:
  TestBmc() : identity_(make_certificate()), front_(server_.url("").port, identity_) {}
  ~TestBmc() { answer_again(); }

  std::string url() const { return front_.url(); }
  const TestCertificate& identity() const { return identity_; }

  void set(const std::string& path, const std::string& json) {
    const std::lock_guard lock(mutex_);
    pages_[path] = json;
  }
  /// From now on it does not answer to a GET, until answer_again.
  void hang() {
    const std::lock_guard lock(mutex_);
    hangs_ = true;
  }
  void answer_again() {
    const std::lock_guard lock(mutex_);
    hangs_ = false;
    changed_.notify_all();
  }
  void wait_until_asked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_while_hanging_; });
  }
  void expire_sessions() {
    const std::lock_guard lock(mutex_);
    sessions_.clear();
  }
  /// Others hold all the sessions that there are.
  void occupy_sessions() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < kMostSessions; ++i) sessions_.insert(fmt::format("other{}", i));
  }
  void refuse_user() {
    const std::lock_guard lock(mutex_);
    sessions_.clear();
    refuses_ = true;
  }
  int logins() {
    const std::lock_guard lock(mutex_);
    return logins_;
  }
  std::size_t open_sessions() {
    const std::lock_guard lock(mutex_);
    return sessions_.size();
  }
  std::string requests() { return server_.requests(); }

 private:
  static constexpr char kSessions[] = "/redfish/v1/SessionService/Sessions";
  static constexpr std::size_t kMostSessions = 2;

  static std::string answer(const std::string& status, const std::string& body,
                            const std::string& headers = "") {
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}", status,
        headers, body.size(), body);
  }

  static std::string field(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const auto begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
  }

  void serve(SocketServer& server, int socket) {
    while (true) {
      const std::string request = server.next_request(socket);
      if (request.empty()) return;
      SocketServer::reply(socket, answer_to(request));
    }
  }

  std::string answer_to(const std::string& request) {
    std::unique_lock lock(mutex_);
    const std::string method = request.substr(0, request.find(' '));
    const auto begin = method.size() + 1;
    const std::string path = request.substr(begin, request.find(' ', begin) - begin);
    const std::string token = field(request, "X-Auth-Token");
    if (method == "POST") return log_in(request);
    const bool known =
        sessions_.count(token) != 0 || field(request, "Authorization") == "Basic YWRtaW46czNjcmV0";
    if (refuses_ || !known) return answer("401 Unauthorized", "{}");
    if (method == "DELETE") {
      sessions_.erase(token);
      return "HTTP/1.1 204 No Content\r\n\r\n";
    }
    if (hangs_) {
      asked_while_hanging_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !hangs_; });
    }
    const auto page = pages_.find(path);
    return page == pages_.end() ? answer("404 Not Found", "{}") : answer("200 OK", page->second);
  }

  std::string log_in(const std::string& request) {
    ++logins_;
    const auto body = JsonDocument::parse(request.substr(request.find("\r\n\r\n") + 4));
    if (refuses_ || !body || body->root()["UserName"].string() != "admin" ||
        body->root()["Password"].string() != "s3cret") {
      return answer("401 Unauthorized", "{}");
    }
    if (sessions_.size() >= kMostSessions) return answer("503 Service Unavailable", "{}");
    const std::string token = fmt::format("token{}", logins_);
    sessions_.insert(token);
    return answer(
        "201 Created", "{}",
        fmt::format("X-Auth-Token: {}\r\nLocation: {}/{}\r\n", token, kSessions, logins_));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> pages_;
  std::set<std::string> sessions_;
  bool hangs_ = false;
  bool asked_while_hanging_ = false;
  bool refuses_ = false;
  int logins_ = 0;
  TestCertificate identity_;
  SocketServer server_{[this](SocketServer& self, int socket) { serve(self, socket); }};
  TlsFront front_;  ///< last: its threads use the others
};

}  // namespace tokenjoule
