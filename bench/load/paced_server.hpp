#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <sys/types.h>

namespace tokenjoule::bench {

struct Pace {
  int streams = 1000;
  double tokens_per_second = 20;  ///< of each stream
  int tokens = 100;               ///< of each answer
};

/// What the server counts, in memory shared with it.
struct ServerCounts {
  std::atomic<std::int64_t> token_events{0};
  std::atomic<std::int64_t> bytes{0};
  std::atomic<std::int64_t> late_events{0};  ///< sent more than 1 ms after they were due
  std::atomic<std::int64_t> blocked{0};      ///< sends that the socket did not take whole
};

/// A completions server in a process of its own, on CPU 0: every request is answered by a chunked
/// stream of events of 302 bytes on the wire, one `send` each, at the stream's own phase; then
/// finish reason, usage and [DONE].
class PacedServer {
 public:
  explicit PacedServer(const Pace& pace);
  ~PacedServer();
  PacedServer(const PacedServer&) = delete;
  PacedServer& operator=(const PacedServer&) = delete;

  std::uint16_t port() const { return port_; }
  const ServerCounts& counts() const { return *counts_; }

 private:
  std::uint16_t port_ = 0;
  ServerCounts* counts_;  ///< a shared mapping
  pid_t child_ = -1;
};

}  // namespace tokenjoule::bench
