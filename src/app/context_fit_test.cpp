#include "app/context_fit.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

ProbedEngine engine_of(const std::string& context) {
  ProbedEngine engine;
  engine.info.configuration["max_model_len"] = {context, "reported"};
  return engine;
}

TEST(CheckContext, RefusesWhatIsOneTokenTooLong) {
  MeasureOptions options;  // 1024 and 128
  EXPECT_TRUE(check_context(options, engine_of("1152")).has_value());
  const Status refused = check_context(options, engine_of("1151"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(refused.error().message,
            "a request of 1024 prompt and 128 answer tokens is longer than the 1151 tokens that "
            "the engine takes (max_model_len)");
  options.prefix_len = 1;
  EXPECT_FALSE(check_context(options, engine_of("1152")).has_value());
}

TEST(CheckContext, OfSeveralServersNamesTheOneThatTakesLeast) {
  ProbedEngine engine = engine_of("1000");
  engine.shortest_context_url = "http://b:8000";
  const Status refused = check_context({}, engine);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "a request of 1024 prompt and 128 answer tokens is longer than the 1000 tokens that "
            "http://b:8000 takes (max_model_len)");
  engine.info.configuration["max_model_len"].from = "stated";  // by the user, for all of them
  EXPECT_NE(check_context({}, engine).error().message.find("that the engine takes"),
            std::string::npos);
}

TEST(CheckContext, TakesTheLongestOfAMixAndTheUpperEndOfARange) {
  MeasureOptions options;
  options.input_len = length_spec_in("100-200").value();
  EXPECT_FALSE(check_context(options, engine_of("327")).has_value());
  options.mix = length_mix_in("8192/1024:0.5,1024/8192:0.5").value();
  EXPECT_FALSE(check_context(options, engine_of("9215")).has_value());
  EXPECT_TRUE(check_context(options, engine_of("9216")).has_value());
}

TEST(CheckContext, SaysNothingWhereTheEngineStatesNothing) {
  EXPECT_TRUE(check_context({}, {}).has_value());
  EXPECT_TRUE(check_context({}, engine_of("null")).has_value());
  EXPECT_TRUE(check_context({}, engine_of("0")).has_value());
}

TEST(CheckContext, LeavesADataSetToBeCounted) {
  MeasureOptions options;
  options.dataset = DataSetKind::jsonl;
  EXPECT_TRUE(check_context(options, engine_of("10")).has_value());
  RequestPool pool;
  pool.entries = {{.input = 60, .output = 40}, {.input = 61, .output = 40}, {.input = 10}};
  pool.entries[2].output = 10;
  pool.entries[2].later = {{.input = 50, .output = 31}};  // 101 in its last turn
  const std::string words = too_long_words(options, pool, engine_of("100"));
  EXPECT_EQ(words.rfind("2 of 3 requests", 0), 0U) << words;
  EXPECT_EQ(too_long_words(options, pool, engine_of("101")), "");
}

}  // namespace
}  // namespace tokenjoule
