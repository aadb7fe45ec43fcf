#include "sensors/ipmi/ipmi_sensor.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "sensors/ipmi/dcmi_power.hpp"
#include "sensors/ipmi/ipmitool.hpp"
#include "sensors/pace.hpp"
#include "sensors/secret_setting.hpp"
#include "sensors/setting_values.hpp"

namespace tokenjoule {
namespace {

using Reply = Result<std::vector<std::uint8_t>>;
using Ask = std::function<Reply(const IpmiRequest&)>;

/// Get System GUID: IPMI 2.0, section 22.14.
const IpmiRequest kGetSystemGuid{0x06, 0x37, {}};

struct IpmiSettings {
  std::optional<IpmiLan> lan;  ///< absent: the controller of this machine
  std::string file;
  Nanoseconds timeout;
  Nanoseconds period;
  Boundary boundary = Boundary::node_ac;
  bool average = false;
  bool accept_inactive = false;
  std::string device;
  std::string group;
};

tl::unexpected<Error> bad(std::string message, std::string hint) {
  return failure(ErrorKind::usage, "the sensor ipmi: " + message, std::move(hint));
}

Result<std::optional<IpmiLan>> lan_in(const SensorSpec& spec) {
  IpmiLan lan{.host = text_setting(spec, "host"), .user = text_setting(spec, "user")};
  TRY(const auto password, secret_setting(spec, "password"));
  TRY(lan.port, number_setting(spec, "port", 623, 65535));
  lan.privilege = text_setting(spec, "privilege", "USER");
  TRY(const int cipher, number_setting(spec, "cipher", -1, 255));
  if (cipher >= 0) lan.cipher = std::to_string(cipher);
  if (lan.host.empty()) {
    for (const char* name :
         {"user", "password_env", "password_file", "port", "privilege", "cipher"}) {
      if (spec.settings.count(name) == 0) continue;
      return bad(fmt::format("{} is for a controller on the network", name), "give host=HOST too");
    }
    return std::optional<IpmiLan>();
  }
  if (lan.user.empty() || !password) {
    return bad("over the network it needs a user and a password",
               "give user=NAME and password_file=FILE or password_env=VARIABLE");
  }
  if (lan.privilege != "USER" && lan.privilege != "OPERATOR" && lan.privilege != "ADMINISTRATOR") {
    return bad(fmt::format("privilege={} is not known", quoted(lan.privilege)),
               "it may be USER, OPERATOR or ADMINISTRATOR");
  }
  lan.password = *password;
  return std::optional(lan);
}

Result<IpmiSettings> settings_in(const SensorSpec& spec) {
  constexpr Boundary kAllowed[] = {Boundary::node_ac, Boundary::node_dc};
  IpmiSettings settings;
  TRY(settings.lan, lan_in(spec));
  settings.file = text_setting(spec, "file", "/dev/ipmi0");
  if (settings.lan && spec.settings.count("file") != 0) {
    return bad("host and file exclude each other", "leave one of them out");
  }
  TRY(settings.timeout, duration_setting(spec, "timeout", whole_seconds(5), milliseconds(100)));
  TRY(settings.period, duration_setting(spec, "period", whole_seconds(2), milliseconds(500)));
  TRY(settings.boundary, boundary_setting(spec, Boundary::node_ac, kAllowed));
  TRY(settings.accept_inactive, yes_setting(spec, "accept_inactive"));
  const std::string value = text_setting(spec, "value", "current");
  if (value != "current" && value != "average") {
    return bad(fmt::format("value={} is not known", quoted(value)), "it may be current or average");
  }
  settings.average = value == "average";
  settings.device = text_setting(spec, "device");
  settings.group = text_setting(spec, "group");
  return settings;
}

/// How the controller is asked.
Result<Ask> way_to(const IpmiSettings& settings) {
  if (settings.lan) {
    return Ask([lan = *settings.lan, timeout = settings.timeout](const IpmiRequest& request) {
      return ask_over_lan(lan, request, timeout);
    });
  }
  TRY(IpmiDevice device, IpmiDevice::open(settings.file));
  // Shared, since a std::function must be one that could be copied.
  const auto shared = std::make_shared<IpmiDevice>(std::move(device));
  return Ask([shared, timeout = settings.timeout](const IpmiRequest& request) {
    return shared->ask(request, timeout);
  });
}

/// Of the node, so that it is the same over both ways; where it tells none, the host.
std::string device_of(const IpmiSettings& settings, const Ask& ask) {
  if (!settings.device.empty()) return settings.device;
  const auto reply = ask(kGetSystemGuid);
  if (reply && reply->size() == 17 && reply->front() == 0 &&
      std::any_of(reply->begin() + 1, reply->end(), [](std::uint8_t byte) { return byte != 0; })) {
    std::string guid;
    for (std::size_t i = 1; i < reply->size(); ++i) guid += fmt::format("{:02x}", (*reply)[i]);
    return "ipmi:" + guid;
  }
  return "ipmi:" + (settings.lan ? settings.lan->host : settings.file);
}

class IpmiSensor final : public Sensor {
 public:
  IpmiSensor(IpmiSettings settings, Ask ask)
      : settings_(std::move(settings)), ask_(std::move(ask)), pace_(settings_.period) {}

  Status open() {
    auto power = read();
    if (!power) {
      Error error = std::move(power).error();
      error.kind = ErrorKind::missing;
      return unexpected(std::move(error));
    }
    if (const std::string why = why_absent(*power); !why.empty()) {
      return failure(ErrorKind::missing,
                     "no power can be read from the management controller: " + why,
                     power->active ? "try redfish, or a PDU"
                                   : "where its value follows the load all the same give "
                                     "accept_inactive=yes");
    }
    averaging_ = power->period;
    contents_.devices.push_back({.id = device_of(settings_, ask_),
                                 .kind = DeviceKind::node,
                                 .label = settings_.lan ? settings_.lan->host : "",
                                 .group = settings_.group});
    if (!power->active) contents_.devices.back().facts["dcmi_power_measurement"] = "inactive";
    contents_.signals.push_back(signal());
    return {};
  }

  const SensorContents& contents() const override { return contents_; }
  bool keeps_own_pace() const override { return true; }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  Result<Sample> poll(Clock& clock) override {
    if (!pace_.wait_for_slot(clock)) {
      return Sample{.read = {clock.now(), clock.now()}, .readings = {}};
    }
    const MonoTime before = clock.now();
    const auto power = read();
    const TimeSpan read{before, clock.now()};
    if (!power) return unexpected(power.error());
    Sample sample{.read = read, .readings = {}};
    if (const std::string why = why_absent(*power); why.empty()) {
      sample.readings.push_back({0, wanted(*power).value()});
    } else {
      losses_.push_back({.span = read, .what = "reading", .source = "", .reason = why});
    }
    return sample;
  }

 private:
  Result<DcmiPower> read() {
    TRY(const auto reply, ask_(kGetPowerReading));
    return dcmi_power_in(reply);
  }

  Watts wanted(const DcmiPower& power) const {
    return settings_.average ? power.average : power.current;
  }

  Signal signal() const {
    Signal signal{.sensor = "ipmi",
                  .device = contents_.devices.front().id,
                  .measurand = Measurand::power,
                  .kind = SignalKind::gauge,
                  .boundary = settings_.boundary,
                  .source = settings_.average ? "DCMI Get Power Reading: average"
                                              : "DCMI Get Power Reading: current",
                  .raw_unit = "W",
                  .period = to_seconds(settings_.period)};
    if (settings_.average) signal.averaging = averaging_;
    return signal;
  }

  /// Why a reply holds no reading; "" for one that does.
  std::string why_absent(const DcmiPower& power) const {
    if (!power.active && !settings_.accept_inactive) {
      return fmt::format("it says that it is not measuring (it gives {:g} W)",
                         power.current.value());
    }
    if (!is_power(wanted(power))) {
      return fmt::format("it gives {:g} W, which no machine draws", wanted(power).value());
    }
    if (!settings_.average) return "";
    if (power.period <= Seconds(0)) return "it does not say what its average is over";
    if (averaging_ > Seconds(0) && power.period != averaging_) {
      return "its average is over another time than at the start";
    }
    return "";
  }

  IpmiSettings settings_;
  Ask ask_;
  Pace pace_;
  SensorContents contents_;
  Seconds averaging_;  ///< what averages are over, as told at the start
  std::vector<Loss> losses_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_ipmi(const SensorSpec& spec, Clock&) {
  TRY(IpmiSettings settings, settings_in(spec));
  TRY(Ask ask, way_to(settings));
  auto sensor = std::make_unique<IpmiSensor>(std::move(settings), std::move(ask));
  TRY_DO(sensor->open());
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
