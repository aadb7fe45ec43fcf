#include "sensors/value_sensor.hpp"

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"
#include "sensors/file_values.hpp"

namespace tokenjoule {
namespace {

Signal signal_of(const char* device) {
  return {.sensor = "files", .device = device, .source = "f", .raw_unit = "W"};
}

std::vector<SensorValue> values_of(const TestTree& tree) {
  std::vector<SensorValue> values;
  values.push_back({signal_of("a"), *file_value(tree.root() / "a", {.zero = true})});
  values.push_back({signal_of("b"), *file_value(tree.root() / "b")});
  values.push_back({signal_of("a"), *file_value(tree.root() / "slow"), Pace::each_second});
  return values;
}

TestTree& filled(TestTree& tree) {
  tree.write("a", "10");
  tree.write("b", "20");
  tree.write("slow", "30");
  return tree;
}

TEST(ValueSensor, GivesASampleADeviceAndOneMoreASecondOfWhatChangesSlowly) {
  TestTree tree;
  FakeClock clock;
  auto sensor =
      value_sensor({{.id = "a"}, {.id = "b"}}, values_of(filled(tree)), {}, "g", clock.now());
  EXPECT_EQ(sensor->contents().devices[1].group, "g");
  EXPECT_EQ(sensor->contents().signals[2].period, Seconds(1));
  EXPECT_EQ(sensor->poll(clock)->readings.at(0).raw, 10);
  EXPECT_TRUE(sensor->has_more());
  EXPECT_EQ(sensor->poll(clock)->readings.at(0).raw, 20);
  EXPECT_EQ(sensor->poll(clock)->readings.at(0).signal, 2u);
  EXPECT_FALSE(sensor->has_more());
  sensor->poll(clock);
  sensor->poll(clock);
  EXPECT_FALSE(sensor->has_more());  // a second has not passed
}

TEST(ValueSensor, AValueThatIsNotKnownIsLeftOutAndTheOthersStand) {
  TestTree tree;
  FakeClock clock;
  auto sensor =
      value_sensor({{.id = "a"}, {.id = "b"}}, values_of(filled(tree)), {}, "", clock.now());
  tree.write("a", "0");
  EXPECT_TRUE(sensor->poll(clock)->readings.empty());
  EXPECT_EQ(sensor->poll(clock)->readings.size(), 1u);
  const auto losses = sensor->take_losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_NE(losses[0].reason.find("not known"), std::string::npos);
}

TEST(ValueSensor, WithoutAnyValueThePollFailsAndTheNextMayNot) {
  TestTree tree;
  FakeClock clock;
  std::vector<SensorValue> values;
  tree.write("a", "x");
  values.push_back({signal_of("a"), *file_value(tree.root() / "a")});
  auto sensor = value_sensor({{.id = "a"}}, std::move(values), {}, "", clock.now());
  EXPECT_EQ(sensor->poll(clock).error().kind, ErrorKind::retry);
  tree.write("a", "5");
  EXPECT_EQ(sensor->poll(clock)->readings.at(0).raw, 5);
}

TEST(ValueSensor, EndsWithItsLastValueAndTellsWhatWasWrongFromTheBeginning) {
  FakeClock clock;
  std::vector<SensorValue> values;
  values.push_back({signal_of("a"), unreadable_value("the zone is broken")});
  auto sensor = value_sensor({{.id = "a"}}, std::move(values), {"noted"}, "", clock.now());
  EXPECT_EQ(sensor->poll(clock).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(sensor->poll(clock).error().message, "the zone is broken");
  EXPECT_EQ(sensor->take_losses().size(), 2u);  // the note and one lost reading, not one a poll
}

TEST(FileValue, ASentinelOfTheDriverIsAbsent) {
  const TestTree tree;
  tree.write("power", "4294967295000\n");
  auto value = file_value(tree.root() / "power", {.from = 4294967295000.0});
  EXPECT_EQ((*value)->read({}).error().kind, ErrorKind::retry);
}

// 65532 J is the range of an AMD package; it draws 500 W at most, 2000 W are allowed for.
constexpr WrappingRange kAmd{Joules(65532), Watts(2000)};

TEST(WrappingRange, ATenthOfASecondAcrossTheEndIsAWrap) {
  EXPECT_TRUE(is_a_wrap(kAmd, Joules(65500), Joules(18), Seconds(0.1)));  // 50 J: 500 W
}

TEST(WrappingRange, AFallFromTheMiddleIsAReset) {
  EXPECT_FALSE(is_a_wrap(kAmd, Joules(30000), Joules(18), Seconds(0.1)));
}

TEST(WrappingRange, ALongPauseMayHideAWrap) {
  EXPECT_FALSE(may_hide_a_wrap(kAmd, Seconds(30)));  // 60 kJ at most
  EXPECT_TRUE(may_hide_a_wrap(kAmd, Seconds(33)));   // 66 kJ at most
}

}  // namespace
}  // namespace tokenjoule
