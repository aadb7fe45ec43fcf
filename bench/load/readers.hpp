#pragma once

#include <cstdint>
#include <string>

#include "base/quantity.hpp"
#include "base/url.hpp"

namespace tokenjoule::bench {

/// One stretch of load, to be read by either client.
struct Stretch {
  Url root;
  int streams = 1000;
  int tokens = 100;  ///< asked of each answer
  std::string model = "bench";
  std::string dialect = "vllm";
};

struct Reading {
  std::int64_t token_events = 0;
  std::int64_t failed = 0;  ///< requests
  std::int64_t asked = 0;   ///< tokens that the server says it produced; 0: not known
  Seconds cpu;              ///< of the thread that reads
  Seconds run_queue_wait;   ///< of the same
  Seconds wall;
  double lag_p99_us = 0;  ///< upper end of its bucket; 0: not measured
};

/// Reads with epoll and recvmsg and nothing else: bytes are not looked at but for counting events.
Reading read_bare(const Stretch& stretch);
/// Reads with the load client of this project, one load thread.
Reading read_with_client(const Stretch& stretch);

}  // namespace tokenjoule::bench
