#include "load/data/request_pool.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/file.hpp"

namespace tokenjoule {
namespace {

constexpr const char* kTraces = TOKENJOULE_SOURCE_DIR "/../shared/data/traces/";

TEST(AzureTrace, GivesLengthsAndTimesFromItsFirstRow) {
  const auto pool = request_pool_in(DataSetKind::azure,
                                    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                                    "2023-11-16 18:15:59.5000000,374,44\r\n"
                                    "2023-11-16 18:16:00.7500000,396,109\r\n"
                                    "2023-11-17 18:15:59.5000000,1,0\r\n"
                                    "2023-11-17 18:15:59.5000000,1,2");
  ASSERT_TRUE(pool);
  ASSERT_EQ(pool->entries.size(), 3U);
  EXPECT_EQ(pool->left_out, 1);  // the one without an answer
  EXPECT_EQ(pool->entries[0].input, 374);
  EXPECT_EQ(pool->entries[0].output, 44);
  EXPECT_EQ(pool->entries[0].arrival, Nanoseconds{0});
  EXPECT_EQ(pool->entries[1].arrival, milliseconds(1250));
  EXPECT_EQ(pool->entries[2].arrival, whole_seconds(86'400));
}

TEST(AzureTrace, NamesTheLineThatIsNone) {
  const std::string header = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  const auto message = [](const std::string& bytes) {
    return request_pool_in(DataSetKind::azure, bytes).error().message;
  };
  EXPECT_EQ(message("a,b,c\n"), "line 1 is not the header of an Azure trace");
  EXPECT_EQ(message(header + "2023-11-16 18:15:46,1\n"), "line 2 does not have three columns");
  EXPECT_EQ(message(header + "yesterday,1,2\n"),
            "line 2 has a cell that is no time or no number of tokens");
  EXPECT_EQ(message(header), "there is no request in this file");
}

TEST(AzureTrace, IsThePublishedOne) {
  const std::string path = std::string(kTraces) + "azure_llm_2023_conv.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no trace at " << path;
  const auto pool = request_pool_of(DataSetKind::azure, path);
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(pool->entries.size() + static_cast<std::size_t>(pool->left_out), 19'366U);
  double input = 0;
  double output = 0;
  for (const PoolEntry& entry : pool->entries) {
    input += static_cast<double>(entry.input);
    output += static_cast<double>(entry.output);
  }
  const auto count = static_cast<double>(pool->entries.size());
  EXPECT_NEAR(input / count, 1154.7, 0.05);  // Patel et al., Splitwise, ISCA 2024
  EXPECT_NEAR(output / count, 211.1, 0.05);
  EXPECT_EQ(pool->sha256.size(), 64U);
}

TEST(MooncakeTrace, GivesBlocksThatRequestsShare) {
  const auto pool = request_pool_in(
      DataSetKind::mooncake,
      R"({"timestamp": 3000, "input_length": 600, "output_length": 5, "hash_ids": [0, 7]}
{"timestamp": 1000, "input_length": 512, "output_length": 9, "hash_ids": [0]}
)");
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->entries[0].output, 9);  // in the order of their times
  EXPECT_EQ(pool->entries[1].arrival, whole_seconds(2));
  EXPECT_EQ(pool->entries[1].blocks, (std::vector<std::uint64_t>{0, 7}));
}

TEST(MooncakeTrace, MayHaveSeveralRequestsAtOnceAndOneBehindItsTurn) {
  const auto row = [](int ms, int tokens) {
    return fmt::format(
        R"({{"timestamp": {}, "input_length": {}, "output_length": 1, "hash_ids": [0]}})"
        "\n",
        ms, tokens);
  };
  const auto pool =
      request_pool_in(DataSetKind::mooncake,
                      row(2000, 1) + row(2000, 2) + row(2000, 3) + row(1000, 4) + row(5000, 5));
  ASSERT_TRUE(pool) << pool.error().message;
  std::vector<std::int64_t> inputs;
  for (const PoolEntry& entry : pool->entries) inputs.push_back(entry.input);
  EXPECT_EQ(inputs, (std::vector<std::int64_t>{4, 1, 2, 3, 5}));
  const ArrivalTrace twice_as_fast = arrivals_of(*pool, 2, 1);
  EXPECT_EQ(twice_as_fast.offsets,
            (std::vector<Nanoseconds>{milliseconds(0), milliseconds(500), milliseconds(500),
                                      milliseconds(500), milliseconds(2000)}));
}

TEST(MooncakeTrace, IsThePublishedOne) {
  const std::string path = std::string(kTraces) + "mooncake_conversation_first3000.jsonl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no trace at " << path;
  const auto pool = request_pool_of(DataSetKind::mooncake, path);
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(pool->entries.size(), 3000U);
  EXPECT_EQ(pool->entries[0].input, 6758);
  EXPECT_EQ(pool->entries[0].blocks.size(), 14U);  // 13 whole blocks and a part
}

TEST(OwnRequests, MayHaveTextsOrLengthsTimesAndModels) {
  const auto pool = request_pool_in(DataSetKind::jsonl,
                                    R"({"prompt": "Why?", "output_tokens": 10}
{"input_tokens": 512, "model": "adapter"})");
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->entries[0].prompt, "Why?");
  EXPECT_EQ(pool->entries[0].output, 10);
  EXPECT_EQ(pool->entries[1].input, 512);
  EXPECT_EQ(pool->entries[1].output, 0);
  EXPECT_EQ(pool->entries[1].model, "adapter");
  EXPECT_FALSE(pool->has_arrivals());
}

TEST(OwnRequests, AreRefusedWithTheLineAndAnExample) {
  const auto message = [](const std::string& bytes) {
    return request_pool_in(DataSetKind::jsonl, bytes).error().message;
  };
  EXPECT_EQ(message("{\"output_tokens\": 3}"), "line 1 has no prompt");
  EXPECT_EQ(message("{\"prompt\": \"a\"}\n[]"), "line 2 is no JSON object");
  EXPECT_EQ(message("{\"input_tokens\": 0}"), "line 1 has a length that is no number of tokens");
  EXPECT_EQ(message("{\"prompt\": \"a\", \"at_s\": -1}"), "line 1 has an at_s that is no time");
  EXPECT_EQ(message("{\"prompt\": \"a\", \"at_s\": 1}\n{\"prompt\": \"a\"}"),
            "only 1 of 2 requests say when they came");
}

TEST(OwnRequests, ThatNearlyNameALengthOrATimeAreRefused) {
  const auto said = [](const std::string& line) {
    const auto pool = request_pool_in(DataSetKind::jsonl, line);
    return pool ? std::string() : pool.error().message;
  };
  EXPECT_EQ(said(R"({"prompt": "a", "output_token": 5})"),
            "line 1 has a member output_token (did you mean output_tokens?)");
  EXPECT_EQ(said(R"({"turns": [{"input_token": 5, "output_tokens": 3}]})"),
            "line 1 has a member input_token (did you mean input_tokens?)");
  EXPECT_EQ(said(R"({"prompt": "a", "model": 5})"), "line 1 has a model that is no name");
  EXPECT_EQ(said(R"({"prompt": "a", "id": 5, "category": "x", "reference": "y"})"), "");
}

TEST(OwnRequests, WithALengthOfAnotherKindAreNotSaidToLackAPrompt) {
  const auto message = [](const char* line) {
    return request_pool_in(DataSetKind::jsonl, line).error().message;
  };
  EXPECT_EQ(message(R"({"input_tokens": 1.5})"), "line 1 has a length that is no number of tokens");
  EXPECT_EQ(message(R"({"input_tokens": "5"})"), "line 1 has a length that is no number of tokens");
}

TEST(Conversations, WhatWouldBeLeftOutIsRefused) {
  const auto message = [](const char* line) {
    return request_pool_in(DataSetKind::jsonl, line).error().message;
  };
  EXPECT_EQ(message(R"({"turns": [{"prompt": "a"}], "prompt": "b"})"),
            "line 1 has turns and, beside them, its own prompt");
  EXPECT_EQ(message(R"({"turns": [{"prompt": "a"}], "output_tokens": 5})"),
            "line 1 has turns and, beside them, its own output_tokens");
  EXPECT_EQ(message(R"({"turns": [{"prompt": "a", "think_s": 2}]})"),
            "line 1 has a think_s that no answer comes before");
  EXPECT_EQ(message(R"({"prompt": "a", "think_s": 2})"),
            "line 1 has a think_s that no answer comes before");
}

TEST(Conversations, HaveTurnsWithAnswersAndThinkTime) {
  const auto pool = request_pool_in(
      DataSetKind::jsonl,
      R"({"turns": [{"input_tokens": 100, "output_tokens": 20}, {"input_tokens": 30, "think_s": 1.5}]})");
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(pool->entries[0].input, 100);
  ASSERT_EQ(pool->entries[0].later.size(), 1U);
  EXPECT_EQ(pool->entries[0].later[0].input, 30);
  EXPECT_EQ(pool->entries[0].later[0].think, milliseconds(1500));
  const auto lacking =
      request_pool_in(DataSetKind::jsonl, R"({"turns": [{"prompt": "a"}, {"prompt": "b"}]})");
  EXPECT_EQ(lacking.error().message,
            "line 1 has a turn without the answer that the next one follows");
  const auto mixed = request_pool_in(
      DataSetKind::jsonl, R"({"turns": [{"prompt": "a", "answer": "b"}, {"input_tokens": 3}]})");
  EXPECT_EQ(mixed.error().message, "line 1 has turns with a prompt and turns without");
}

TEST(ShareGpt, TakesTheFirstQuestionAndItsAnswer) {
  auto pool = request_pool_in(DataSetKind::sharegpt, R"([
    {"conversations": [{"from": "human", "value": "One two?"}, {"from": "gpt", "value": "Three."}]},
    {"conversations": [{"from": "gpt", "value": "I begin."}]},
    {"conversations": []}])");
  ASSERT_TRUE(pool);
  ASSERT_EQ(pool->entries.size(), 1U);
  EXPECT_EQ(pool->left_out, 2);
  EXPECT_EQ(pool->entries[0].prompt, "One two?");
  count_texts(
      *pool, [](std::string_view text) { return text.size(); }, 1);
  EXPECT_EQ(pool->entries[0].input, 8);
  EXPECT_EQ(pool->entries[0].output, 6);
  EXPECT_EQ(pool->lengths, "engine");
}

TEST(ShareGpt, ThatIsBrokenIsAUsageErrorThatShowsTheForm) {
  const auto pool = request_pool_in(DataSetKind::sharegpt, R"([{"conversations": [)");
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().kind, ErrorKind::usage);
  EXPECT_NE(pool.error().hint.find("conversations"), std::string::npos);
}

TEST(RequestPool, AnErrorInAFileNamesFileAndLine) {
  const std::string path = testing::TempDir() + "/broken.jsonl";
  std::filesystem::remove(path);
  ASSERT_TRUE(write_new_file(path, "{\"prompt\": \"a\"}\n{\"prompt\": 5}\n"));
  const auto pool = request_pool_of(DataSetKind::jsonl, path);
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().message, path + ":2: has no prompt");
  EXPECT_NE(pool.error().hint, "");
}

TEST(CountTexts, EstimatesFourBytesATokenWhereTheEngineDoesNotCount) {
  auto pool = request_pool_in(DataSetKind::jsonl, "{\"prompt\": \"123456789\"}").value();
  count_texts(
      pool, [](std::string_view) { return std::nullopt; }, 1);
  EXPECT_EQ(pool.entries[0].input, 3);
  EXPECT_EQ(pool.lengths, "estimate");
}

TEST(CountTexts, KeepsAThousandOfMany) {
  RequestPool pool;
  for (int i = 0; i < 1500; ++i) pool.entries.push_back({.prompt = std::to_string(i)});
  count_texts(pool, {}, 1);
  EXPECT_EQ(pool.entries.size(), kMostTexts);
  EXPECT_NE(pool.entries[0].prompt, pool.entries[1].prompt);
}

TEST(ArrivalsOf, AreAsMuchFasterAsTheSpeed) {  // L41
  RequestPool pool;
  for (const std::int64_t second : {0, 0, 3, 6}) {
    pool.entries.push_back({.input = 1, .output = 1});
    pool.entries.back().arrival = whole_seconds(second);
  }
  const ArrivalTrace trace = arrivals_of(pool, 2, 1);
  EXPECT_EQ(trace.offsets[2], milliseconds(1500));
  EXPECT_EQ(trace.offsets[3], milliseconds(3000));
  EXPECT_EQ(trace.period, milliseconds(4000));  // three gaps of 1 s on average, and one more
}

}  // namespace
}  // namespace tokenjoule
