#include "sim/generation_service.hpp"

#include <utility>

namespace tokenjoule {

namespace {

EngineRequest engine_request(const GenerationRequest& request, std::uint64_t id) {
  EngineRequest engine;
  engine.id = id;
  engine.prompt_tokens = request.prompt_tokens;
  engine.max_tokens = request.max_tokens;
  engine.min_tokens = request.min_tokens;
  engine.ignore_eos = request.ignore_eos;
  engine.tokens_per_event = request.tokens_per_event;
  return engine;
}

}  // namespace

GenerationService::GenerationService(const SimulatorOptions& options, Clock& clock)
    : options_(options),
      clock_(clock),
      simulation_(options),
      created_unix_s_(clock.wall_now().unix_ns / 1'000'000'000) {}

bool GenerationService::fault_hits(const std::optional<int>& every) const {
  return every && asked_ % *every == 0;
}

std::optional<ApiError> GenerationService::refusal() {
  ++asked_;
  if (fault_hits(options_.faults.http_429_every))
    return ApiError{429, "RateLimitError", "simulated: too many requests", ""};
  if (fault_hits(options_.faults.http_500_every))
    return ApiError{500, "InternalServerError", "simulated: the server failed", ""};
  return std::nullopt;
}

std::uint64_t GenerationService::begin(const GenerationRequest& request, bool keep_alive,
                                       Outbox& outbox, std::function<void(AnswerEnd)> on_end) {
  const auto id = static_cast<std::uint64_t>(asked_);
  const AnswerIdentity identity{options_.seed,           id,
                                created_unix_s_,         options_.model,
                                options_.faults.no_done, options_.faults.no_usage};
  auto answer = std::make_unique<Answer>(
      Answer{AnswerText(request, identity), request, keep_alive, &outbox, std::move(on_end)});
  answer->fails_in_stream = fault_hits(options_.faults.error_in_stream_every);
  answer->disconnects = fault_hits(options_.faults.disconnect_every);
  answers_[id] = std::move(answer);
  if (request.stream) outbox.send(stream_head(keep_alive));
  run_due_steps();
  simulation_.submit(engine_request(request, id), clock_.now());
  return id;
}

void GenerationService::abandon(std::uint64_t id) {
  if (answers_.erase(id) > 0) simulation_.abort(id);
}

void GenerationService::run_due_steps() {
  const MonoTime now = clock_.now();
  while (simulation_.step_end() && *simulation_.step_end() <= now) {
    for (const EngineOutput& output : simulation_.end_step(now)) give(output);
  }
}

GenerationService::Ending GenerationService::ending_of(const Answer& answer,
                                                       const EngineOutput& output) {
  const bool half_way = 2 * answer.text.output_tokens() >= answer.request.max_tokens;
  if (half_way || output.finish) {
    if (answer.disconnects) return Ending::reset;
    if (answer.fails_in_stream) return Ending::error;
  }
  return output.finish ? Ending::complete : Ending::none;
}

void GenerationService::give(const EngineOutput& output) {
  const auto found = answers_.find(output.id);
  if (found == answers_.end()) return;
  Answer& answer = *found->second;
  bytes_.clear();
  answer.text.add_tokens(bytes_, output.tokens, output.finish);
  answer.unsent_tokens += output.tokens;
  if (output.first) answer.unsent_prompt = answer.request.prompt_tokens;
  const Ending ending = ending_of(answer, output);
  add_ending(answer, ending);
  if (!bytes_.empty()) send(answer);
  if (ending != Ending::none) end(output.id, ending);
}

void GenerationService::add_ending(const Answer& answer, Ending ending) {
  if (ending == Ending::none || ending == Ending::reset) return;
  if (answer.request.stream) {
    ending == Ending::complete ? answer.text.add_end(bytes_) : answer.text.add_error_end(bytes_);
    return;
  }
  HttpAnswer whole;
  whole.status = ending == Ending::complete ? 200 : 500;
  whole.body = ending == Ending::complete
                   ? answer.text.body()
                   : json_of(ApiError{500, "InternalServerError", "simulated: the engine failed"});
  bytes_ += http_text(whole, answer.keep_alive);
}

/// Stamps the tokens, then sends them: nothing stands between.
void GenerationService::send(Answer& answer) {
  const MonoTime at = clock_.now();
  answer.outbox->send(bytes_);
  simulation_.count_sent(at, answer.unsent_tokens, answer.unsent_prompt);
  answer.unsent_tokens = 0;
  answer.unsent_prompt = 0;
}

void GenerationService::end(std::uint64_t id, Ending ending) {
  const auto answer = answers_.extract(id);
  if (ending != Ending::complete) simulation_.abort(id);
  answer.mapped()->on_end(ending == Ending::reset ? AnswerEnd::reset : AnswerEnd::sent);
}

}  // namespace tokenjoule
