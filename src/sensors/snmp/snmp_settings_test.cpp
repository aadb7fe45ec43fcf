#include "sensors/snmp/snmp_settings.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

using Settings = std::map<std::string, std::string>;

/// Settings that do, with `more` on top; "" takes one away.
Result<SnmpSettings> with(const Settings& more) {
  Settings settings = {{"host", "pdu-1"}, {"community", "public"}, {"profile", "apc"}};
  for (const auto& [key, value] : more) {
    if (value.empty()) {
      settings.erase(key);
    } else {
      settings[key] = value;
    }
  }
  return snmp_settings_in({"snmp", std::move(settings)});
}

class Secret {
 public:
  Secret(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Secret() { unsetenv(name_); }

 private:
  const char* name_;
};

std::vector<std::string> oids_of(const SnmpMeter& meter) {
  std::vector<std::string> oids;
  for (const SnmpPoint& point : meter.points) oids.push_back(text_of(point.oid));
  return oids;
}

TEST(SnmpSettings, AHostMayHaveAPort) {
  EXPECT_EQ(with({})->access.port, 161);
  EXPECT_EQ(with({{"host", "pdu-1:1161"}})->access.port, 1161);
  EXPECT_EQ(with({{"host", "[::1]"}})->access.host, "::1");
  EXPECT_EQ(with({{"host", "[::1]"}})->access.port, 161);
  EXPECT_EQ(with({{"host", "[::1]:99"}})->access.port, 99);
  for (const char* bad : {"http://x", "a b", "x:0", "x/y", "public@x"}) {
    EXPECT_FALSE(with({{"host", bad}}).has_value()) << bad;
  }
}

TEST(SnmpSettings, ACommunityComesByReferenceAndPublicOnlyIfStated) {
  EXPECT_EQ(with({})->access.community, "public");
  const Secret secret("TOKENJOULE_TEST_COMMUNITY", "s3cret");
  EXPECT_EQ(
      with({{"community", ""}, {"community_env", "TOKENJOULE_TEST_COMMUNITY"}})->access.community,
      "s3cret");
  for (const Settings& bad : {Settings{{"community", ""}}, Settings{{"community", "s3cret"}},
                              Settings{{"community_env", "TOKENJOULE_TEST_COMMUNITY"}}}) {
    const auto settings = with(bad);
    ASSERT_FALSE(settings.has_value());
    EXPECT_EQ(settings.error().kind, ErrorKind::usage);
    EXPECT_EQ(settings.error().message.find("s3cret"), std::string::npos);
  }
}

TEST(SnmpSettings, VersionThreeTakesAUserAndProtocolsWithPasswordsByReference) {
  const Secret auth("TOKENJOULE_TEST_AUTH", "auth-pass-1");
  const Secret priv("TOKENJOULE_TEST_PRIV", "priv-pass-1");
  const Settings v3 = {{"community", ""},
                       {"version", "3"},
                       {"user", "reader"},
                       {"auth", "SHA-256"},
                       {"auth_password_env", "TOKENJOULE_TEST_AUTH"},
                       {"priv", "AES"},
                       {"priv_password_env", "TOKENJOULE_TEST_PRIV"}};
  const auto settings = with(v3);
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_EQ(settings->access.user, "reader");
  EXPECT_EQ(settings->access.auth_password, "auth-pass-1");
  EXPECT_EQ(settings->access.priv_protocol, "AES");
  for (const auto& [key, value] : Settings{{"user", ""},
                                           {"auth", ""},
                                           {"auth", "SHA3"},
                                           {"priv", "ROT13"},
                                           {"auth_password_env", ""},
                                           {"priv", ""},
                                           {"community", "public"}}) {
    Settings broken = v3;
    broken[key] = value;
    EXPECT_EQ(with(broken).error().kind, ErrorKind::usage) << key << '=' << value;
  }
  const Secret brief("TOKENJOULE_TEST_AUTH", "seven77");
  EXPECT_NE(with(v3).error().message.find("shorter"), std::string::npos);
}

TEST(SnmpSettings, OptionsOfTheOtherVersionAreRefusedAndNotIgnored) {
  EXPECT_FALSE(with({{"version", "1"}}).has_value());
  EXPECT_FALSE(with({{"version", "2c"}, {"user", "x"}}).has_value());
  EXPECT_FALSE(with({{"version", "2c"}, {"auth", "SHA"}}).has_value());
}

TEST(SnmpSettings, AnOidNeedsUnitAndBoundary) {
  const Settings oid = {{"profile", ""},
                        {"oid", "1.3.6.1.4.1.99.1"},
                        {"unit", "0.1W"},
                        {"boundary", "node_ac"},
                        {"device", "node-7"}};
  const auto settings = with(oid);
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_EQ(settings->meters.at(0).device, "node-7");
  EXPECT_EQ(settings->meters[0].points.at(0).unit.to_si, 0.1);
  EXPECT_EQ(settings->boundary, Boundary::node_ac);
  for (const char* key : {"unit", "boundary", "oid"}) {
    Settings broken = oid;
    broken[key] = "";
    EXPECT_EQ(with(broken).error().kind, ErrorKind::usage) << key;
  }
  Settings both = oid;
  both["profile"] = "apc";
  EXPECT_FALSE(with(both).has_value());
  Settings outlet = oid;
  outlet["outlet"] = "3";
  EXPECT_FALSE(with(outlet).has_value());
  EXPECT_FALSE(with({{"unit", "W"}}).has_value()) << "a profile knows its unit";
}

TEST(SnmpSettings, OutletsAreDevicesByAddressAndNumber) {
  const auto settings = with({{"outlet", "3+5"}});
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  ASSERT_EQ(settings->meters.size(), 2u);
  EXPECT_EQ(settings->meters[0].device, "pdu-1/outlet-3");
  EXPECT_EQ(settings->meters[1].device, "pdu-1/outlet-5");
  EXPECT_EQ(settings->boundary, Boundary::node_ac);
  EXPECT_EQ(with({})->boundary, Boundary::rack) << "an inlet feeds all outlets";
  EXPECT_EQ(with({{"boundary", "node_ac"}})->boundary, Boundary::node_ac);
  EXPECT_EQ(with({{"outlet", "3"}, {"device", "node-7"}})->meters.at(0).device, "node-7");
  for (const char* bad : {"3+3", "x", "-1", "3+"}) {
    EXPECT_FALSE(with({{"outlet", bad}}).has_value()) << bad;
  }
  EXPECT_FALSE(with({{"outlet", "1"}, {"phase", "1"}}).has_value());
}

TEST(SnmpSettings, EachProfileReadsItsMakersPlaces) {
  const auto oids = [](const Settings& more) { return oids_of(with(more)->meters.at(0)); };
  EXPECT_EQ(oids({{"profile", "apc"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.318.1.1.26.4.3.1.5.1",
                                      "1.3.6.1.4.1.318.1.1.26.4.3.1.9.1"}));
  EXPECT_EQ(oids({{"profile", "apc"}, {"phase", "2"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.318.1.1.26.6.3.1.7.2"}));
  EXPECT_EQ(oids({{"profile", "raritan"}, {"outlet", "12"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.13742.6.5.4.3.1.4.1.12.5",
                                      "1.3.6.1.4.1.13742.6.5.4.3.1.4.1.12.8"}));
  EXPECT_EQ(oids({{"profile", "raritan"}, {"pdu", "2"}, {"inlet", "1"}, {"phase", "3"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.13742.6.5.2.4.1.4.2.1.3.5",
                                      "1.3.6.1.4.1.13742.6.5.2.4.1.4.2.1.3.8"}));
  EXPECT_EQ(oids({{"profile", "servertech"}, {"inlet", "2"}, {"outlet", "7"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.1718.4.1.8.3.1.7.1.2.7",
                                      "1.3.6.1.4.1.1718.4.1.8.3.1.14.1.2.7"}));
  EXPECT_EQ(oids({{"profile", "servertech"}, {"inlet", "2"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.1718.4.1.3.3.1.3.1.2",
                                      "1.3.6.1.4.1.1718.4.1.3.3.1.10.1.2"}));
  EXPECT_EQ(oids({{"profile", "eaton"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.534.6.6.7.3.5.1.4.0.1",
                                      "1.3.6.1.4.1.534.6.6.7.3.5.1.5.0.1"}));
  EXPECT_EQ(oids({{"profile", "eaton"}, {"outlet", "9"}}),
            (std::vector<std::string>{"1.3.6.1.4.1.534.6.6.7.6.5.1.3.0.9",
                                      "1.3.6.1.4.1.534.6.6.7.6.5.1.4.0.9"}));
  EXPECT_NE(with({{"profile", "rariten"}}).error().message.find("raritan"), std::string::npos);
}

TEST(SnmpSettings, UnitsFollowTheMakersTables) {
  const auto to_si = [](const Settings& more) {
    const auto settings = with(more);
    std::vector<double> factors;
    for (const SnmpPoint& point : settings->meters.at(0).points)
      factors.push_back(point.unit.to_si);
    return factors;
  };
  // APC: 1/100 kW = 10 W and 1/10 kWh = 360 kJ for the whole, W and 360 kJ for an outlet.
  EXPECT_EQ(to_si({{"profile", "apc"}}), (std::vector<double>{10, 360000}));
  EXPECT_EQ(to_si({{"profile", "apc"}, {"outlet", "1"}}), (std::vector<double>{1, 360000}));
  EXPECT_EQ(to_si({{"profile", "servertech"}}), (std::vector<double>{1, 360000}));
  EXPECT_EQ(to_si({{"profile", "servertech"}, {"outlet", "1"}}), (std::vector<double>{1, 3600}));
  EXPECT_EQ(to_si({{"profile", "eaton"}, {"outlet", "1"}}), (std::vector<double>{1, 3600}));
}

TEST(SnmpSettings, WaitingIsBounded) {
  EXPECT_EQ(with({{"timeout", "250ms"}})->access.timeout, Seconds(0.25));
  EXPECT_EQ(with({{"retries", "0"}})->access.retries, 0);
  for (const Settings& bad :
       {Settings{{"timeout", "5m"}}, Settings{{"timeout", "0"}}, Settings{{"retries", "11"}},
        Settings{{"retries", "-1"}}, Settings{{"period", "1ms"}}}) {
    EXPECT_EQ(with(bad).error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace tokenjoule
