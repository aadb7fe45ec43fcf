#include "analysis/plan/conversions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/plan/amount.hpp"

namespace tokenjoule {
namespace {

/// What a figure is when it is given to the program with its unit.
double back(double number, std::string_view unit, Dimension wanted) {
  const auto amount = amount_in(fmt::format("{}{}", number, unit), wanted, "x");
  return amount ? amount->value : -1;
}

TEST(EnergyPerToken, OneJouleIs278WattHoursPerMillion) {
  EXPECT_NEAR(watt_hours_per_million(JoulesPerToken(1)), 277.7778, 5e-5);   // 10^6 / 3600
  EXPECT_NEAR(watt_hours_per_million(JoulesPerToken(0.150)), 41.7, 0.05);   // 150 000 / 3600
  EXPECT_NEAR(watt_hours_per_million(JoulesPerToken(0.1605)), 44.6, 0.05);  // 160 500 / 3600
}

TEST(EnergyPerToken, ConvertsBack) {
  EXPECT_DOUBLE_EQ(
      back(watt_hours_per_million(JoulesPerToken(0.2937)), "Wh/Mtok", Dimension::energy_per_token),
      0.2937);
  EXPECT_DOUBLE_EQ(back(tokens_per_kilowatt_hour(JoulesPerToken(0.15)), "tokens/kWh",
                        Dimension::energy_per_token),
                   0.15);
  EXPECT_DOUBLE_EQ(tokens_per_kilowatt_hour(JoulesPerToken(0.15)), 24e6);  // 3.6e6 / 0.15
}

TEST(Day, EightBoardsOf600WattsTake115KilowattHours) {
  const Joules day = energy_of_day(Watts(8 * 600), Watts(0), 24);
  EXPECT_DOUBLE_EQ(kilowatt_hours(day), 115.2);
  EXPECT_DOUBLE_EQ(day.value(), 414.72e6);
  EXPECT_DOUBLE_EQ(back(115.2, "kWh", Dimension::energy), 414.72e6);
}

TEST(Day, IdleHoursCountAtIdlePower) {
  // 10 h at 4.8 kW and 14 h at 0.9 kW: 48 + 12.6 kWh.
  EXPECT_DOUBLE_EQ(kilowatt_hours(energy_of_day(Watts(4800), Watts(900), 10)), 60.6);
}

TEST(Heat, IsCountedInBtuAndTons) {
  EXPECT_NEAR(btu_per_hour(Watts(4800)), 16378, 0.5);  // 4800 × 3.412142
  EXPECT_DOUBLE_EQ(back(btu_per_hour(Watts(4800)), "BTU/h", Dimension::power), 4800);
  EXPECT_NEAR(tons_of_cooling(Watts(3516.853)), 1, 1e-6);
  EXPECT_NEAR(back(1, "ton", Dimension::power), 3516.853, 5e-4);
}

TEST(Current, IsSharedByThreePhases) {
  const Supply one{230, 1, 1};
  EXPECT_DOUBLE_EQ(amperes_per_phase(Watts(2300), one), 10);
  EXPECT_DOUBLE_EQ(from_amperes_per_phase(10, one).value(), 2300);
  const Supply three{400, 0.98, 3};
  EXPECT_NEAR(amperes_per_phase(Watts(4800), three), 7.0696, 5e-5);  // 4800 / (1.7320508 × 392)
  EXPECT_NEAR(from_amperes_per_phase(7.0696, three).value(), 4800, 0.05);
}

TEST(PriceBound, IsTheEnergyThatThePriceBuys) {
  // 0.40 buys 0.40 / 0.12 = 3.3333 kWh.
  EXPECT_NEAR(watt_hours_that_a_price_pays(0.40, 0.12), 3333.33, 0.005);
}

}  // namespace
}  // namespace tokenjoule
