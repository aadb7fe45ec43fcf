#include "base/json_view.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

JsonDocument parsed(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_TRUE(document) << (document ? "" : document.error().message);
  return document ? std::move(*document) : *JsonDocument::parse("null");
}

TEST(JsonView, NamesThePathOfWhatIsMissing) {
  const auto document = parsed(R"({"usage": {"completion_tokens": 5}})");
  EXPECT_EQ(document.root()["usage"]["completion_tokens"].integer(), 5);
  const auto missing = document.root()["usage"]["prompt_tokens"].need_integer();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "$.usage.prompt_tokens is missing");
}

TEST(JsonView, BareNaNAndInfinityAreAbsentAndCounted) {
  const auto document = parsed(R"({"a": NaN, "b": [1, Infinity, -Infinity, 2], "c": 3})");
  EXPECT_EQ(document.not_numbers(), 3);
  EXPECT_FALSE(document.root()["a"].present());
  EXPECT_EQ(document.root()["b"].size(), 4U);
  EXPECT_FALSE(document.root()["b"][1].present());
  EXPECT_EQ(document.root()["b"][3].number(), 2.0);
  EXPECT_EQ(document.root()["c"].integer(), 3);
}

TEST(JsonView, KeepsDoublesToTheLastBit) {
  const auto document =
      parsed("[0.1, 1e-320, 1.7976931348623157e308, 123456789012345678, 18446744073709551615]");
  EXPECT_EQ(document.root()[0].number(), 0.1);
  EXPECT_EQ(document.root()[1].number(), 1e-320);
  EXPECT_EQ(document.root()[2].number(), 1.7976931348623157e308);
  EXPECT_EQ(document.root()[3].integer(), 123456789012345678);
  EXPECT_EQ(document.root()[4].number(), 18446744073709551615.0);
}

TEST(JsonView, BadTextIsAnError) {
  for (const char* bad : {"", "{", "[1,]", "{\"a\" 1}", "{} x", "[1] 2", "nul", "Nan", "\"open",
                          "{\"a\":tru}", "[1 2]", "{\"a\":n}", "[nul]", "n", "[truefalse]"}) {
    EXPECT_FALSE(JsonDocument::parse(bad)) << bad;
  }
  EXPECT_FALSE(JsonDocument::parse(std::string(100, '[') + std::string(100, ']')));
}

TEST(JsonView, ScalarsAtTheRootAreRead) {
  EXPECT_EQ(parsed("\"text\"").root().string(), "text");
  EXPECT_EQ(parsed("3.5").root().number(), 3.5);
  EXPECT_EQ(parsed("true").root().boolean(), true);
  EXPECT_FALSE(parsed("null").root().present());
  EXPECT_FALSE(parsed("NaN").root().present());
}

TEST(JsonView, WritesItselfAgain) {
  EXPECT_EQ(parsed(R"( {"b" : [1, 2.5, "x\n"], "a":null} )").root().text(),
            R"({"b":[1,2.5,"x\n"],"a":null})");
}

}  // namespace
}  // namespace tokenjoule
