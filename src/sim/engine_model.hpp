#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "sim/options.hpp"

namespace tokenjoule {

enum class FinishReason { stop, length, abort };
std::string_view name_of(FinishReason reason);

struct EngineRequest {
  std::uint64_t id = 0;
  std::int64_t prompt_tokens = 1;
  std::int64_t max_tokens = 16;
  std::int64_t min_tokens = 1;
  bool ignore_eos = false;
  std::int64_t tokens_per_event = 0;  ///< 0: the engine's own
};

/// What one request got from a step.
struct EngineOutput {
  std::uint64_t id = 0;
  std::int64_t tokens = 0;
  bool first = false;                  ///< its prompt was completed in this step
  std::optional<FinishReason> finish;  ///< set with its last token
};

/// The work of one step, which its time and power follow from.
struct StepWork {
  std::int64_t prefill_tokens = 0;
  std::int64_t decode_tokens = 0;
  std::int64_t context_tokens = 0;  ///< cached tokens that the decoded ones read
};

/// How many finished requests had which length.
struct FinishedLengths {
  std::map<std::int64_t, std::int64_t> counts;  ///< by length
  std::int64_t sum = 0;
  void add(std::int64_t length) {
    ++counts[length];
    sum += length;
  }
};

/// What an engine counts, moving at the end of each step.
struct EngineCounts {
  std::int64_t steps = 0;
  std::int64_t output_tokens = 0;
  std::int64_t prompt_tokens = 0;  ///< whole prompts, in the step that completes them
  std::int64_t preemptions = 0;
  std::int64_t stopped = 0;
  std::int64_t length_limited = 0;
  std::int64_t aborted = 0;
  FinishedLengths prompt_lengths;  ///< of requests that came to their end
  FinishedLengths output_lengths;
};

/// Continuous batching with chunked prefill over a key-value cache of limited size. Pure: time is
/// handed in, and one seed gives one history.
class EngineModel {
 public:
  EngineModel(const EngineParameters& parameters, std::uint64_t seed);

  /// Prompt and answer must fit max_model_len.
  void submit(const EngineRequest& request);
  /// The request gets nothing more; what it got stays counted. An unknown id does nothing.
  void abort(std::uint64_t id);

  /// Chooses who takes part in the step that begins now; nullopt where there is nothing to do.
  /// Once before each end_step.
  std::optional<StepWork> plan_step(MonoTime begin);
  /// Ends the planned step. Outputs in order of admission, valid until the next call.
  const std::vector<EngineOutput>& end_step(MonoTime end);

  const EngineCounts& counts() const { return counts_; }
  std::int64_t running() const { return static_cast<std::int64_t>(running_.size()); }
  std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size()); }
  /// Share of the key-value cache in use, 0..1.
  double cache_use() const;
  std::int64_t cache_blocks() const { return total_blocks_; }

  static constexpr std::int64_t kBlockTokens = 16;

 private:
  struct Sequence {
    EngineRequest request;
    std::int64_t target = 0;  ///< tokens it will get
    FinishReason end = FinishReason::length;
    std::int64_t goal = 0;  ///< tokens to prefill: the prompt, and the answer so far if preempted
    std::int64_t computed = 0;  ///< of them
    std::int64_t generated = 0;
    std::int64_t planned = 0;  ///< tokens in the step under way: prefill if computed < goal
    std::int64_t blocks = 0;   ///< held in the cache
    bool aborted = false;
    MonoTime due;  ///< paced: when its next token is
  };

  void plan_running(MonoTime begin, std::int64_t& budget, StepWork& work);
  void plan_waiting(std::int64_t& budget, StepWork& work);
  void plan_prefill(Sequence& sequence, std::int64_t& budget, StepWork& work) const;
  bool make_room(std::size_t index, std::int64_t tokens);
  void preempt_last();
  void drop_aborted();
  void end_for(Sequence& sequence, MonoTime end);
  std::int64_t decode_tokens(const Sequence& sequence) const;
  MonoTime next_due(const Sequence& sequence, MonoTime end) const;
  void release(Sequence& sequence);

  EngineParameters parameters_;
  std::uint64_t seed_;
  std::uint64_t submitted_ = 0;
  std::int64_t total_blocks_;
  std::int64_t free_blocks_;
  std::vector<Sequence> running_;
  std::deque<Sequence> waiting_;
  std::vector<EngineOutput> outputs_;
  EngineCounts counts_;
};

}  // namespace tokenjoule
