#include "sim/engine_model.hpp"

#include <map>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

EngineRequest request(std::uint64_t id, std::int64_t prompt, std::int64_t tokens) {
  return {.id = id, .prompt_tokens = prompt, .max_tokens = tokens, .ignore_eos = true};
}

struct Total {
  std::int64_t tokens = 0;
  std::int64_t firsts = 0;
  std::optional<FinishReason> finish;
};

/// Runs steps of 1 ms until there is no work, or `steps` are done.
std::map<std::uint64_t, Total> run_steps(EngineModel& engine, int steps) {
  std::map<std::uint64_t, Total> totals;
  for (int i = 0; i < steps; ++i) {
    const MonoTime begin = MonoTime{} + milliseconds(i);
    if (!engine.plan_step(begin)) break;
    for (const EngineOutput& output : engine.end_step(begin + milliseconds(1))) {
      Total& total = totals[output.id];
      total.tokens += output.tokens;
      total.firsts += output.first ? 1 : 0;
      if (output.finish) total.finish = output.finish;
    }
  }
  return totals;
}

TEST(EngineModel, HasNoStepWithoutARequest) {
  EngineModel engine({}, 1);
  EXPECT_FALSE(engine.plan_step({}).has_value());
}

TEST(EngineModel, PrefillsThenDecodesOneTokenAStep) {
  EngineModel engine({}, 1);
  engine.submit(request(1, 10, 3));
  const auto prefill = engine.plan_step({});
  EXPECT_EQ(prefill->prefill_tokens, 10);
  EXPECT_EQ(prefill->decode_tokens, 0);
  const auto first = engine.end_step({});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(first[0].first);
  EXPECT_EQ(first[0].tokens, 1);
  const auto decode = engine.plan_step({});
  EXPECT_EQ(decode->decode_tokens, 1);
  EXPECT_EQ(decode->context_tokens, 11);  // the prompt and the token before
  EXPECT_FALSE(engine.end_step({})[0].finish.has_value());
  engine.plan_step({});
  EXPECT_EQ(engine.end_step({})[0].finish, FinishReason::length);
  EXPECT_EQ(engine.counts().output_tokens, 3);
  EXPECT_EQ(engine.counts().prompt_tokens, 10);
  EXPECT_EQ(engine.running(), 0);
  EXPECT_EQ(engine.cache_use(), 0);
}

TEST(EngineModel, CountsAPromptWholeInTheStepThatEndsItsChunks) {
  EngineParameters parameters;
  parameters.max_num_batched_tokens = 4;
  EngineModel engine(parameters, 1);
  engine.submit(request(1, 10, 1));
  for (const std::int64_t chunk : {4, 4, 2}) {
    EXPECT_EQ(engine.counts().prompt_tokens, 0);
    EXPECT_EQ(engine.plan_step({})->prefill_tokens, chunk);
    engine.end_step({});
  }
  EXPECT_EQ(engine.counts().prompt_tokens, 10);
}

TEST(EngineModel, LetsWaitWhoDoesNotFitTheBatch) {
  EngineParameters parameters;
  parameters.max_num_seqs = 2;
  EngineModel engine(parameters, 1);
  for (std::uint64_t id = 1; id <= 3; ++id) engine.submit(request(id, 5, 4));
  engine.plan_step({});
  EXPECT_EQ(engine.running(), 2);
  EXPECT_EQ(engine.waiting(), 1);
  engine.end_step({});
  const auto totals = run_steps(engine, 100);
  EXPECT_EQ(totals.at(3).tokens, 4);
}

EngineParameters small_cache() {
  EngineParameters parameters;
  parameters.kv_cache_tokens = 5 * EngineModel::kBlockTokens;
  parameters.max_model_len = 64;
  return parameters;
}

TEST(EngineModel, LetsWaitWhoDoesNotFitTheCache) {
  EngineModel engine(small_cache(), 1);
  for (std::uint64_t id = 1; id <= 3; ++id) engine.submit(request(id, 31, 1));
  engine.plan_step({});
  EXPECT_EQ(engine.running(), 2);  // two blocks each of five
  EXPECT_EQ(engine.waiting(), 1);
  EXPECT_DOUBLE_EQ(engine.cache_use(), 0.8);
}

TEST(EngineModel, PreemptsTheLatestWhenTheCacheIsFullAndLosesNoToken) {
  EngineModel engine(small_cache(), 1);
  engine.submit(request(1, 30, 30));  // both grow to four blocks of five
  engine.submit(request(2, 30, 30));
  const auto totals = run_steps(engine, 1000);
  EXPECT_GE(engine.counts().preemptions, 1);
  EXPECT_EQ(totals.at(1).tokens, 30);
  EXPECT_EQ(totals.at(2).tokens, 30);
  EXPECT_EQ(totals.at(2).firsts, 1);
  EXPECT_EQ(engine.counts().output_tokens, 60);
  EXPECT_EQ(engine.counts().prompt_tokens, 60);  // computed anew, counted once
  EXPECT_EQ(engine.cache_use(), 0);
}

TEST(EngineModel, GivesAnAbortedRequestNothingMore) {
  EngineModel engine({}, 1);
  engine.submit(request(1, 5, 100));
  run_steps(engine, 3);
  engine.plan_step({});
  engine.abort(1);
  EXPECT_TRUE(engine.end_step({}).empty());
  EXPECT_FALSE(engine.plan_step({}).has_value());
  EXPECT_EQ(engine.counts().output_tokens, 3);  // what it got stays counted
  EXPECT_EQ(engine.counts().aborted, 1);
  EXPECT_EQ(engine.cache_use(), 0);
}

TEST(EngineModel, EndsByItselfAtALengthThatTheSeedFixes) {
  std::int64_t lengths[2] = {};
  for (std::int64_t& length : lengths) {
    EngineModel engine({}, 7);
    EngineRequest own = request(1, 5, 10'000);
    own.ignore_eos = false;
    engine.submit(own);
    const auto totals = run_steps(engine, 20'000);
    EXPECT_EQ(totals.at(1).finish, FinishReason::stop);
    length = totals.at(1).tokens;
  }
  EXPECT_EQ(lengths[0], lengths[1]);
  EXPECT_LT(lengths[0], 10'000);
}

TEST(EngineModel, GivesSeveralTokensAStepOnRequest) {
  EngineModel engine({}, 1);
  EngineRequest several = request(1, 5, 8);
  several.tokens_per_event = 3;
  engine.submit(several);
  std::vector<std::int64_t> tokens;
  while (engine.plan_step({})) tokens.push_back(engine.end_step({})[0].tokens);
  EXPECT_EQ(tokens, (std::vector<std::int64_t>{1, 3, 3, 1}));
}

TEST(EngineModel, PacedStreamsGetTheirRate) {
  EngineParameters parameters;
  parameters.paced_tokens_per_second = 20;
  EngineModel engine(parameters, 1);
  for (std::uint64_t id = 1; id <= 50; ++id) engine.submit(request(id, 40, 1000));
  const auto totals = run_steps(engine, 10'000);
  for (const auto& [id, total] : totals) {
    // 10 s at 20/s, but for the 1 ms prompt, the first gap of 25 to 75 ms and the first token.
    EXPECT_GE(total.tokens, 199);
    EXPECT_LE(total.tokens, 201);
  }
}

}  // namespace
}  // namespace tokenjoule
