#include "load/workload.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

LoadOptions options_with(std::uint64_t seed, const std::string& nonce) {
  LoadOptions options;
  options.seed = seed;
  options.nonce = nonce;
  options.input_length = length_spec_in("80-120").value();
  options.output_length = length_spec_in("10-20").value();
  return options;
}

std::vector<std::int32_t> first_tokens(const Prompt& prompt) {
  return {prompt.token_ids.begin(), prompt.token_ids.begin() + kNonceTokens};
}
std::vector<std::int32_t> rest_of(const Prompt& prompt) {
  return {prompt.token_ids.begin() + kNonceTokens, prompt.token_ids.end()};
}

TEST(Workload, ARequestDependsOnSeedAndNumberOnlyNotOnTheOrderOfAsking) {
  const Workload forward(options_with(1, "n"), {});
  const Workload backward(options_with(1, "n"), {});
  std::vector<Prompt> prompts;
  for (std::uint64_t id = 0; id < 10; ++id) prompts.push_back(forward.spec(id).prompt);
  for (std::uint64_t id = 10; id-- > 0;) {
    EXPECT_EQ(backward.spec(id).prompt.token_ids, prompts[id].token_ids);
  }
}

TEST(Workload, LengthsAreWithinTheirBoundsAndPromptsAsLongAsAsked) {
  const Workload workload(options_with(3, "n"), {});
  for (std::uint64_t id = 0; id < 50; ++id) {
    const RequestLengths asked = workload.lengths(id);
    EXPECT_TRUE(asked.input >= 80 && asked.input <= 120 && asked.output >= 10 &&
                asked.output <= 20);
    const RequestSpec spec = workload.spec(id);
    EXPECT_EQ(spec.prompt.token_ids.size(), static_cast<std::size_t>(asked.input));
    EXPECT_EQ(spec.output_tokens, asked.output);
  }
}

TEST(Workload, ANewNonceChangesTheFirst64TokensAndNothingElse) {
  const Workload one(options_with(1, "first run"), {});
  const Workload two(options_with(1, "second run"), {});
  EXPECT_EQ(one.lengths(5).input, two.lengths(5).input);
  EXPECT_NE(first_tokens(one.spec(5).prompt), first_tokens(two.spec(5).prompt));
  EXPECT_EQ(rest_of(one.spec(5).prompt), rest_of(two.spec(5).prompt));
}

TEST(Workload, ANewSeedLeavesTheFirst64TokensToTheNonce) {
  const Workload one(options_with(1, "n"), {});
  const Workload two(options_with(2, "n"), {});
  EXPECT_EQ(first_tokens(one.prompt(5, 100)), first_tokens(two.prompt(5, 100)));
  EXPECT_NE(rest_of(one.prompt(5, 100)), rest_of(two.prompt(5, 100)));
}

TEST(Workload, AShortPromptComesWhollyFromTheNonce) {
  const Workload one(options_with(1, "n"), {});
  const Workload two(options_with(2, "n"), {});
  EXPECT_EQ(one.prompt(5, 8).token_ids, two.prompt(5, 8).token_ids);
  EXPECT_EQ(one.prompt(5, 8).token_ids.size(), 8U);
}

TEST(Workload, NoTwoRequestsShareAPrefixWarmupIncluded) {
  const Workload workload(options_with(1, "n"), {});
  std::set<std::vector<std::int32_t>> prefixes;
  for (std::uint64_t id = 0; id < 500; ++id) {
    const Prompt measured = workload.prompt(id, 8);
    const Prompt warmup = workload.prompt(kFirstWarmupId + id, 8);
    prefixes.insert(measured.token_ids);
    prefixes.insert(warmup.token_ids);
  }
  EXPECT_EQ(prefixes.size(), 1000U);
}

TEST(Workload, TokenIdsStayInTheSafePartOfTheVocabulary) {
  LoadOptions options = options_with(1, "n");
  options.vocabulary = 3000;
  for (const std::int32_t id : Workload(options, {}).prompt(0, 5000).token_ids) {
    EXPECT_TRUE(id >= 1000 && id < 3000);
  }
  options.vocabulary = 400;  // smaller than the usual lower bound: the upper half is used
  for (const std::int32_t id : Workload(options, {}).prompt(0, 500).token_ids) {
    EXPECT_TRUE(id >= 200 && id < 400);
  }
}

TEST(Workload, WhereIdsAreNotTakenPromptsAreWords) {
  LoadOptions options = options_with(1, "n");
  options.token_id_prompts = false;
  const Workload workload(options, WordSizes::measured_by({}));
  const Prompt prompt = workload.prompt(3, 70);
  EXPECT_TRUE(prompt.token_ids.empty());
  EXPECT_EQ(std::count(prompt.text.begin(), prompt.text.end(), ' '), 69);
}

TEST(Workload, AMixDrawsLengthsThatBelongTogether) {
  LoadOptions options = options_with(1, "n");
  options.mix = length_mix_in("800/10:3,100/80:1").value();
  const Workload workload(options, {});
  int longer = 0;
  for (std::uint64_t id = 0; id < 400; ++id) {
    const RequestLengths asked = workload.lengths(id);
    EXPECT_EQ(asked.output, asked.input == 800 ? 10 : 80);
    longer += asked.input == 800 ? 1 : 0;
  }
  EXPECT_NEAR(longer, 300, 35);  // 3/4 of 400; four standard deviations of 8.7
}

TEST(Workload, PermutedLengthsAreTheSameInEachPass) {
  LoadOptions options = options_with(1, "n");
  options.sampling = Sampling::permute;
  const Workload workload(options, {});
  std::multiset<std::int64_t> first, second;
  for (std::uint64_t id = 0; id < kPermutedLengths; ++id) {
    first.insert(workload.lengths(id).input);
    second.insert(workload.lengths(kPermutedLengths + id).input);
  }
  EXPECT_EQ(first, second);
}

TEST(Workload, ASharedPrefixStandsBeforePromptsThatStayUnique) {
  LoadOptions options = options_with(1, "n");
  options.prefix_tokens = 32;
  options.input_length = fixed_length(100);
  const Workload workload(options, {});
  EXPECT_EQ(workload.lengths(0).input, 132);
  const auto one = workload.spec(0).prompt.token_ids;
  const auto two = workload.spec(1).prompt.token_ids;
  ASSERT_EQ(one.size(), 132U);
  EXPECT_TRUE(std::equal(one.begin(), one.begin() + 32, two.begin()));
  EXPECT_FALSE(std::equal(one.begin() + 32, one.begin() + 40, two.begin() + 32));
  options.nonce = "another run";
  const auto other = Workload(options, {}).spec(0).prompt.token_ids;
  EXPECT_FALSE(std::equal(one.begin(), one.begin() + 32, other.begin()));
}

TEST(Workload, TextsOfADataSetAreSentAsTheyAreButNotInTheWarmup) {
  RequestPool pool;
  pool.entries = {{.input = 3, .output = 7, .prompt = "Why is it?"}, {.input = 5, .output = 0}};
  LoadOptions options = options_with(1, "n");
  options.pool = &pool;
  options.sampling = Sampling::sequential;
  options.output_length = fixed_length(9);
  const Workload workload(options, {});
  EXPECT_EQ(workload.spec(0).prompt.text, "Why is it?");
  EXPECT_EQ(workload.lengths(0).output, 7);
  EXPECT_EQ(workload.spec(1).prompt.token_ids.size(), 5U);
  EXPECT_EQ(workload.lengths(1).output, 9);
  EXPECT_EQ(workload.spec(2).prompt.text, "Why is it?");
  const RequestSpec warmup = workload.spec(kFirstWarmupId);
  EXPECT_TRUE(warmup.prompt.text.empty());
  EXPECT_EQ(warmup.prompt.token_ids.size(), 3U);
}

TEST(Workload, BlocksOfATraceAreSharedWithinAPassAndNotBetweenPasses) {
  RequestPool pool;
  pool.entries = {{.input = 600, .output = 1, .blocks = {0, 1}},
                  {.input = 700, .output = 1, .blocks = {0, 2}}};
  LoadOptions options = options_with(1, "n");
  options.pool = &pool;
  options.sampling = Sampling::sequential;
  const Workload workload(options, {});
  const auto first = workload.spec(0).prompt.token_ids;
  const auto second = workload.spec(1).prompt.token_ids;
  const auto again = workload.spec(2).prompt.token_ids;
  ASSERT_EQ(first.size(), 600U);
  ASSERT_EQ(second.size(), 700U);
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 512, second.begin()));
  EXPECT_FALSE(std::equal(first.begin() + 512, first.end(), second.begin() + 512));
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + 8, again.begin()));
}

TEST(Workload, ALaterTurnBeginsWithAllThatWasSaidBefore) {
  RequestPool pool;
  pool.entries = {{.input = 100, .output = 20}};
  pool.entries[0].later = {{.input = 30, .output = 5}};
  LoadOptions options = options_with(1, "n");
  options.pool = &pool;
  const Workload workload(options, {});
  const auto first = workload.spec(0).prompt.token_ids;
  const auto second = workload.spec(kTurnStride).prompt.token_ids;
  ASSERT_EQ(second.size(), 150U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
  EXPECT_TRUE(workload.think_after(0));
  EXPECT_FALSE(workload.think_after(kTurnStride));
  pool.entries[0].prompt = "Who?";
  pool.entries[0].answer = "I.";
  pool.entries[0].later[0].prompt = "Why?";
  EXPECT_EQ(workload.spec(kTurnStride).prompt.text, "Who?\n\nI.\n\nWhy?");
}

TEST(Workload, AConversationByChatIsAMessageEachInTurn) {
  RequestPool pool;
  pool.entries = {{.input = 3, .output = 2, .prompt = "Who?", .answer = "I."}};
  pool.entries[0].later = {{.input = 3, .output = 5, .prompt = "Why?", .answer = "So."},
                           {.input = 3, .output = 5, .prompt = "Ah?"}};
  LoadOptions options = options_with(1, "n");
  options.pool = &pool;
  options.endpoint = EndpointKind::chat;
  options.token_id_prompts = false;
  const RequestSpec spec = Workload(options, {}).spec(2 * kTurnStride);
  EXPECT_EQ(spec.earlier, (std::vector<std::string>{"Who?", "I.", "Why?", "So."}));
  EXPECT_EQ(spec.prompt.text, "Ah?");
}

TEST(Workload, AMadeUpConversationByChatKeepsItsFirstMessages) {
  RequestPool pool;
  pool.entries = {{.input = 30, .output = 20}};
  pool.entries[0].later = {{.input = 7, .output = 5}};
  LoadOptions options = options_with(1, "n");
  options.pool = &pool;
  options.endpoint = EndpointKind::chat;
  options.token_id_prompts = false;
  options.prefix_tokens = 4;
  const Workload workload(options, WordSizes::measured_by({}));
  const auto words = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ' ') + 1;
  };
  const RequestSpec first = workload.spec(0);
  const RequestSpec second = workload.spec(kTurnStride);
  EXPECT_TRUE(first.earlier.empty());
  EXPECT_EQ(words(first.prompt.text), 34);  // the shared prefix is a part of the first message
  ASSERT_EQ(second.earlier.size(), 2U);
  EXPECT_EQ(second.earlier[0], first.prompt.text);
  EXPECT_EQ(words(second.earlier[1]), 20);
  EXPECT_EQ(words(second.prompt.text), 7);
}

TEST(Workload, AdaptersAreAskedForByTheirWeights) {
  LoadOptions options = options_with(1, "n");
  options.models = model_shares_in("a=3,b").value();
  const Workload workload(options, {});
  int a = 0;
  for (std::uint64_t id = 0; id < 400; ++id) a += workload.spec(id).model == "a" ? 1 : 0;
  EXPECT_NEAR(a, 300, 35);
}

}  // namespace
}  // namespace tokenjoule
