#include "sensors/exec/exec_lines.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr TimeSpan kRead{{10'000'000'000}, {10'000'000'000}};       // 10 s after the origin
constexpr ClockAnchor kAnchor{kRead, {1'796'000'010'000'000'000}};  // which is this on the wall

std::string line(const std::string& signal, double watts, const std::string& more = "") {
  return "{\"signal\":\"" + signal +
         "\",\"device\":\"pdu\",\"boundary\":\"node_ac\",\"watts\":" + std::to_string(watts) +
         more + "}\n";
}

TEST(ExecLine, TakesPowerAndEnergy) {
  const auto power =
      exec_line_in(R"({"signal":"p","device":"d","boundary":"node_ac","watts":812.5,"note":"x"})");
  ASSERT_TRUE(power.has_value());
  EXPECT_EQ(power->measurand, Measurand::power);
  EXPECT_EQ(power->boundary, Boundary::node_ac);
  EXPECT_EQ(power->value, 812.5);
  EXPECT_FALSE(power->unix_s.has_value());
  const auto energy = exec_line_in(
      R"({"signal":"e","device":"d","boundary":"gpu_board","joules":3,"t_unix_s":1796000000.5})");
  ASSERT_TRUE(energy.has_value());
  EXPECT_EQ(energy->measurand, Measurand::energy);
  EXPECT_EQ(energy->unix_s, 1796000000.5);
}

TEST(ExecLine, SaysWhatDoesNotFit) {
  for (const auto& [text, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"power 3", ""},
           {"[1]", "not a JSON object"},
           {R"({"device":"d","boundary":"rack","watts":1})", "$.signal"},
           {R"({"signal":"","device":"d","boundary":"rack","watts":1})", "$.signal is empty"},
           {R"({"signal":"s","boundary":"rack","watts":1})", "$.device"},
           {R"({"signal":"s","device":"d","boundary":"moon","watts":1})", "moon"},
           {R"({"signal":"s","device":"d","boundary":"rack"})", "exactly one"},
           {R"({"signal":"s","device":"d","boundary":"rack","watts":1,"joules":1})", "exactly one"},
           {R"({"signal":"s","device":"d","boundary":"rack","watts":NaN})", "exactly one"},
           {R"({"signal":"s","device":"d","boundary":"rack","watts":-1})", "$.watts is negative"},
           {R"({"signal":"s","device":"d","boundary":"rack","watts":"1"})", "$.watts"},
           {R"({"signal":"s","device":"d","boundary":"rack","watts":1,"t_unix_s":"now"})",
            "$.t_unix_s"}}) {
    const auto reading = exec_line_in(text);
    ASSERT_FALSE(reading.has_value()) << text;
    EXPECT_NE(reading.error().message.find(part), std::string::npos) << reading.error().message;
  }
}

TEST(ExecLines, LearnsUntilASignalComesASecondTime) {
  ExecLines lines("rack-7");
  lines.take(line("a", 1) + line("b", 2), kRead, kAnchor);
  EXPECT_TRUE(lines.is_learning());
  lines.take(line("a", 3), {kRead.begin + whole_seconds(1), kRead.end + whole_seconds(1)}, kAnchor);
  EXPECT_FALSE(lines.is_learning());
  ASSERT_EQ(lines.contents().signals.size(), 2u);
  EXPECT_EQ(lines.contents().signals[1].source, "b");
  EXPECT_EQ(lines.contents().signals[1].boundary, Boundary::node_ac);
  ASSERT_EQ(lines.contents().devices.size(), 1u);
  EXPECT_EQ(lines.contents().devices[0].kind, DeviceKind::node);
  EXPECT_EQ(lines.contents().devices[0].group, "rack-7");
  const Sample first = lines.take_sample();
  ASSERT_EQ(first.readings.size(), 2u);
  EXPECT_EQ(first.readings[1].signal, 1u);
  EXPECT_EQ(first.readings[1].raw, 2.0);
  EXPECT_EQ(first.read, kRead);
  EXPECT_EQ(lines.take_sample().readings.size(), 1u);
  EXPECT_FALSE(lines.has_samples());
  EXPECT_TRUE(lines.take_losses().empty());
}

TEST(ExecLines, ALineCutAtAnyPlaceIsReadWhole) {
  const std::string text = line("a", 7);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ExecLines lines("");
    lines.take(text.substr(0, cut), kRead, kAnchor);
    lines.take(text.substr(cut), kRead, kAnchor);
    ASSERT_TRUE(lines.has_samples()) << cut;
    EXPECT_EQ(lines.take_sample().readings.at(0).raw, 7.0);
  }
}

TEST(ExecLines, MisfitsAreCountedByKindAndTheFirstIsQuoted) {
  ExecLines lines("");
  lines.take("starting\nready\n" + line("a", 1), kRead, kAnchor);
  lines.end_learning();
  lines.take(
      line("late", 1) + "{\"signal\":\"a\",\"device\":\"pdu\",\"boundary\":\"rack\",\"watts\":1}\n",
      kRead, kAnchor);
  const auto losses = lines.take_losses();
  ASSERT_EQ(losses.size(), 2u);
  std::int64_t count = 0;
  for (const Loss& loss : losses) {
    EXPECT_EQ(loss.what, "reading");
    count += loss.count;
    const bool quotes_first = loss.reason.find("starting") != std::string::npos ||
                              loss.reason.find("late") != std::string::npos;
    EXPECT_TRUE(quotes_first) << loss.reason;
  }
  EXPECT_EQ(count, 4);
  EXPECT_TRUE(lines.take_losses().empty());
}

TEST(ExecLines, ATimeOfTheProgramsOwnIsCarriedOverToOurClock) {
  ExecLines lines("");
  lines.take(
      line("a", 1, ",\"t_unix_s\":1796000007.5") + line("a", 2, ",\"t_unix_s\":1796000009.5"),
      kRead, kAnchor);
  EXPECT_EQ(lines.take_sample().read.middle(), mono_at(Seconds(7.5)));
  EXPECT_EQ(lines.take_sample().read.middle(), mono_at(Seconds(9.5)));
}

TEST(ExecLines, ATimeAheadOrTooOldOrGoingBackDoesNotFit) {
  ExecLines lines("");
  lines.take(line("a", 1, ",\"t_unix_s\":1796000009"), kRead, kAnchor);
  lines.take(line("a", 1, ",\"t_unix_s\":1796000011") + line("a", 1, ",\"t_unix_s\":1795999940") +
                 line("a", 1, ",\"t_unix_s\":1796000008"),
             kRead, kAnchor);
  EXPECT_EQ(lines.take_sample().read.middle(), mono_at(Seconds(9)));
  EXPECT_FALSE(lines.has_samples());
  ASSERT_EQ(lines.take_losses().at(0).count, 3);
}

TEST(ExecLines, OfReadingsThatCameAtOnceTheLastCountsAndTheOthersAreLost) {
  ExecLines lines("");
  lines.take(line("a", 1) + line("a", 2) + line("a", 3), kRead, kAnchor);
  const Sample sample = lines.take_sample();
  ASSERT_EQ(sample.readings.size(), 1u);
  EXPECT_EQ(sample.readings[0].raw, 3.0);
  EXPECT_FALSE(lines.has_samples());
  const auto losses = lines.take_losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].count, 2);
  EXPECT_NE(losses[0].reason.find("flush"), std::string::npos);
}

TEST(ExecLines, ALineThatNeverEndsDoesNotGrowForEver) {
  ExecLines lines("");
  for (int i = 0; i < 100; ++i) lines.take(std::string(10'000, 'x'), kRead, kAnchor);
  EXPECT_GE(lines.take_losses().at(0).count, 10);
}

TEST(ExecLines, TheCorpusOfTheFuzzTargetIsReadWithoutAFault) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TOKENJOULE_SOURCE_DIR "/tests/fuzz/corpus/exec_line")) {
    std::ifstream file(entry.path(), std::ios::binary);
    ExecLines lines("");
    lines.take(std::string{std::istreambuf_iterator<char>(file), {}}, kRead, kAnchor);
    while (lines.has_samples()) EXPECT_FALSE(lines.take_sample().readings.empty());
    ++files;
  }
  EXPECT_GE(files, 4);
}

}  // namespace
}  // namespace tokenjoule
