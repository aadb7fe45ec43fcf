#include "sensors/named_sensor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "model/containment.hpp"

namespace tokenjoule {

namespace {

bool is_of_node(const Signal& signal) {
  return signal.boundary == Boundary::psys || signal.boundary == Boundary::node_dc ||
         signal.boundary == Boundary::node_ac || signal.boundary == Boundary::rack;
}

bool is_called(const Device& device, const std::string& name) {
  return name.empty() || device.id == name || device.label == name;
}

/// Devices of that name; an error where the sensor has none.
Result<std::vector<Device*>> devices_called(SensorContents& contents, const std::string& name,
                                            const std::string& sensor) {
  std::vector<Device*> called;
  std::vector<std::string> known;
  for (Device& device : contents.devices) {
    known.push_back(device.id);
    if (is_called(device, name)) called.push_back(&device);
  }
  if (!called.empty()) return called;
  return failure(ErrorKind::usage,
                 fmt::format("the sensor {} reads no device \"{}\"{}", sensor, quoted(name),
                             did_you_mean(name, known)),
                 fmt::format("it reads: {}", fmt::join(known, ", ")));
}

Status add_node(SensorContents& contents, const NodeRole& role, const std::string& sensor) {
  TRY(const auto devices, devices_called(contents, role.device, sensor));
  bool any = false;
  for (Device* device : devices) {
    const auto reads = [&](const Signal& signal) {
      return signal.device == device->id && is_of_node(signal);
    };
    if (!std::any_of(contents.signals.begin(), contents.signals.end(), reads)) continue;
    any = true;
    device->facts[kNodeFact] = role.node;
    if (role.feed.empty()) continue;
    device->facts[kFeedFact] = role.feed;
    device->facts[kNodeFeedsFact] = role.feeds;
  }
  if (any) return {};
  return failure(ErrorKind::usage,
                 fmt::format("the sensor {} is listed for the node {}, and reads nothing at the "
                             "boundary of a node",
                             sensor, role.node),
                 "list sensors of a PDU, a plug or a BMC there");
}

Status add_calibration(SensorContents& contents, const DeviceCalibration& of,
                       const std::string& sensor) {
  TRY(const auto devices, devices_called(contents, of.device, sensor));
  for (Signal& signal : contents.signals) {
    const bool power = signal.measurand == Measurand::power;
    if (!power && signal.measurand != Measurand::energy) continue;
    const auto is_its = [&](const Device* device) { return device->id == signal.device; };
    if (std::any_of(devices.begin(), devices.end(), is_its)) signal.calibration = of.calibration;
  }
  return {};
}

class NamedSensor final : public Sensor {
 public:
  NamedSensor(std::unique_ptr<Sensor> sensor, SensorContents contents)
      : sensor_(std::move(sensor)), contents_(std::move(contents)) {}
  const SensorContents& contents() const override { return contents_; }
  Result<Sample> poll(Clock& clock) override { return sensor_->poll(clock); }
  bool has_more() const override { return sensor_->has_more(); }
  bool keeps_own_pace() const override { return sensor_->keeps_own_pace(); }
  std::vector<Loss> take_losses() override { return sensor_->take_losses(); }

 private:
  std::unique_ptr<Sensor> sensor_;
  SensorContents contents_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> with_role(std::unique_ptr<Sensor> sensor, const SensorRole& role) {
  SensorContents contents = sensor->contents();
  if (!role.name.empty()) {
    for (Signal& signal : contents.signals) signal.sensor = role.name;
  }
  for (const NodeRole& node : role.nodes) TRY_DO(add_node(contents, node, role.name));
  for (const DeviceCalibration& of : role.calibrations) {
    TRY_DO(add_calibration(contents, of, role.name));
  }
  return std::unique_ptr<Sensor>(
      std::make_unique<NamedSensor>(std::move(sensor), std::move(contents)));
}

}  // namespace tokenjoule
