#include "sensors/ipmi/dcmi_power.hpp"

#include <gtest/gtest.h>

#include "sensors/ipmi/ipmitool.hpp"

namespace tokenjoule {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// 412 W now, 400 to 432, mean 408 over 1000 ms, measuring; at 0x60000000 = 1610612736 s.
const Bytes kReply = {0x00, 0xdc, 0x9c, 0x01, 0x90, 0x01, 0xb0, 0x01, 0x98, 0x01,
                      0x00, 0x00, 0x00, 0x60, 0xe8, 0x03, 0x00, 0x00, 0x40};

TEST(DcmiPower, IsDecodedFromTheReply) {
  const auto power = dcmi_power_in(kReply);
  ASSERT_TRUE(power.has_value()) << power.error().message;
  EXPECT_EQ(power->current.value(), 412);  // 0x019c
  EXPECT_EQ(power->minimum.value(), 400);
  EXPECT_EQ(power->maximum.value(), 432);
  EXPECT_EQ(power->average.value(), 408);
  EXPECT_EQ(power->unix_seconds, 1610612736U);
  EXPECT_EQ(power->period.value(), 1.0);
  EXPECT_TRUE(power->active);
}

TEST(DcmiPower, OnlyBitSixSaysThatPowerIsBeingMeasured) {
  Bytes reply = kReply;
  reply.back() = 0xbf;
  EXPECT_FALSE(dcmi_power_in(reply)->active);
  reply.back() = 0xff;
  EXPECT_TRUE(dcmi_power_in(reply)->active);
}

TEST(DcmiPower, CompletionCodesAreSortedIntoThoseThatPassAndThoseThatDoNot) {
  const auto kind = [](std::uint8_t code) { return dcmi_power_in(Bytes{code}).error().kind; };
  for (const int code : {0xc0, 0xc3, 0xce, 0xd0, 0xd1, 0xd2, 0xd5}) {
    EXPECT_EQ(kind(static_cast<std::uint8_t>(code)), ErrorKind::retry) << code;
  }
  for (const int code : {0xc1, 0xc9, 0xcb, 0xcc, 0xd4, 0xff, 0x80}) {
    EXPECT_EQ(kind(static_cast<std::uint8_t>(code)), ErrorKind::unavailable) << code;
  }
  EXPECT_NE(dcmi_power_in(Bytes{0xc1}).error().message.find("0xc1"), std::string::npos);
  EXPECT_NE(dcmi_power_in(Bytes{0xd4}).error().hint.find("privilege="), std::string::npos);
}

TEST(DcmiPower, AnAnswerOfAnotherKindOrLengthIsNoReading) {
  EXPECT_FALSE(dcmi_power_in({}).has_value());
  EXPECT_FALSE(dcmi_power_in(std::span(kReply).first(18)).has_value());
  Bytes other = kReply;
  other[1] = 0xdd;
  EXPECT_FALSE(dcmi_power_in(other).has_value());
}

TEST(DcmiPower, NothingAndAllOnesAreNoPower) {
  EXPECT_FALSE(is_power(Watts(0)));
  EXPECT_FALSE(is_power(Watts(65535)));
  EXPECT_TRUE(is_power(Watts(1)));
}

TEST(IpmitoolReply, IsTheBytesThatItPrintedBehindACompletionCodeOfNone) {
  EXPECT_EQ(ipmitool_reply(" dc 9c 01 90 01 b0 01 98 01 00 00 00 60 e8 03 00\n 00 40\n"), kReply);
  EXPECT_EQ(ipmitool_reply("IANA PEN registry open failed: No such file or directory\n dc 01\n"),
            (Bytes{0x00, 0xdc, 0x01}));
  EXPECT_EQ(ipmitool_reply("Unable to Get Channel Cipher Suites\n dc\n"), (Bytes{0x00, 0xdc}));
}

TEST(IpmitoolReply, ARefusalIsItsCompletionCode) {
  EXPECT_EQ(ipmitool_reply("Unable to send RAW command (channel=0x0 netfn=0x2c lun=0x0 cmd=0x2 "
                           "rsp=0xc1): Invalid command\n"),
            Bytes{0xc1});
}

TEST(IpmitoolReply, WhateverElseItSaysIsQuotedAndTriedAgain) {
  const auto reply = ipmitool_reply("Error: Unable to establish IPMI v2 / RMCP+ session\n");
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().kind, ErrorKind::retry);
  EXPECT_NE(reply.error().message.find("Unable to establish"), std::string::npos);
  EXPECT_FALSE(ipmitool_reply("").has_value());
  EXPECT_FALSE(ipmitool_reply("\n \n").has_value());
}

}  // namespace
}  // namespace tokenjoule
