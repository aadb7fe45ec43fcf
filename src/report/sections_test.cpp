#include "report/sections.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

TEST(StatedLoad, IsReadFromTheConfiguration) {
  Report report;
  report.configuration_json =
      R"({"mode": "closed", "concurrency": 64, "dataset": "random", "duration_s": 60})";
  const StatedLoad load = stated_load(report);
  EXPECT_EQ(load.mode, "closed");
  EXPECT_EQ(load.concurrency, 64);
  EXPECT_EQ(load.dataset_name, "random");
  EXPECT_EQ(load.duration_s, 60.0);
  EXPECT_EQ(load.request_rate_per_s, std::nullopt);
  EXPECT_EQ(load.ignore_eos, std::nullopt);
  EXPECT_EQ(load_words(load), "closed loop, concurrency 64, dataset random");
}

TEST(StatedLoad, ADatasetMayHaveANameAndAHash) {
  Report report;
  report.configuration_json = R"({"dataset": {"name": "chat", "sha256": "ab"}})";
  EXPECT_EQ(stated_load(report).dataset_name, "chat");
  EXPECT_EQ(stated_load(report).dataset_sha256, "ab");
}

TEST(StatedLoad, AConfigurationThatIsNoJsonSaysNothing) {
  for (const char* text : {"", "{", "[1]", "\"x\"", "null"}) {
    Report report;
    report.configuration_json = text;
    EXPECT_EQ(load_words(stated_load(report)), "not known") << text;
    EXPECT_EQ(load_point(stated_load(report)), "n/a") << text;
  }
}

TEST(EnergyMethod, IsThatOfTheEnergyInTheNumerator) {
  Report report;
  report.energy.resize(2);
  report.energy[0].method = "counter";
  report.energy[1].boundary = Boundary::cpu_package;
  report.energy[1].method = "modelled";
  Figure figure;
  figure.numerator = "energy.cpu_package";
  EXPECT_EQ(energy_method(report, figure), "modelled");
  figure.numerator = "tokens.output";
  EXPECT_EQ(energy_method(report, figure), "");
}

TEST(Ordered, KnownFiguresComeFirstThenTheOthersByName) {
  Figures figures;
  figures["watt_hours_per_query"] = figures["a_new_one"] = figures["joules_per_output_token"] = {};
  std::vector<std::string> keys;
  for (const auto& [key, figure] : ordered(figures)) keys.push_back(key);
  const std::vector<std::string> expected = {"joules_per_output_token", "watt_hours_per_query",
                                             "a_new_one"};
  EXPECT_EQ(keys, expected);
}

TEST(EnergyWords, EnergyThatIsNotKnownHasItsReasonAndNoNumber) {
  BoundaryEnergy energy;
  energy.reason = "device_lost";
  EXPECT_EQ(energy_words(energy), "n/a (device_lost)");
  energy.joules = Joules(35210.5);
  energy.systematic_bound = Joules(1800);
  energy.method = "counter";
  EXPECT_EQ(energy_words(energy), "35 200 ± 1 800 J (counter)");
}

TEST(UtcText, IsTheCivilDate) {
  EXPECT_EQ(utc_text(WallTime{0}), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(utc_text(WallTime{951'782'400'000'000'000}), "2000-02-29 00:00:00 UTC");
  EXPECT_EQ(utc_text(WallTime{-1}), "1969-12-31 23:59:59 UTC");
}

}  // namespace
}  // namespace tokenjoule
