#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "engines/dialect.hpp"
#include "load/workload.hpp"

namespace tokenjoule {

enum class RequestKind { warmup, measured };

/// A request ready to be sent.
struct PreparedRequest {
  std::uint64_t id = 0;
  RequestLengths asked;
  std::string model;  ///< where the load asks for several; else ""
  std::string body;
  std::optional<Nanoseconds> think;  ///< the conversation goes on so long behind the answer
};

/// Makes requests ahead of the load, in a thread of its own, so that no loop spends time on
/// prompts. Gives them out in the order of their numbers to any thread that asks: which requests
/// are sent does not depend on how many threads send them.
class RequestSource {
 public:
  /// Fills up before it returns: `ahead` requests of each kind, or as many as fit into kMostBytes.
  RequestSource(Workload workload, const EngineDialect& dialect, std::size_t ahead);

  /// The next request of that kind; made on the spot where none is ready. Once a measured one was
  /// taken, none are made ahead for the warm-up.
  PreparedRequest next(RequestKind kind);
  /// The next turn of the conversation that request `id` is a turn of; made on the spot.
  PreparedRequest next_turn(std::uint64_t id) const { return made(id + kTurnStride); }

 private:
  static constexpr std::size_t kMostBytes = 64 << 20;  ///< of ready bodies of one kind

  struct Shelf {
    std::uint64_t next_id = 0;
    std::deque<PreparedRequest> ready;
    std::size_t bytes = 0;
    std::size_t full = 0;  ///< the most that were ever ready
    bool wanted = true;
  };
  Shelf& shelf(RequestKind kind) { return kind == RequestKind::warmup ? warmup_ : measured_; }
  bool has_space(const Shelf& shelf) const;
  PreparedRequest made(std::uint64_t id) const;
  void fill(const std::stop_token& stop);

  Workload workload_;
  const EngineDialect& dialect_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable_any taken_;
  Shelf warmup_{.next_id = kFirstWarmupId};
  Shelf measured_;
  std::jthread maker_;  ///< last: it uses all of the above
};

}  // namespace tokenjoule
