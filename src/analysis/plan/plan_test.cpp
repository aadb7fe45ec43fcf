#include "analysis/plan/plan.hpp"

#include <gtest/gtest.h>

#include "analysis/plan/eu_report.hpp"
#include "analysis/plan/result_figures.hpp"

namespace tokenjoule {
namespace {

using Lines = std::map<std::string, PlanLine>;

Lines lines_of(const PlanInputs& in) {
  const auto plan = plan_of(in);
  Lines lines;
  if (!plan) return lines;
  for (const PlanLine& line : plan->lines) lines[line.section + "." + line.key] = line;
  return lines;
}

double value(const Lines& lines, const std::string& key) {
  const auto at = lines.find(key);
  return at == lines.end() || !at->second.value ? -1 : *at->second.value;
}

PlanInputs with_power(double watts) {
  PlanInputs in;
  in.busy_power = {{Watts(watts)}};
  return in;
}

Amount euros(Dimension dimension, double value) { return {dimension, value, "EUR"}; }

TEST(Plan, RefusesFiguresThatCannotBeTrueTogether) {
  PlanInputs in = with_power(4800);
  in.idle_power = {{Watts(5000)}};
  in.busy_hours = 10;
  EXPECT_FALSE(plan_of(in));
  in.idle_power = {{Watts(900)}};
  EXPECT_TRUE(plan_of(in));
  in.busy_hours = 24;
  EXPECT_FALSE(plan_of(in));  // no idle hours

  PlanInputs day = with_power(4800);
  day.idle_power = {{Watts(900)}};
  day.busy_hours = 10;
  day.throughput = {{TokensPerSecond(100)}};
  day.tokens_per_day = 3.6e6;  // 100 * 36 000
  EXPECT_TRUE(plan_of(day));
  day.tokens_per_day = 4e6;
  EXPECT_FALSE(plan_of(day));

  PlanInputs query;
  query.energy = {{JoulesPerToken(0.5)}};
  query.tokens_per_query = 100;
  query.query_energy = {{Joules(50)}};
  EXPECT_TRUE(plan_of(query));
  query.query_energy = {{Joules(60)}};
  EXPECT_FALSE(plan_of(query));

  PlanInputs site = with_power(600e3);
  site.installed_power = Watts(500e3);
  EXPECT_FALSE(plan_of(site));
}

TEST(Plan, EveryLineSaysItsFormulaAndKind) {
  PlanInputs in = with_power(4800);
  in.throughput = {{TokensPerSecond(32004)}};
  in.pue = 1.2;
  for (const auto& [key, line] : lines_of(in)) {
    EXPECT_FALSE(line.formula.empty()) << key;
    EXPECT_FALSE(line.kind.empty()) << key;
  }
}

TEST(Plan, PowerAndThroughputGiveTheEnergyOfAToken) {
  PlanInputs in = with_power(4800);
  in.throughput = {{TokensPerSecond(32004)}};
  const auto lines = lines_of(in);
  EXPECT_NEAR(value(lines, "energy_per_token.joules_per_token"), 0.1500, 5e-5);
  EXPECT_NEAR(value(lines, "energy_per_token.watt_hours_per_million_tokens"), 41.66, 5e-3);
}

TEST(Plan, EnergyAndThroughputGiveThePower) {
  PlanInputs in;
  in.energy = {{JoulesPerToken(0.15)}};
  in.throughput = {{TokensPerSecond(32000)}};
  EXPECT_DOUBLE_EQ(value(lines_of(in), "power.watts"), 4800);
}

TEST(Plan, FiguresThatContradictEachOtherAreRefused) {
  PlanInputs in = with_power(4800);
  in.energy = {{JoulesPerToken(0.2)}};
  in.throughput = {{TokensPerSecond(32000)}};
  EXPECT_FALSE(plan_of(in));
}

TEST(Plan, UnknownIdleHoursAreNotZero) {
  PlanInputs in = with_power(4800);
  in.busy_hours = 10;
  const auto plan = plan_of(in);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("14 hours"), std::string::npos);
}

TEST(Plan, IdleHoursAreChargedToTheTokensOfTheBusyOnes) {
  PlanInputs in = with_power(4800);
  in.idle_power = {{Watts(900)}};
  in.busy_hours = 10;
  in.tokens_per_day = 500e6;
  const auto lines = lines_of(in);
  // 48 kWh = 172.8 MJ while serving, 60.6 kWh = 218.16 MJ in all.
  EXPECT_DOUBLE_EQ(value(lines, "idle_hours.joules_per_token_loaded"), 0.3456);
  EXPECT_DOUBLE_EQ(value(lines, "idle_hours.joules_per_token_with_idle_hours"), 0.43632);
  EXPECT_DOUBLE_EQ(value(lines, "power.kilowatt_hours_per_day"), 60.6);
}

TEST(Plan, SiteKeepsTheTwoCarbonBasesApart) {
  PlanInputs in;
  in.query_energy = {{Joules(3.6e6)}};  // 1 kWh
  in.pue = 1.2;
  in.wue = 0.5;
  in.grid_wue = 2;
  in.grid_location = 381;
  in.grid_market = 50;
  in.electricity_price = euros(Dimension::electricity_price, 0.10);
  const auto lines = lines_of(in);
  EXPECT_DOUBLE_EQ(value(lines, "site.carbon_location_based_per_query"), 457.2);  // 1.2 × 381
  EXPECT_DOUBLE_EQ(value(lines, "site.carbon_market_based_per_query"), 60);
  EXPECT_DOUBLE_EQ(value(lines, "site.water_per_query"), 2.9);  // 0.5 + 1.2 × 2
  EXPECT_DOUBLE_EQ(value(lines, "site.cost_per_query"), 0.12);
  EXPECT_EQ(lines.at("site.cost_per_query").kind, "modelled");
}

TEST(Plan, BudgetsAreOfEnergyMoneyOrCarbon) {
  PlanInputs in;
  in.query_energy = {{Joules(1224)}};  // 0.34 Wh
  in.budget = Amount{Dimension::energy, 36e6, ""};
  EXPECT_DOUBLE_EQ(value(lines_of(in), "budget.queries"), 29411);  // 36e6 / 1224 = 29411.76
  in.budget = euros(Dimension::money, 100);
  EXPECT_FALSE(plan_of(in)) << "no price";
  in.electricity_price = euros(Dimension::electricity_price, 0.10);
  EXPECT_DOUBLE_EQ(value(lines_of(in), "budget.queries"), 2941176);  // 1000 kWh
  in.budget = Amount{Dimension::mass, 1000, ""};
  in.grid_location = 500;
  EXPECT_DOUBLE_EQ(value(lines_of(in), "budget.queries_location_based"), 5882);  // 2 kWh
}

TEST(Plan, APriceSetsACeiling) {
  PlanInputs in;
  in.token_price = euros(Dimension::token_price, 0.40);
  EXPECT_FALSE(plan_of(in)) << "no price of electricity";
  in.electricity_price = euros(Dimension::electricity_price, 0.10);
  const auto lines = lines_of(in);
  EXPECT_DOUBLE_EQ(value(lines, "price_bound.watt_hours_per_million_tokens_at_most"), 4000);
  EXPECT_EQ(lines.at("price_bound.watt_hours_per_million_tokens_at_most").kind, "ceiling");
  in.electricity_price = Amount{Dimension::electricity_price, 0.10, "USD"};
  EXPECT_FALSE(plan_of(in)) << "two currencies";
}

TEST(Plan, TheEuropeanReportLeavesOpenWhatIsNotKnown) {
  PlanInputs in = with_power(100e3);
  in.installed_power = Watts(520e3);
  in.pue = 1.2;
  const auto lines = lines_of(in);
  EXPECT_DOUBLE_EQ(value(lines, "eu_report.installed_kilowatts_over_threshold"), 1.04);
  EXPECT_DOUBLE_EQ(value(lines, "eu_report.EIT"), 876e3);  // 100 kW × 8760 h
  EXPECT_DOUBLE_EQ(value(lines, "eu_report.EDC"), 1051.2e3);
  EXPECT_FALSE(lines.at("eu_report.WIN").value);
  EXPECT_EQ(lines.at("eu_report.WIN").reason, "give --wue and the power of all IT");
}

TEST(SizeClass, IsThatOfAnnexFour) {
  EXPECT_EQ(size_class(Watts(99e3)), "below annex IV");
  EXPECT_EQ(size_class(Watts(100e3)), "very small");
  EXPECT_EQ(size_class(Watts(500e3)), "small");
  EXPECT_EQ(size_class(Watts(1e6)), "medium");
  EXPECT_EQ(size_class(Watts(2e6)), "large");
  EXPECT_EQ(size_class(Watts(10.1e6)), "very large");
}

TEST(Plan, WhatIsUsedByNothingIsAnError) {
  EXPECT_FALSE(plan_of({}));
  PlanInputs in = with_power(4800);
  in.idle_power = {{Watts(900)}};
  EXPECT_FALSE(plan_of(in)) << "idle power without hours";
  in = {};
  in.pue = 1.2;
  EXPECT_FALSE(plan_of(in));
  in = with_power(4800);
  in.volts = 230;
  const auto plan = plan_of(in);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().hint.find("--phases 1 or 3, --power-factor 0.98"), std::string::npos);
}

constexpr char kResult[] = R"({"schema": "tokenjoule.result/1", "simulated": false,
  "modelled": false, "boundary": {"name": "gpu_board"}, "verdict": {"status": "usable"},
  "idle": {"watts": 900},
  "figures": {"joules_per_output_token": {"value": 0.15}, "mean_watts": {"value": 4800},
              "output_tokens_per_second": {"value": 32000}, "watt_hours_per_query": {"value": null}}})";

TEST(PlanInputsIn, TakesTheFiguresOfAResultWithTheirKind) {
  auto in = plan_inputs_in(kResult, "result.json");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->energy->kind, "measured_gpu");
  EXPECT_FALSE(in->query_energy) << "null is unknown";
  in->busy_hours = 12;
  const auto lines = lines_of(*in);
  EXPECT_EQ(lines.at("power.watts").kind, "measured_gpu");
  EXPECT_EQ(lines.at("power.kilowatt_hours_per_day").kind, "modelled");
  // (4800 + 900) W × 43 200 s / (32 000 tokens/s × 43 200 s)
  EXPECT_DOUBLE_EQ(value(lines, "idle_hours.joules_per_token_with_idle_hours"), 0.178125);
}

TEST(PlanInputsIn, WhatIsNoResultIsSaidSo) {
  EXPECT_FALSE(plan_inputs_in("[]", "x"));
  EXPECT_FALSE(plan_inputs_in("{}", "x"));
  EXPECT_FALSE(plan_inputs_in("<html>", "x"));
  EXPECT_FALSE(plan_inputs_in(R"({"schema": "tokenjoule.result/1", "figures": {}})", "x"));
}

}  // namespace
}  // namespace tokenjoule
