#include "sensors/snmp/snmp_value.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using Type = SnmpValue::Type;

TEST(SnmpOid, IsNumbersWithOrWithoutALeadingDot) {
  EXPECT_EQ(*snmp_oid_in("1.3.6.1"), (SnmpOid{1, 3, 6, 1}));
  EXPECT_EQ(*snmp_oid_in(".1.3.6.4294967295"), (SnmpOid{1, 3, 6, 4294967295}));
  EXPECT_EQ(text_of({1, 3, 6}), "1.3.6");
  for (const char* text :
       {"", ".", "1", "1..3", "1.-3", "1.x", "1.3.", "sysUpTime.0", "1.4294967296", "1.+3"}) {
    EXPECT_EQ(snmp_oid_in(text).error().kind, ErrorKind::usage) << text;
  }
}

TEST(SnmpNumber, NoSuchInstanceAndNegativeSentinelsAreAbsentAndNeverZero) {
  EXPECT_FALSE(snmp_number({.type = Type::absent, .absence = "no such instance"}).has_value());
  EXPECT_FALSE(snmp_number({.type = Type::integer, .number = -1}).has_value());
  EXPECT_FALSE(snmp_number({.type = Type::unsigned32, .number = 4294967295.0}).has_value());
  EXPECT_FALSE(snmp_number({.type = Type::text, .text = "N/A"}).has_value());
  EXPECT_FALSE(snmp_number({.type = Type::text, .text = "-1"}).has_value());
  EXPECT_FALSE(snmp_number({.type = Type::text, .text = ""}).has_value());
}

TEST(SnmpNumber, NumbersOfEachTypeAreTaken) {
  EXPECT_EQ(snmp_number({.type = Type::integer, .number = 0}), 0.0);
  EXPECT_EQ(snmp_number({.type = Type::unsigned32, .number = 4294967294.0}), 4294967294.0);
  EXPECT_EQ(snmp_number({.type = Type::counter32, .number = 4294967295.0}), 4294967295.0);
  EXPECT_EQ(snmp_number({.type = Type::text, .text = " 412.5 "}), 412.5);
}

TEST(SnmpModulus, FollowsTheTypeOfTheCounter) {
  EXPECT_EQ(snmp_modulus(Type::integer), 2147483648.0);
  EXPECT_EQ(snmp_modulus(Type::counter32), 4294967296.0);
  EXPECT_EQ(snmp_modulus(Type::unsigned32), 4294967296.0);
  EXPECT_FALSE(snmp_modulus(Type::counter64).has_value());
}

}  // namespace
}  // namespace tokenjoule
