#include "sensors/dcgm/energy_unit_check.hpp"

#include <string>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// 600 W for 10 s, read each second; the counter is taken for `factor` times what it is.
EnergyUnitCheck after_ten_seconds(double factor) {
  EnergyUnitCheck check;
  for (int t = 0; t <= 10; ++t)
    check.add(MonoTime{} + whole_seconds(t), Joules(factor * 600.0 * t), Watts(600));
  return check;
}

TEST(EnergyUnitCheck, ACounterInItsRightUnitAgreesWithPower) {
  const auto check = after_ten_seconds(1);
  EXPECT_DOUBLE_EQ(*check.ratio(), 1);
  EXPECT_EQ(check.fault(), nullptr);
}

TEST(EnergyUnitCheck, JoulesTakenForMillijoulesAreAThousandTimesTooSmall) {
  EXPECT_EQ(std::string(after_ten_seconds(0.001).fault()), "1000 times too small");
  EXPECT_EQ(std::string(after_ten_seconds(1000).fault()), "1000 times too large");
}

TEST(EnergyUnitCheck, AnyOtherDisagreementIsLeftToTheAnalysis) {
  for (const double factor : {0.5, 2.0, 0.01, 100.0}) {
    EXPECT_EQ(after_ten_seconds(factor).fault(), nullptr) << factor;
  }
}

TEST(EnergyUnitCheck, SaysNothingBeforeThreeSteps) {
  EnergyUnitCheck check;
  // Steps at 1, 2 and 3 s: the first one begins, two follow.
  for (int t = 0; t <= 3; ++t)
    check.add(MonoTime{} + whole_seconds(t), Joules(0.6 * t), Watts(600));
  EXPECT_FALSE(check.ratio().has_value());
  check.add(MonoTime{} + whole_seconds(4), Joules(2.4), Watts(600));
  EXPECT_DOUBLE_EQ(*check.ratio(), 0.001);
}

TEST(EnergyUnitCheck, RepeatsOfASlowExporterAreNoSteps) {
  EnergyUnitCheck check;
  // Read each second, collected every 30 s: 18 kJ a step.
  for (int t = 0; t <= 120; ++t)
    check.add(MonoTime{} + whole_seconds(t), Joules(18000.0 * (t / 30)), Watts(600));
  EXPECT_DOUBLE_EQ(*check.ratio(), 1);
}

TEST(EnergyUnitCheck, AResetOrALongGapStartsAnew) {
  auto check = after_ten_seconds(0.001);
  check.add(MonoTime{} + whole_seconds(11), Joules(0), Watts(600));
  EXPECT_FALSE(check.ratio().has_value());
  auto gap = after_ten_seconds(0.001);
  gap.add(MonoTime{} + whole_seconds(100), Joules(7), Watts(600));
  EXPECT_FALSE(gap.ratio().has_value());
}

TEST(EnergyUnitCheck, NoPowerSaysNothing) {
  EnergyUnitCheck check;
  for (int t = 0; t <= 10; ++t) check.add(MonoTime{} + whole_seconds(t), Joules(t), Watts(0));
  EXPECT_FALSE(check.ratio().has_value());
}

}  // namespace
}  // namespace tokenjoule
