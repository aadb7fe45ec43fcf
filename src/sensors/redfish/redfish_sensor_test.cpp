#include "sensors/redfish/redfish_sensor.hpp"

#include <cstdlib>
#include <mutex>

#include <gtest/gtest.h>

#include "sensors/redfish/testing_bmc.hpp"
#include "sensors/sampler.hpp"

namespace tokenjoule {
namespace {

const std::string kPower = "/redfish/v1/Chassis/1/Power";
const std::string kEnvironment = "/redfish/v1/Chassis/1/EnvironmentMetrics";

void set_power(TestBmc& bmc, const std::string& watts) {
  bmc.set(kPower, "{\"PowerControl\":[{\"PowerConsumedWatts\":" + watts + "}]}");
}

/// A chassis with one page of each generation of the schema.
void furnish(TestBmc& bmc) {
  bmc.set("/redfish/v1/Chassis", R"({"Members":[{"@odata.id":"/redfish/v1/Chassis/1"}]})");
  bmc.set("/redfish/v1/Chassis/1", R"({"UUID":"11-22","EnvironmentMetrics":{"@odata.id":")" +
                                       kEnvironment + R"("},"Power":{"@odata.id":")" + kPower +
                                       R"("}})");
  bmc.set(kEnvironment, R"({"EnergykWh":{"Reading":12.5}})");
  set_power(bmc, "412");
}

class RedfishSensorTest : public testing::Test {
 protected:
  RedfishSensorTest() {
    setenv("TOKENJOULE_TEST_PASSWORD", "s3cret", 1);
    furnish(bmc);
  }
  ~RedfishSensorTest() override { unsetenv("TOKENJOULE_TEST_PASSWORD"); }

  /// With a user and the certificate, and `more` on top of that.
  Result<std::unique_ptr<Sensor>> opened(std::map<std::string, std::string> more = {}) {
    std::map<std::string, std::string> settings = {{"url", bmc.url()},
                                                   {"user", "admin"},
                                                   {"password_env", "TOKENJOULE_TEST_PASSWORD"},
                                                   {"cacert", bmc.identity().file()}};
    for (auto& [key, value] : more) settings[key] = value;
    std::erase_if(settings, [](const auto& setting) { return setting.second.empty(); });
    return open_redfish({"redfish", settings}, clock);
  }

  TestBmc bmc;
  FakeClock clock;
};

/// The next sample with readings, or the error.
Result<Sample> next_of(Sensor& sensor, Clock& clock) {
  auto sample = sensor.poll(clock);
  while (sample && sample->readings.empty()) sample = sensor.poll(clock);
  return sample;
}

TEST_F(RedfishSensorTest, LogsInReadsBothGenerationsOfTheSchemaAndLogsOut) {
  {
    auto sensor = opened({{"group", "g"}});
    ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
    EXPECT_TRUE((*sensor)->keeps_own_pace());
    const SensorContents& contents = (*sensor)->contents();
    ASSERT_EQ(contents.signals.size(), 2U);
    EXPECT_EQ(contents.devices.at(0).id, "redfish:11-22");
    EXPECT_EQ(contents.devices[0].group, "g");
    EXPECT_EQ(contents.signals[0].period->value(), 2.0);
    // One page a poll, so that a slow one does not blur the other's time.
    const auto energy = next_of(**sensor, clock);
    ASSERT_TRUE(energy.has_value()) << energy.error().message;
    EXPECT_EQ(energy->readings.at(0).raw, 12.5);
    EXPECT_TRUE((*sensor)->has_more());
    const auto power = next_of(**sensor, clock);
    ASSERT_TRUE(power.has_value());
    EXPECT_EQ(power->readings.at(0).signal, 1U);
    EXPECT_EQ(power->readings.at(0).raw, 412.0);
    EXPECT_FALSE((*sensor)->has_more());
    EXPECT_EQ(bmc.open_sessions(), 1U);
  }
  EXPECT_EQ(bmc.open_sessions(), 0U);
  EXPECT_EQ(bmc.logins(), 1);
  EXPECT_NE(bmc.requests().find("DELETE /redfish/v1/SessionService/Sessions/1 "),
            std::string::npos);
}

TEST_F(RedfishSensorTest, LogsOutAlsoWhereItCannotBeOpened) {
  for (int i = 0; i < 3; ++i) {  // more often than the controller has sessions
    const auto sensor = opened({{"chassis", "2"}});
    ASSERT_FALSE(sensor.has_value());
    EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
    EXPECT_NE(sensor.error().message.find("no chassis 2"), std::string::npos)
        << sensor.error().message;
    EXPECT_EQ(bmc.open_sessions(), 0U);
  }
}

TEST_F(RedfishSensorTest, ASessionThatExpiredIsMadeAnewWithoutAGap) {
  auto sensor = opened();
  ASSERT_TRUE(sensor.has_value());
  bmc.expire_sessions();
  EXPECT_TRUE(next_of(**sensor, clock).has_value());
  EXPECT_EQ(bmc.logins(), 2);
  sensor->reset();
  EXPECT_EQ(bmc.open_sessions(), 0U);
}

TEST_F(RedfishSensorTest, AUserWhoIsRefusedIsNotTriedAgain) {
  setenv("TOKENJOULE_TEST_PASSWORD", "wrong", 1);
  const auto sensor = opened();
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().message.find("refuses the user admin"), std::string::npos)
      << sensor.error().message;
  EXPECT_EQ(sensor.error().message.find("wrong"), std::string::npos);  // no secret is shown
  EXPECT_EQ(bmc.logins(), 1);
}

TEST_F(RedfishSensorTest, AUserWhoIsRefusedInMidRunEndsTheSensor) {
  auto sensor = opened();
  ASSERT_TRUE(sensor.has_value());
  bmc.refuse_user();
  EXPECT_EQ(next_of(**sensor, clock).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(bmc.logins(), 2);
}

TEST_F(RedfishSensorTest, TooManySessionsAreSaid) {
  bmc.occupy_sessions();
  const auto sensor = opened();
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_NE(sensor.error().hint.find("too many"), std::string::npos);
}

TEST_F(RedfishSensorTest, BasicAuthenticationNeedsNoSession) {
  auto sensor = opened({{"auth", "basic"}});
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_TRUE(next_of(**sensor, clock).has_value());
  EXPECT_EQ(bmc.logins(), 0);
}

TEST_F(RedfishSensorTest, WithoutAUserAControllerThatWantsOneSaysSo) {
  const auto sensor = opened({{"user", ""}, {"password_env", ""}});
  ASSERT_FALSE(sensor.has_value());
  EXPECT_NE(sensor.error().hint.find("user=NAME"), std::string::npos);
}

TEST_F(RedfishSensorTest, TheControllerIsKnownByItsCertificate) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(bmc.identity().certificate.get(), EVP_sha256(), bytes, &size);
  std::string pin;
  for (unsigned i = 0; i < size; ++i) pin += fmt::format("{:02x}", bytes[i]);
  EXPECT_TRUE(opened({{"cacert", ""}, {"fingerprint", pin}}).has_value());
  EXPECT_TRUE(opened({{"cacert", ""}, {"insecure", "yes"}}).has_value());
  const int logins = bmc.logins();
  for (const std::map<std::string, std::string>& bad :
       {std::map<std::string, std::string>{{"cacert", ""}},
        {{"cacert", ""}, {"fingerprint", std::string(64, '0')}},
        {{"cacert", make_certificate().file()}}}) {
    const auto sensor = opened(bad);
    ASSERT_FALSE(sensor.has_value());
    EXPECT_NE(sensor.error().message.find("certificate"), std::string::npos);
  }
  EXPECT_EQ(bmc.logins(), logins);  // whoever is not trusted gets no password
}

TEST_F(RedfishSensorTest, NullOnceIsAGapThatIsTold) {
  auto sensor = opened();
  ASSERT_TRUE(sensor.has_value());
  (void)next_of(**sensor, clock);
  set_power(bmc, "null");
  const auto sample = (*sensor)->poll(clock);
  ASSERT_TRUE(sample.has_value());
  EXPECT_TRUE(sample->readings.empty());
  const auto losses = (*sensor)->take_losses();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].what, "reading");
  EXPECT_NE(losses[0].reason.find("PowerControl/0/PowerConsumedWatts"), std::string::npos);
  EXPECT_TRUE((*sensor)->take_losses().empty());
}

TEST_F(RedfishSensorTest, AnAnswerThatDoesNotComeInTimeIsTriedAgainAndSaysWhy) {
  auto sensor = opened({{"timeout", "0.2s"}});
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  bmc.hang();
  const auto late = next_of(**sensor, clock);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().kind, ErrorKind::retry);
  EXPECT_NE(late.error().message.find("no answer in time"), std::string::npos);
  bmc.answer_again();
  EXPECT_TRUE(next_of(**sensor, clock).has_value());
}

/// Reads 1 W at once, whenever it is asked.
class QuickSensor final : public Sensor {
 public:
  QuickSensor() { contents_.signals.push_back({.sensor = "quick", .device = "d"}); }
  const SensorContents& contents() const override { return contents_; }
  Result<Sample> poll(Clock& clock) override {
    return Sample{.read = {clock.now(), clock.now()}, .readings = {{0, 1.0}}};
  }

 private:
  SensorContents contents_;
};

TEST_F(RedfishSensorTest, ASlowControllerDelaysNoOtherSensor) {
  auto slow = opened({{"timeout", "60s"}});
  ASSERT_TRUE(slow.has_value());
  std::vector<std::unique_ptr<Sensor>> sensors;
  sensors.push_back(std::move(*slow));
  sensors.push_back(std::make_unique<QuickSensor>());
  SystemClock real;
  std::mutex mutex;
  std::condition_variable read;
  int quick = 0;
  int slow_ones = 0;
  Sampler sampler(std::move(sensors), real,
                  [&](Event event) {
                    const auto* sample = std::get_if<Sample>(&event);
                    if (sample == nullptr) return;
                    const std::lock_guard lock(mutex);
                    ++(sample->readings.at(0).signal == 2 ? quick : slow_ones);
                    read.notify_all();
                  },
                  {.period = milliseconds(1)});
  bmc.hang();
  sampler.start(sampler.devices());
  bmc.wait_until_asked();
  {
    std::unique_lock lock(mutex);
    const int before = quick;
    read.wait(lock, [&] { return quick >= before + 20; });
    EXPECT_EQ(slow_ones, 0);
  }
  bmc.answer_again();
  {
    std::unique_lock lock(mutex);
    read.wait(lock, [&] { return slow_ones > 0; });
  }
  sampler.stop();
  EXPECT_TRUE(sampler.lost().empty());
}

TEST_F(RedfishSensorTest, SettingsThatDoNotFitAreUsageErrors) {
  for (const std::map<std::string, std::string>& bad :
       {std::map<std::string, std::string>{{"url", "https://a:b@bmc"}},
        {{"url", "https://bmc/ui"}},
        {{"url", "bmc"}},
        {{"url", "http://127.0.0.1:1"}},
        {{"user", ""}},
        {{"password_env", ""}},
        {{"auth", "digest"}},
        {{"source", "all"}},
        {{"period", "0.1s"}},
        {{"boundary", "dram"}},
        {{"cacert", ""}, {"fingerprint", "12"}}}) {
    const auto sensor = opened(bad);
    ASSERT_FALSE(sensor.has_value()) << bad.begin()->second;
    EXPECT_EQ(sensor.error().kind, ErrorKind::usage) << sensor.error().message;
    EXPECT_FALSE(sensor.error().hint.empty());
  }
}

}  // namespace
}  // namespace tokenjoule
