#include "selftest/emitted_event.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::vector<std::int64_t> send_times_in(std::string_view bytes) {
  std::vector<std::int64_t> times;
  for_each_send_time(bytes, [&](std::int64_t sent_ns) { times.push_back(sent_ns); });
  return times;
}

TEST(EmittedEvent, TakesThreeHundredAndTwoBytesOnTheWire) {
  EmittedEvent event;
  EXPECT_EQ(event.stamped(1).size(), 302U);
  EXPECT_EQ(event.stamped(1).substr(0, 5), "127\r\n");  // 0x127 = 295 bytes of payload
}

TEST(EmittedEvent, CarriesItsSendTimeThroughTheId) {
  EmittedEvent event;
  std::string two(event.stamped(255));
  EXPECT_NE(two.find("\"id\":\"tj-00000000000000ff-"), std::string::npos);
  two += event.stamped(1'234'567'890'123'456'789);
  EXPECT_EQ(send_times_in(two), (std::vector<std::int64_t>{255, 1'234'567'890'123'456'789}));
}

TEST(EmittedEvent, HasItsSendTimeInTheTextTooWhereThatIsAsked) {
  EmittedEvent event(true);
  event.stamped(1);
  const std::string_view bytes = event.stamped(255);
  EXPECT_NE(bytes.find("\"text\":\" 00000000000000ff\""), std::string_view::npos);
  EXPECT_EQ(bytes.size(), 315);
  EXPECT_EQ(send_times_in(bytes), std::vector<std::int64_t>{255});
}

TEST(ForEachSendTime, PassesOverAnEventWhoseDigitsAreCutOff) {
  EmittedEvent event;
  const std::string bytes(event.stamped(255));
  const std::size_t digits = bytes.find(kEmittedPrefix) + kEmittedPrefix.size();
  EXPECT_TRUE(send_times_in(std::string_view(bytes).substr(0, digits + 15)).empty());
  EXPECT_EQ(send_times_in(std::string_view(bytes).substr(0, digits + 16)),
            std::vector<std::int64_t>{255});
}

TEST(ForEachSendTime, PassesOverEventsOfOthers) {
  EXPECT_TRUE(send_times_in(last_chunks(7)).empty());
  EXPECT_TRUE(send_times_in("data: {\"id\":\"tj-not a hex number at all\"}").empty());
}

TEST(LastChunks, SayHowManyTokensThereWere) {
  EXPECT_NE(last_chunks(7).find("\"completion_tokens\":7}"), std::string::npos);
  EXPECT_NE(last_chunks(7).find("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
