#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "model/event.hpp"
#include "model/token_times.hpp"
#include "sim/simulation.hpp"
#include "sim/virtual_run.hpp"

namespace tokenjoule {

/// The client of a virtual run: as many streams as asked for, each sending its next request when
/// the last one is answered, over a network of constant delay.
class VirtualClient {
 public:
  VirtualClient(const VirtualRunOptions& options, Simulation& simulation, EventSink sink);

  /// Every stream sends its first request.
  void start(MonoTime at);
  /// Requests sent from here on are not of the warm-up.
  void begin_window() { warmup_ = false; }
  /// No further requests.
  void stop() { stopped_ = true; }
  /// What is under way is given up and recorded as cancelled.
  void cancel_all(MonoTime at);

  /// When the next request reaches the server; nullopt: none is on its way.
  std::optional<MonoTime> next_arrival() const;
  /// Hands over what arrives by `now`.
  void deliver(MonoTime now);
  /// Takes what a step that ended at `end` gave.
  void take(const std::vector<EngineOutput>& outputs, MonoTime end);

  std::int64_t in_flight() const;
  std::int64_t take_reads();

 private:
  struct Request {
    RequestRecord record;
    std::int64_t prompt_tokens = 0;
    std::int64_t max_tokens = 0;
    std::int64_t generated = 0;
    TokenTimesWriter times{MonoTime{}};
    bool fails_in_stream = false;  ///< faults
    bool disconnects = false;
  };
  void send_next(MonoTime at);
  void hand_over(Request request, MonoTime at);
  bool refused(Request& request, MonoTime at);
  void receive(Request& request, const EngineOutput& output, MonoTime at);
  bool fails(Request& request, const EngineOutput& output, MonoTime at);
  void complete(Request& request, const EngineOutput& output, MonoTime at);
  void finish(Request& request, MonoTime at);
  std::int64_t length_around(std::int64_t mean, std::uint64_t stream);
  MonoTime next_stamp(MonoTime earliest);

  const VirtualRunOptions& options_;
  Simulation& simulation_;
  EventSink sink_;
  std::multimap<MonoTime, Request> on_their_way_;
  std::unordered_map<std::uint64_t, Request> under_way_;
  std::uint64_t sent_ = 0;
  std::int64_t arrived_ = 0;
  std::int64_t reads_ = 0;
  MonoTime last_stamp_;
  bool warmup_ = true;
  bool stopped_ = false;
};

}  // namespace tokenjoule
