#include "engines/sse.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using Events = std::vector<std::string>;

Events read_in_parts(const std::vector<std::string_view>& parts, bool finish) {
  SseReader reader;
  Events events;
  const auto drain = [&] {
    while (const auto data = reader.next()) events.emplace_back(*data);
  };
  for (const std::string_view part : parts) {
    reader.put(part);
    drain();
  }
  if (finish) {
    reader.finish();
    drain();
  }
  return events;
}

/// Whole, cut in two at every byte, and byte by byte: all must give the same events.
void expect_everywhere(std::string_view bytes, const Events& expected, bool finish = false) {
  EXPECT_EQ(read_in_parts({bytes}, finish), expected);
  std::vector<std::string_view> single;
  for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
  EXPECT_EQ(read_in_parts(single, finish), expected) << "byte by byte";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    EXPECT_EQ(read_in_parts({bytes.substr(0, cut), bytes.substr(cut)}, finish), expected)
        << "cut at byte " << cut;
  }
}

TEST(SseReader, GivesTheDataOfEachEvent) {
  expect_everywhere("data: {\"a\":1}\n\ndata: [DONE]\n\n", {"{\"a\":1}", "[DONE]"});
}

TEST(SseReader, TakesAllThreeLineEndsAlsoMixed) {
  expect_everywhere("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\ndata: 4\r\n\ndata: 5\n\r\n",
                    {"1", "2", "3", "4", "5"});
}

TEST(SseReader, TheBlankBehindTheColonIsOptionalAndOnlyOneIsTaken) {
  expect_everywhere("data:a\n\ndata: b\n\ndata:  c\n\n", {"a", "b", " c"});
}

TEST(SseReader, JoinsSeveralDataLines) {
  expect_everywhere("data: {\ndata: \"a\":\ndata\ndata: 1}\n\n", {"{\n\"a\":\n\n1}"});
}

TEST(SseReader, PassesOverCommentsOtherFieldsAndBlankLines) {
  expect_everywhere(
      ": ping - 12\n\n\n\nevent: message\nid: 7\nretry: 100\ndata: x\n:c\n\nevent: end\n\n", {"x"});
}

TEST(SseReader, PassesOverAByteOrderMarkAtTheStartOnly) {
  expect_everywhere(
      "\xEF\xBB\xBF"
      "data: 1\n\n\xEF\xBB\xBF"
      "data: 2\n\ndata: 3\n\n",
      {"1", "3"});
  expect_everywhere("\xEF\xBB\xBF\ndata: 1\n\n", {"1"});
}

TEST(SseReader, KeepsUtf8ThatWasCut) {
  expect_everywhere("data: \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n\n",
                    {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"});
}

TEST(SseReader, AnEventWithoutItsBlankLineCountsAtTheEndOfTheStream) {
  expect_everywhere("data: 1\n\ndata: 2\n", {"1", "2"}, true);
  expect_everywhere("data: 1\n\ndata: 2", {"1", "2"}, true);
  expect_everywhere("data: 1\n\ndata: 2\n", {"1"}, false);
}

TEST(SseReader, NothingGivesNothing) {
  expect_everywhere("", {}, true);
  expect_everywhere("\n\n\r\n:\n", {}, true);
  expect_everywhere("\xEF\xBB", {}, true);
}

TEST(SseReader, EmptyDataIsNoEvent) { expect_everywhere("data:\n\ndata\n\n", {}, true); }

TEST(SseReader, AMegabyteOfOneEventFedInSmallPiecesComesOutWhole) {
  const std::string big(1'000'000, 'x');
  const std::string bytes = "data: " + big + "\n\n";
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < bytes.size(); at += 1000) {
    parts.push_back(std::string_view(bytes).substr(at, 1000));
  }
  EXPECT_EQ(read_in_parts(parts, false), Events{big});
}

}  // namespace
}  // namespace tokenjoule
