#include "app/measure_point.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(MeasurePoint, OfARunThatCouldNotBeginNoRecordIsLeftToBeJudged) {
  MeasureOptions options;
  options.url = url_in("http://no-such-host.invalid").value();
  options.progress = ProgressStyle::none;
  const ProbeQuestion probe;
  ProbedEngine engine;
  engine.dialect = dialect_named("openai");
  PointQuestion question{options, probe, engine, {}, nullptr, {}};
  question.record = std::filesystem::path(testing::TempDir()) / "never-begun.jsonl";
  std::filesystem::remove(question.record);
  SystemClock clock;
  const Status measured = measure_point(question, {}, clock, {});
  ASSERT_FALSE(measured.has_value());
  EXPECT_NE(measured.error().message.find("no-such-host"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(question.record));
}

}  // namespace
}  // namespace tokenjoule
