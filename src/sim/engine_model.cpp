#include "sim/engine_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/random.hpp"

namespace tokenjoule {

namespace {

std::int64_t blocks_for(std::int64_t tokens) {
  return (tokens + EngineModel::kBlockTokens - 1) / EngineModel::kBlockTokens;
}

/// Length of an answer that ends by itself: at least one token, exponential around the mean.
std::int64_t own_length(std::int64_t mean, std::uint64_t seed, std::uint64_t ordinal) {
  Random random(seed, ordinal);
  return 1 + std::llround(random.exponential(static_cast<double>(mean - 1)));
}

}  // namespace

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop: return "stop";
    case FinishReason::length: return "length";
    case FinishReason::abort: return "abort";
  }
  return "abort";
}

EngineModel::EngineModel(const EngineParameters& parameters, std::uint64_t seed)
    : parameters_(parameters),
      seed_(seed),
      total_blocks_(parameters.kv_cache_tokens / kBlockTokens),
      free_blocks_(total_blocks_) {}

void EngineModel::submit(const EngineRequest& request) {
  TJ_ASSERT(request.prompt_tokens + request.max_tokens <= parameters_.max_model_len);
  Sequence sequence;
  sequence.request = request;
  sequence.target = request.max_tokens;
  sequence.goal = request.prompt_tokens;
  if (!request.ignore_eos) {
    const std::int64_t own = own_length(parameters_.mean_output_tokens, seed_, submitted_);
    const std::int64_t length = std::max(own, request.min_tokens);
    if (length < request.max_tokens) {
      sequence.target = length;
      sequence.end = FinishReason::stop;
    }
  }
  ++submitted_;
  waiting_.push_back(sequence);
}

void EngineModel::abort(std::uint64_t id) {
  const auto same = [id](const Sequence& sequence) { return sequence.request.id == id; };
  if (const auto found = std::find_if(waiting_.begin(), waiting_.end(), same);
      found != waiting_.end()) {
    waiting_.erase(found);
    ++counts_.aborted;
    return;
  }
  const auto found = std::find_if(running_.begin(), running_.end(), same);
  if (found == running_.end() || found->aborted) return;
  found->aborted = true;  // it may be in the step under way: leaves before the next one
  ++counts_.aborted;
}

void EngineModel::release(Sequence& sequence) {
  free_blocks_ += sequence.blocks;
  sequence.blocks = 0;
}

void EngineModel::drop_aborted() {
  for (Sequence& sequence : running_) {
    if (sequence.aborted) release(sequence);
  }
  std::erase_if(running_, [](const Sequence& sequence) { return sequence.aborted; });
}

std::int64_t EngineModel::decode_tokens(const Sequence& sequence) const {
  const std::int64_t asked = sequence.request.tokens_per_event;
  const std::int64_t per_event = asked > 0 ? asked : parameters_.tokens_per_event;
  return std::min(per_event, sequence.target - sequence.generated);
}

std::optional<StepWork> EngineModel::plan_step(MonoTime begin) {
  drop_aborted();
  if (running_.empty() && waiting_.empty()) return std::nullopt;
  StepWork work;
  std::int64_t budget =
      parameters_.paced_tokens_per_second ? INT64_MAX / 2 : parameters_.max_num_batched_tokens;
  const std::int64_t preempted_before = counts_.preemptions;
  plan_running(begin, budget, work);
  // Whoever was pushed out of the cache would be let in again at once and push out the next.
  if (counts_.preemptions == preempted_before) plan_waiting(budget, work);
  return work;
}

void EngineModel::plan_running(MonoTime begin, std::int64_t& budget, StepWork& work) {
  for (Sequence& sequence : running_) sequence.planned = 0;
  const MonoTime end = begin + parameters_.paced_step;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = running_[i];
    if (sequence.computed < sequence.goal) {
      plan_prefill(sequence, budget, work);
      continue;
    }
    if (parameters_.paced_tokens_per_second && sequence.due >= end) continue;
    const std::int64_t tokens = std::min(decode_tokens(sequence), budget);
    if (tokens == 0) continue;
    if (!make_room(i, tokens)) break;  // it was pushed out itself, and it was the last
    const std::int64_t context = sequence.request.prompt_tokens + sequence.generated;
    sequence.planned = tokens;
    budget -= tokens;
    work.decode_tokens += tokens;
    work.context_tokens += context;
  }
}

void EngineModel::plan_prefill(Sequence& sequence, std::int64_t& budget, StepWork& work) const {
  std::int64_t chunk = std::min(sequence.goal - sequence.computed, budget);
  if (parameters_.paced_tokens_per_second) {
    // Paced: every prompt takes its own time, however many there are.
    const double per_step = to_seconds(parameters_.paced_step) / parameters_.per_prefill_token;
    chunk = std::min(chunk, std::max<std::int64_t>(1, std::llround(per_step)));
  }
  sequence.planned = chunk;
  budget -= chunk;
  work.prefill_tokens += chunk;
}

/// Gets blocks for `tokens` more of running_[index], pushing out the latest ones where needed.
/// False if that was itself.
bool EngineModel::make_room(std::size_t index, std::int64_t tokens) {
  const Sequence& sequence = running_[index];
  const std::int64_t held = sequence.request.prompt_tokens + sequence.generated + tokens;
  const std::int64_t more = std::max<std::int64_t>(0, blocks_for(held) - sequence.blocks);
  while (free_blocks_ < more) {
    const bool itself = index + 1 == running_.size();
    preempt_last();
    if (itself) return false;
  }
  running_[index].blocks += more;
  free_blocks_ -= more;
  return true;
}

/// The one that came last gives its blocks back and computes everything anew later.
void EngineModel::preempt_last() {
  Sequence sequence = running_.back();
  running_.pop_back();
  release(sequence);
  sequence.computed = 0;
  sequence.planned = 0;
  sequence.goal = sequence.request.prompt_tokens + sequence.generated;
  waiting_.push_front(sequence);
  ++counts_.preemptions;
}

void EngineModel::plan_waiting(std::int64_t& budget, StepWork& work) {
  while (!waiting_.empty() && budget > 0 && running() < parameters_.max_num_seqs) {
    const std::int64_t blocks = blocks_for(waiting_.front().goal + 1);
    if (blocks > free_blocks_) break;  // in order of arrival: nobody overtakes
    free_blocks_ -= blocks;
    running_.push_back(waiting_.front());
    waiting_.pop_front();
    running_.back().blocks = blocks;
    plan_prefill(running_.back(), budget, work);
  }
}

const std::vector<EngineOutput>& EngineModel::end_step(MonoTime end) {
  outputs_.clear();
  ++counts_.steps;
  for (Sequence& sequence : running_) {
    if (sequence.planned > 0 && !sequence.aborted) end_for(sequence, end);
  }
  std::erase_if(running_, [](const Sequence& sequence) {
    return sequence.generated == sequence.target && !sequence.aborted;
  });
  return outputs_;
}

void EngineModel::end_for(Sequence& sequence, MonoTime end) {
  EngineOutput output;
  output.id = sequence.request.id;
  if (sequence.computed < sequence.goal) {
    sequence.computed += sequence.planned;
    if (sequence.computed < sequence.goal) return;
    output.tokens = 1;  // the step that completes a prompt gives one token
    output.first = sequence.generated == 0;
    if (output.first) counts_.prompt_tokens += sequence.request.prompt_tokens;
  } else {
    output.tokens = sequence.planned;
  }
  sequence.generated += output.tokens;
  counts_.output_tokens += output.tokens;
  if (parameters_.paced_tokens_per_second) sequence.due = next_due(sequence, end);
  if (sequence.generated == sequence.target) {
    output.finish = sequence.end;
    ++(sequence.end == FinishReason::stop ? counts_.stopped : counts_.length_limited);
    counts_.prompt_lengths.add(sequence.request.prompt_tokens);
    counts_.output_lengths.add(sequence.generated);
    release(sequence);
  }
  outputs_.push_back(output);
}

/// Paced: an interval after the last due time. The first gap is drawn from half to one and a half
/// intervals, so that streams that began together spread over the interval.
MonoTime EngineModel::next_due(const Sequence& sequence, MonoTime end) const {
  const double rate = parameters_.paced_tokens_per_second.value_or(1);
  const Seconds interval(static_cast<double>(decode_tokens(sequence)) / rate);
  if (sequence.due.ns == 0) {
    const double phase = 0.5 + Random(seed_ + 1, sequence.request.id).uniform();
    return end + to_nanoseconds(interval * phase);
  }
  // What was missed while the engine stood still is not made up for.
  return std::max(sequence.due + to_nanoseconds(interval), end);
}

double EngineModel::cache_use() const {
  return static_cast<double>(total_blocks_ - free_blocks_) / static_cast<double>(total_blocks_);
}

}  // namespace tokenjoule
