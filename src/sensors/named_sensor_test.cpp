#include "sensors/named_sensor.hpp"

#include <gtest/gtest.h>

#include "model/containment.hpp"

namespace tokenjoule {
namespace {

/// A PDU of two outlets, one counted and one in watts.
class Pdu final : public Sensor {
 public:
  Pdu() {
    for (const char* id : {"pdu/outlet-1", "pdu/outlet-2"}) {
      Device device;
      device.id = id;
      device.label = std::string(id).substr(4);
      device.kind = DeviceKind::node;
      contents_.devices.push_back(device);
      Signal signal;
      signal.id = static_cast<std::uint32_t>(contents_.signals.size());
      signal.sensor = "snmp";
      signal.device = id;
      signal.boundary = Boundary::node_ac;
      contents_.signals.push_back(signal);
    }
  }
  const SensorContents& contents() const override { return contents_; }
  Result<Sample> poll(Clock& clock) override {
    return Sample{{clock.now(), clock.now()}, {{0, 100}, {1, 200}}};
  }

 private:
  SensorContents contents_;
};

std::unique_ptr<Sensor> pdu() { return std::make_unique<Pdu>(); }

TEST(WithRole, ReadsTheSameUnderItsName) {
  FakeClock clock;
  auto named = with_role(pdu(), {"pdu-a", {}, {}});
  ASSERT_TRUE(named.has_value()) << named.error().message;
  for (const Signal& signal : (*named)->contents().signals) EXPECT_EQ(signal.sensor, "pdu-a");
  EXPECT_EQ((*named)->poll(clock)->readings.size(), 2u);
}

TEST(WithRole, ANodeIsAFactOfTheDeviceThatFeedsIt) {
  auto named =
      with_role(pdu(), {"pdu-a", {{"n1", "pdu-a:outlet-2", "pdu-a:outlet-2, b", "outlet-2"}}, {}});
  ASSERT_TRUE(named.has_value()) << named.error().message;
  const auto& devices = (*named)->contents().devices;
  EXPECT_EQ(fact_of(devices[0], kNodeFact), "");
  EXPECT_EQ(fact_of(devices[1], kNodeFact), "n1");
  EXPECT_EQ(fact_of(devices[1], kFeedFact), "pdu-a:outlet-2");
  EXPECT_EQ(fact_of(devices[1], kNodeFeedsFact), "pdu-a:outlet-2, b");
}

TEST(WithRole, ACalibrationIsOfItsDeviceAndTheReadingStaysRaw) {
  FakeClock clock;
  const Calibration calibration{1.002, 0.002, "C-1", "2026-03-01"};
  auto named = with_role(pdu(), {"pdu-a", {}, {{"pdu/outlet-1", calibration}}});
  ASSERT_TRUE(named.has_value()) << named.error().message;
  const auto& signals = (*named)->contents().signals;
  ASSERT_TRUE(signals[0].calibration.has_value());
  EXPECT_DOUBLE_EQ(si_factor(signals[0]), 1.002);
  EXPECT_FALSE(signals[1].calibration.has_value());
  EXPECT_EQ((*named)->poll(clock)->readings[0].raw, 100);
}

TEST(WithRole, ADeviceThatIsNotReadIsAnErrorWithASuggestion) {
  const auto named = with_role(pdu(), {"pdu-a", {{"n1", "", "", "pdu/outlet-3"}}, {}});
  ASSERT_FALSE(named.has_value());
  EXPECT_EQ(named.error().kind, ErrorKind::usage);
  EXPECT_NE(named.error().message.find("did you mean pdu/outlet-1"), std::string::npos)
      << named.error().message;
}

}  // namespace
}  // namespace tokenjoule
