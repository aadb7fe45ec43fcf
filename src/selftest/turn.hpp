#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/url.hpp"
#include "io/clock.hpp"
#include "load/load_options.hpp"
#include "selftest/arrival_meter.hpp"
#include "selftest/emitter.hpp"

namespace tokenjoule {

/// A thread that is made to sleep so long, once in each period.
struct Stall {
  Nanoseconds length;
  Nanoseconds period;
};

/// What a reader reads: all streams of one server, once.
struct TurnPlan {
  Url root;
  int streams = 1000;
  std::int64_t tokens = 100;  ///< asked of each answer
  std::string model = "bench";
  std::string dialect = "vllm";
  const Emitter* emitter = nullptr;  ///< null: the server is not ours, and the window is the turn
  std::optional<Stall> stall;        ///< of the load thread; the bare loop is never stalled
  bool stamps = true;                ///< look at send times and stamps; else only count
  bool kernel_stamps = false;        ///< of the bare loop: asks for them, as the client always does
};

/// What a reader's turn gave. Of the window: arrivals, cpu, run_queue_wait, others.
struct TurnReading {
  explicit TurnReading(std::size_t streams) : arrivals(streams) {}

  ArrivalMeter arrivals;
  std::int64_t events = 0;  ///< token events, of the whole turn
  std::int64_t failed = 0;  ///< requests
  Seconds wall;             ///< from the first connection to the end of the last answer
  Seconds cpu;              ///< of the thread that reads
  Seconds run_queue_wait;   ///< of the same
  Seconds others;           ///< CPU time of the process's other threads
  Seconds whole_cpu;        ///< of the thread that reads, in the whole turn
  // Of the load client only.
  Seconds connecting;               ///< from the first connection to the last request sent
  Seconds queue_full;               ///< in the whole turn
  Seconds whole_process;            ///< of all threads, in the whole turn
  std::vector<double> tpot_ms;      ///< of each answer with several token events
  std::string stamps;               ///< kernel or user
  std::optional<double> memory_mb;  ///< highest growth of the resident set meanwhile
};

/// What the load client is asked for so that it reads that.
LoadOptions load_options_of(const TurnPlan& plan);

/// Reads with epoll and recvmsg and nothing else: a connection each, one thread, bytes looked at
/// for counting events and their send times only.
Result<TurnReading> read_bare(const TurnPlan& plan, SystemClock& clock);
/// Reads with the load client, one load thread.
Result<TurnReading> read_with_client(const TurnPlan& plan, SystemClock& clock);

}  // namespace tokenjoule
