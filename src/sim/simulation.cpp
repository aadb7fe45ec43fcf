#include "sim/simulation.hpp"

#include <algorithm>

namespace tokenjoule {

Simulation::Simulation(const SimulatorOptions& options)
    : options_(options),
      engine_(options.engine, options.seed),
      gpus_(options.gpu, options.seed),
      sensors_(gpus_, options_),
      jitter_(options.seed, 0x73746570) {}

void Simulation::submit(const EngineRequest& request, MonoTime now) {
  engine_.submit(request);
  if (!step_end_) begin_step(now);
}

const std::vector<EngineOutput>& Simulation::end_step(MonoTime now) {
  constexpr Nanoseconds kCatchUp = milliseconds(20);
  const MonoTime ended = *step_end_;
  step_end_.reset();
  const std::vector<EngineOutput>& outputs = engine_.end_step(ended);
  begin_step(now - ended > kCatchUp ? now : ended);
  return outputs;
}

void Simulation::begin_step(MonoTime at) {
  const MonoTime begin = after_stalls(at);
  const auto work = engine_.plan_step(begin);
  if (!work) return;
  const double jitter = 1 + options_.engine.step_jitter * (2 * jitter_.uniform() - 1);
  const StepCost cost =
      cost_of(*work, options_, drift_at(options_.drift, begin), jitter, gpus_.hottest());
  gpus_.add_step(begin, cost);
  step_end_ = begin + cost.length;
}

MonoTime Simulation::after_stalls(MonoTime at) const {
  for (const TimedFault& stall : options_.faults.stalls) {
    if (is_on(stall, at, 0)) at = mono_at(stall.at + stall.length.value_or(Seconds()));
  }
  return at;
}

void Simulation::count_sent(MonoTime at, std::int64_t output_tokens, std::int64_t prompt_tokens) {
  if (output_tokens > 0) output_tokens_.add(at, output_tokens);
  if (prompt_tokens > 0) prompt_tokens_.add(at, prompt_tokens);
}

Truth Simulation::truth(TimeSpan span) const {
  Truth truth;
  for (std::size_t i = 0; i < gpus_.gpus().size(); ++i) {
    const int gpu = static_cast<int>(i);
    const Joules joules = gpus_.energy(gpu, span.end) - gpus_.energy(gpu, span.begin);
    truth.by_gpu.push_back(joules);
    if (gpus_.gpus()[i].used_by_engine) truth.engine_gpus += joules;
  }
  truth.output_tokens = output_tokens_.before(span.end) - output_tokens_.before(span.begin);
  truth.prompt_tokens = prompt_tokens_.before(span.end) - prompt_tokens_.before(span.begin);
  return truth;
}

MonoTime Simulation::known_from() const {
  return std::max({gpus_.known_from(), output_tokens_.known_from(), prompt_tokens_.known_from()});
}

}  // namespace tokenjoule
