#include "load/text_prompts.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

/// A tokenizer of tests: one token a word, two for words longer than five letters, one at the
/// start.
std::optional<std::int64_t> two_for_long_words(std::string_view text) {
  std::int64_t tokens = 1;
  for (const std::string_view word : split(text, ' ')) tokens += word.size() > 5 ? 2 : 1;
  return tokens;
}

TEST(TextPrompts, WordsAreDistinct) {
  const std::set<std::string_view> distinct(prompt_words().begin(), prompt_words().end());
  EXPECT_EQ(distinct.size(), prompt_words().size());
  EXPECT_GE(distinct.size(), 256U);
}

TEST(TextPrompts, WithMeasuredSizesTheLengthIsMetExactly) {
  const WordSizes sizes = WordSizes::measured_by(two_for_long_words);
  EXPECT_TRUE(sizes.measured);
  EXPECT_EQ(sizes.overhead, 1);
  for (const std::int64_t length : {2, 3, 64, 65, 66, 67, 500}) {
    Random head(1);
    Random body(2);
    EXPECT_EQ(two_for_long_words(text_prompt(length, sizes, head, body)), length);
  }
}

TEST(TextPrompts, WithoutATokenizerAWordIsTakenAsOneToken) {
  Random head(1);
  Random body(2);
  const WordSizes sizes = WordSizes::measured_by({});
  EXPECT_FALSE(sizes.measured);
  EXPECT_EQ(split(text_prompt(100, sizes, head, body), ' ').size(), 100U);
}

TEST(TextPrompts, ATokenizerThatStopsAnsweringLeavesTheAssumption) {
  int calls = 0;
  const WordSizes sizes = WordSizes::measured_by([&](std::string_view text) {
    return ++calls > 10 ? std::nullopt : two_for_long_words(text);
  });
  EXPECT_FALSE(sizes.measured);
  EXPECT_EQ(sizes.overhead, 0);
}

TEST(TextPrompts, TheHeadChangesTheFirst64WordsOnly) {
  const WordSizes sizes = WordSizes::measured_by({});
  Random head_a(1);
  Random body_a(5);
  Random head_b(2);
  Random body_b(5);
  const std::string text_a = text_prompt(100, sizes, head_a, body_a);
  const std::string text_b = text_prompt(100, sizes, head_b, body_b);
  const auto a = split(text_a, ' ');
  const auto b = split(text_b, ' ');
  EXPECT_NE(std::vector(a.begin(), a.begin() + 64), std::vector(b.begin(), b.begin() + 64));
  EXPECT_EQ(std::vector(a.begin() + 64, a.end()), std::vector(b.begin() + 64, b.end()));
}

}  // namespace
}  // namespace tokenjoule
