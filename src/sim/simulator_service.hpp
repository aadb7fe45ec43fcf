#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "sim/generation_service.hpp"

namespace tokenjoule {

/// Which instant of the steady clock a wall time was, from anchors taken as time goes on.
class WallJoin {
 public:
  /// Takes an anchor if the last one is older than a second.
  void keep(Clock& clock);
  /// By the last anchor at or before `wall`; by the first one for what was earlier.
  MonoTime mono_of(WallTime wall) const;

 private:
  std::vector<ClockAnchor> anchors_;
};

/// Every path that the simulator answers.
class SimulatorService {
 public:
  /// `clock` must outlive it; its origin is the simulator's start.
  SimulatorService(const SimulatorOptions& options, Clock& clock);

  /// An answer, or the id of one that is written to `outbox` as the engine goes on, after which
  /// `on_end` is called.
  std::variant<HttpAnswer, std::uint64_t> take(const HttpQuestion& question, Outbox& outbox,
                                               std::function<void(AnswerEnd)> on_end);
  GenerationService& generation() { return generation_; }
  /// Ends the steps that are over by now.
  void run_due_steps();

 private:
  using Answerer = HttpAnswer (SimulatorService::*)(const HttpQuestion&);
  struct Route {
    std::string_view method;
    std::string_view path;
    Answerer answer;  ///< nullptr: a generation
  };
  static const std::vector<Route>& routes();

  std::optional<HttpAnswer> fault_answer(const HttpQuestion& question) const;
  std::variant<HttpAnswer, std::uint64_t> generate(const HttpQuestion& question, Outbox& outbox,
                                                   std::function<void(AnswerEnd)> on_end);
  HttpAnswer models(const HttpQuestion& question);
  HttpAnswer version(const HttpQuestion& question);
  HttpAnswer health(const HttpQuestion& question);
  HttpAnswer tokenize(const HttpQuestion& question);
  HttpAnswer engine_metrics(const HttpQuestion& question);
  HttpAnswer gpu_metrics(const HttpQuestion& question);
  HttpAnswer truth(const HttpQuestion& question);

  SimulatorOptions options_;
  Clock& clock_;
  WallTime started_;
  WallJoin wall_;
  GenerationService generation_;
};

}  // namespace tokenjoule
