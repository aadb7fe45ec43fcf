#include "base/json_rows.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::vector<std::string> texts_of(JsonElements elements) {
  std::vector<std::string> texts;
  while (const auto element = elements.next()) texts.emplace_back(element->text);
  if (elements.fault()) texts.push_back("fault: " + elements.fault()->message);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(JsonElements, AnArrayGivesItsItems) {
  EXPECT_EQ(texts_of(JsonElements(R"( [ {"a":[1,{"b":2}]} , 3,"x\"]y" ] )")),
            (Texts{R"({"a":[1,{"b":2}]})", "3", R"("x\"]y")"}));
}

TEST(JsonElements, ObjectsInARowGiveThemselves) {
  EXPECT_EQ(texts_of(JsonElements("{\"a\":1}\n{\"a\":2}\n")), (Texts{"{\"a\":1}", "{\"a\":2}"}));
}

TEST(JsonElements, MembersOfAnObjectComeWithTheirNames) {
  JsonElements elements(R"({"0":{"x":1},"1":{"x":2}})", JsonElements::Of::members);
  EXPECT_EQ(elements.next()->key, "0");
  const auto second = elements.next();
  EXPECT_EQ(second->key, "1");
  EXPECT_EQ(second->text, R"({"x":2})");
  EXPECT_FALSE(elements.next());
  EXPECT_FALSE(elements.fault());
}

TEST(JsonElements, ACutOffTextStillGivesWhatIsWhole) {
  EXPECT_EQ(texts_of(JsonElements(R"([{"a":1},{"a":2},{"a")")),
            (Texts{R"({"a":1})", R"({"a":2})",
                   "fault: the file is cut off inside element 3 at byte 17"}));
  EXPECT_EQ(texts_of(JsonElements(R"([{"a":1})")),
            (Texts{R"({"a":1})", "fault: the file is cut off behind element 1 at byte 8"}));
}

TEST(JsonElements, EmptyTextsHaveNone) {
  EXPECT_EQ(texts_of(JsonElements("[]")), Texts{});
  EXPECT_EQ(texts_of(JsonElements("")), Texts{});
  EXPECT_EQ(texts_of(JsonElements("[")), Texts{"fault: the file is cut off at byte 1"});
}

TEST(JsonElements, NestingHasABound) {
  const std::string deep = "[" + std::string(70, '[') + std::string(70, ']') + "]";
  EXPECT_EQ(texts_of(JsonElements(deep)), Texts{"fault: nested deeper than 64 levels at byte 65"});
}

TEST(JsonElements, AStrayBracketEndsTheWalk) {
  EXPECT_EQ(texts_of(JsonElements("[1}")), (Texts{"1", "fault: a comma is missing at byte 2"}));
  EXPECT_EQ(texts_of(JsonElements("[1] x")),
            (Texts{"1", "fault: something stands behind the end at byte 4"}));
}

std::map<std::string, std::string> walked(std::string_view object) {
  std::map<std::string, std::string> found;
  JsonObjectReader reader;
  const auto status = reader.walk(object, [&](const JsonScalar& scalar) {
    std::string value(scalar.text);
    if (scalar.type == JsonScalar::Type::absent) value = "absent";
    if (scalar.type == JsonScalar::Type::string) value = "text " + std::string(scalar.string);
    if (scalar.type == JsonScalar::Type::number) value = std::to_string(scalar.number);
    found[std::string(scalar.path)] = value;
  });
  if (!status) found["fault"] = status.error().message;
  return found;
}

TEST(JsonObjectReader, WalksNestedObjectsByPath) {
  EXPECT_EQ(walked(R"({"a":1,"m":{"p99.9_x":2.5,"t":"q\"r"},"l":[1,{"z":2}],"e":{}})"),
            (std::map<std::string, std::string>{{"a", "1.000000"},
                                                {"m.p99.9_x", "2.500000"},
                                                {"m.t", "text q\"r"},
                                                {"l", R"([1,{"z":2}])"}}));
}

TEST(JsonObjectReader, NullAndBareNanAreAbsentAndTheRestIsRead) {
  EXPECT_EQ(walked(R"({"a":NaN,"b":-Infinity,"c":null,"d":1})"),
            (std::map<std::string, std::string>{
                {"a", "absent"}, {"b", "absent"}, {"c", "absent"}, {"d", "1.000000"}}));
}

TEST(JsonObjectReader, WhatIsNoObjectIsSaid) {
  EXPECT_EQ(walked("<html>").count("fault"), 1U);
  EXPECT_EQ(walked(R"({"a":1)").count("fault"), 1U);
  EXPECT_EQ(walked(R"({"a":Nonsense})").count("fault"), 1U);
  std::string deep = "1";
  for (int i = 0; i < 70; ++i) deep = "{\"a\":" + deep + "}";
  EXPECT_EQ(walked(deep).count("fault"), 1U);
}

TEST(JsonObjectReader, OneReaderReadsManyObjects) {
  JsonObjectReader reader;
  double sum = 0;
  for (const std::string_view row : {R"({"a":1})", R"({"a":20})", R"({"a":300})"}) {
    EXPECT_TRUE(reader.walk(row, [&](const JsonScalar& scalar) { sum += scalar.number; }));
  }
  EXPECT_EQ(sum, 321);
}

}  // namespace
}  // namespace tokenjoule
