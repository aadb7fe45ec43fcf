#pragma once

// For the tests of the load client only.

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tokenjoule {

/// A request as the scripted server got it.
struct ServedRequest {
  std::string head;
  std::string body;
  int number = 0;         ///< of all requests, from 0
  int on_connection = 0;  ///< of its connection, from 0
};

/// The server's end of one connection.
class Peer {
 public:
  explicit Peer(int descriptor) : descriptor_(descriptor) {}

  void send(std::string_view bytes) const;
  void send_bytewise(std::string_view bytes) const;
  /// Closes with a reset instead of an orderly end.
  void reset() const;
  /// Waits until the client closes.
  void wait_for_close() const;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A small blocking HTTP server on 127.0.0.1 (or ::1) that answers each request by a script of the
/// test, one thread a connection.
class ScriptedServer {
 public:
  enum class Then { keep_open, close };
  using Script = std::function<Then(const Peer&, const ServedRequest&)>;

  explicit ScriptedServer(Script script, bool ipv6 = false);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const;
  int connections() const { return connections_; }
  int most_in_flight() const { return most_in_flight_; }
  std::vector<ServedRequest> requests() const;

 private:
  void accept_all();
  void serve(int descriptor);

  Script script_;
  bool ipv6_;
  std::uint16_t port_ = 0;  ///< stays 0 where the address family is missing
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::atomic<int> in_flight_{0};
  std::atomic<int> most_in_flight_{0};
  std::atomic<int> next_request_{0};
  mutable std::mutex mutex_;
  std::vector<ServedRequest> requests_;
  std::set<int> open_;
  std::list<std::jthread> workers_;
  std::jthread acceptor_;
};

/// A TCP port of 127.0.0.1 that nothing listens at.
std::uint16_t free_port();

// Answers.

/// "data: …\n\n" for each.
std::string events(const std::vector<std::string>& data);
/// A completions stream of `tokens` events, one token each, with finish reason, usage and [DONE].
std::string token_stream(int tokens);
/// An answer in chunks, one for each event of `body`.
std::string chunked(std::string_view body, std::string_view content_type = "text/event-stream");
/// The start of such an answer, up to the end of its `count`-th event.
std::string first_events(const std::string& answer, int count);
std::string with_length(int status, std::string_view body, std::string_view headers = {});

}  // namespace tokenjoule
