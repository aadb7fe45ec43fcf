#include "published/power_log.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

PowerLog log_of(std::string_view text) {
  auto log = power_log_in(text);
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return log.value_or(PowerLog());
}

TEST(PowerLog, ReadsNvidiaSmiWithUnitsAndWithoutZone) {
  const auto log = log_of(
      "timestamp, index, power.draw [W]\n"
      "1970/01/02 00:00:00.500, 0, 100.0 W\n1970/01/02 00:00:01.500, 0, 300.0 W\n"
      "1970/01/02 00:00:01.600, 1, [N/A]\n");
  EXPECT_FALSE(log.zone_known);
  ASSERT_EQ(log.gpus.size(), 1U);
  EXPECT_EQ(log.gpus[0].seconds, (std::vector<double>{86400.5, 86401.5}));
  EXPECT_EQ(log.gpus[0].watts, (std::vector<double>{100, 300}));
}

TEST(PowerLog, RowsWithOtherCellsThanTheHeaderAreNotRead) {
  const auto log = log_of(
      "timestamp_unix,gpu_index,power_w\n"
      "10,7,0,600\n10,0,500\n11,0,500\n");
  ASSERT_EQ(log.gpus.size(), 1U);
  EXPECT_EQ(log.gpus[0].watts, (std::vector<double>{500, 500}));
  EXPECT_FALSE(power_log_in("timestamp_unix,gpu_index,power_w\n10,7,0,600\n"));
}

TEST(PowerLog, ReadsSamplesOfSeveralNodesAndAmdSmi) {
  const auto nodes = log_of(
      "schema_version,timestamp_unix,scrape_seq,hostname,gpu_index,gpu_uuid,power_w\n"
      "1,10.0,0,a,0,x,100\n1,10.0,0,b,0,y,200\n");
  EXPECT_TRUE(nodes.zone_known);
  ASSERT_EQ(nodes.gpus.size(), 2U);
  EXPECT_EQ(nodes.gpus[1].gpu, "b:0");
  EXPECT_EQ(log_of("timestamp,gpu,socket_power\n10,3,750\n").gpus[0].watts[0], 750);
}

TEST(PowerLog, ConstantPowerIsPowerTimesTimeAlsoBetweenSamples) {
  const auto log = log_of("timestamp,index,power_w\n0,0,100\n2,0,100\n4,0,100\n6,0,100\n");
  const auto energy = energy_between(log, 1, 4.5);
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->at(0).joules, 350);  // 100 W for 3.5 s
  EXPECT_DOUBLE_EQ(energy->at(0).mean_w, 100);
}

TEST(PowerLog, PowerBetweenSamplesIsInterpolated) {
  const auto log = log_of("timestamp,index,power_w\n0,0,0\n2,0,200\n");
  // From 0.5 s (50 W) to 1.5 s (150 W): the mean is 100 W for 1 s.
  EXPECT_DOUBLE_EQ(energy_between(log, 0.5, 1.5)->at(0).joules, 100);
}

TEST(PowerLog, TwoSamplesOfOneStampCountAsTheirMean) {
  const auto log = log_of("timestamp,index,power_w\n0,0,100\n0,0,300\n1,0,200\n");
  EXPECT_DOUBLE_EQ(energy_between(log, 0, 1)->at(0).joules, 200);
}

TEST(PowerLog, WhatDoesNotCoverTheRunOrHasAGapIsRefused) {
  const auto log = log_of("timestamp,index,power_w\n0,0,100\n2,0,100\n6,0,100\n8,0,100\n");
  EXPECT_FALSE(energy_between(log, 1, 9));
  const auto gap = energy_between(log, 1, 7);
  ASSERT_FALSE(gap);
  EXPECT_NE(gap.error().message.find("gap of 4.0 s"), std::string::npos);
  EXPECT_TRUE(energy_between(log, 6.5, 7.5));  // the gap lies outside
}

}  // namespace
}  // namespace tokenjoule
