#include "analysis/plan/amount.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using D = Dimension;

double value_of(const char* text, D wanted) {
  const auto amount = amount_in(text, wanted, "x");
  return amount ? amount->value : -1;
}

std::string message_of(const char* text, D wanted) {
  const auto amount = amount_in(text, wanted, "power");
  return amount ? "" : amount.error().message + "; " + amount.error().hint;
}

TEST(AmountIn, PowerIsWatts) {
  EXPECT_DOUBLE_EQ(value_of("4.8kW", D::power), 4800);
  EXPECT_DOUBLE_EQ(value_of("8x600W", D::power), 4800);
  EXPECT_DOUBLE_EQ(value_of(" 4.8 kW ", D::power), 4800);
  EXPECT_NEAR(value_of("115.2kWh/day", D::power), 4800, 1e-9);   // 115.2 / 24 = 4.8 kW
  EXPECT_NEAR(value_of("414.72MJ/day", D::power), 4800, 1e-9);   // 414.72e6 / 86400
  EXPECT_NEAR(value_of("42048kWh/year", D::power), 4800, 1e-9);  // 42048 / 8760 = 4.8 kW
  EXPECT_NEAR(value_of("12000BTU/h", D::power), value_of("1ton", D::power), 1e-9);
}

TEST(AmountIn, EnergyPerTokenComesInBothDirections) {
  EXPECT_DOUBLE_EQ(value_of("0.15J/token", D::energy_per_token), 0.15);
  EXPECT_DOUBLE_EQ(value_of("150mJ/token", D::energy_per_token), 0.15);
  EXPECT_NEAR(value_of("41.6666667Wh/Mtok", D::energy_per_token), 0.15, 1e-9);
  EXPECT_DOUBLE_EQ(value_of("24e6tokens/kWh", D::energy_per_token), 0.15);
  EXPECT_DOUBLE_EQ(value_of("24Mtok/kWh", D::energy_per_token), 0.15);
}

TEST(AmountIn, MoneyNamesItsCurrency) {
  const auto euro = amount_in("0.12EUR/kWh", D::electricity_price, "x");
  ASSERT_TRUE(euro);
  EXPECT_EQ(euro->currency, "EUR");
  EXPECT_DOUBLE_EQ(euro->value, 0.12);
  const auto dollar = amount_in("$120/MWh", D::electricity_price, "x");
  ASSERT_TRUE(dollar);
  EXPECT_EQ(dollar->currency, "USD");
  EXPECT_DOUBLE_EQ(dollar->value, 0.12);
  EXPECT_DOUBLE_EQ(value_of("2e-6EUR/token", D::token_price), 2);
}

TEST(AmountIn, TheUnitDecidesWhereSeveralDimensionsMayStand) {
  constexpr D kinds[] = {D::energy, D::money, D::mass};
  EXPECT_EQ(amount_in("10kWh", kinds, "budget")->dimension, D::energy);
  EXPECT_EQ(amount_in("10EUR", kinds, "budget")->dimension, D::money);
  EXPECT_EQ(amount_in("10kg", kinds, "budget")->dimension, D::mass);
}

TEST(AmountIn, AMissingUnitIsNamed) {
  EXPECT_NE(message_of("4.8", D::power).find("has no unit"), std::string::npos);
  EXPECT_NE(message_of("4.8", D::power).find("W, kW, MW"), std::string::npos);
}

TEST(AmountIn, AMistypedUnitIsPutRight) {
  EXPECT_NE(message_of("4.8KW", D::power).find("did you mean kW?"), std::string::npos);
}

TEST(AmountIn, AUnitOfSomethingElseIsCalledThat) {
  EXPECT_NE(message_of("4.8kWh", D::power).find("is an energy, where a power is wanted"),
            std::string::npos);
}

TEST(AmountIn, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "kW", "nanW", "infW", "1e400W", "0x10W", "--3W", "1,5kW"})
    EXPECT_FALSE(amount_in(text, D::power, "power")) << text;
  EXPECT_FALSE(amount_in("-3W", D::power, "power"));
  EXPECT_FALSE(amount_in("0tokens/kWh", D::energy_per_token, "energy"));
  EXPECT_FALSE(amount_in("0.12/kWh", D::electricity_price, "electricity-price"));
}

}  // namespace
}  // namespace tokenjoule
