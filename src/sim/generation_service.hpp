#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "io/clock.hpp"
#include "sim/answer_text.hpp"
#include "sim/generation_request.hpp"
#include "sim/http_message.hpp"
#include "sim/outbox.hpp"
#include "sim/simulation.hpp"

namespace tokenjoule {

/// How an answer ended, for the connection it went to.
enum class AnswerEnd { sent, reset };

/// The answers under way: runs the engine's steps on the clock and writes what each step gave to
/// each request. Single-threaded.
class GenerationService {
 public:
  /// `clock` must outlive it.
  GenerationService(const SimulatorOptions& options, Clock& clock);

  /// The refusal that a fault has for this request; nullopt lets it through. Once a request.
  std::optional<ApiError> refusal();
  /// Begins the request that `refusal` let through. `outbox` must stay until `on_end` was called,
  /// which happens once, or `abandon`.
  std::uint64_t begin(const GenerationRequest& request, bool keep_alive, Outbox& outbox,
                      std::function<void(AnswerEnd)> on_end);
  /// The client went away: nothing more is sent or called.
  void abandon(std::uint64_t id);

  /// Ends all steps that are over by now.
  void run_due_steps();
  std::optional<MonoTime> next_step_end() const { return simulation_.step_end(); }
  const Simulation& simulation() const { return simulation_; }

 private:
  struct Answer {
    AnswerText text;
    GenerationRequest request;
    bool keep_alive = true;
    Outbox* outbox = nullptr;
    std::function<void(AnswerEnd)> on_end;
    bool fails_in_stream = false;  ///< faults
    bool disconnects = false;
    std::int64_t unsent_tokens = 0;
    std::int64_t unsent_prompt = 0;
  };
  enum class Ending { none, complete, error, reset };
  static Ending ending_of(const Answer& answer, const EngineOutput& output);
  void give(const EngineOutput& output);
  void add_ending(const Answer& answer, Ending ending);
  void send(Answer& answer);
  void end(std::uint64_t id, Ending ending);
  bool fault_hits(const std::optional<int>& every) const;

  SimulatorOptions options_;
  Clock& clock_;
  Simulation simulation_;
  std::int64_t created_unix_s_;
  std::int64_t asked_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Answer>> answers_;
  std::string bytes_;  ///< scratch
};

}  // namespace tokenjoule
