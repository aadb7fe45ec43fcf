#include "sensors/snmp/snmp_sensor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/containment.hpp"
#include "sensors/counter_unwrapper.hpp"
#include "sensors/exec/exec_line.hpp"
#include "sensors/snmp/snmp_settings.hpp"

namespace tokenjoule {

namespace {

/// One OID that is polled, and what makes its counter continuous.
struct Polled {
  SnmpOid oid;
  std::optional<CounterUnwrapper> unwrapper;
};

/// A point as found at the agent: its unit with the digits that the agent told, and its type.
struct Found {
  const SnmpMeter* meter;
  const SnmpPoint* point;
  double to_si;
  SnmpValue value;
};

bool is_counter(const StatedUnit& unit) { return unit.measurand == Measurand::energy; }

Signal signal_of(const Found& found, const SnmpSettings& settings) {
  const StatedUnit& unit = found.point->unit;
  Signal signal{.sensor = "snmp",
                .device = found.meter->device,
                .measurand = unit.measurand,
                .kind = is_counter(unit) ? SignalKind::counter : SignalKind::gauge,
                .boundary = settings.boundary,
                .source = text_of(found.point->oid),
                .raw_unit = unit.name,
                .to_si = found.to_si};
  signal.period = to_seconds(settings.period);
  return signal;
}

class SnmpSensor final : public Sensor {
 public:
  SnmpSensor(SnmpSettings settings, SnmpSession session)
      : settings_(std::move(settings)), session_(std::move(session)) {}

  Status open() {
    for (const SnmpMeter& meter : settings_.meters) {
      std::string absence;
      std::size_t there = 0;
      for (const SnmpPoint& point : meter.points) {
        TRY(const auto found, find(meter, point, absence));
        if (!found) continue;
        announce(*found);
        ++there;
      }
      if (there > 0) continue;
      return failure(
          ErrorKind::missing,
          fmt::format("{} has no reading of {}: {}", settings_.access.host, meter.device, absence),
          "check maker, outlet and number of the PDU, and that the user may see it");
    }
    return {};
  }

  const SensorContents& contents() const override { return contents_; }

  Result<Sample> poll(Clock& clock) override {
    const MonoTime before = clock.now();
    // The meter behind the agent is renewed each second at best: asking more often tells nothing.
    if (before < next_) return Sample{.read = {before, before}, .readings = {}};
    next_ = before + settings_.period;
    Sample sample{.read = {before, before}, .readings = {}};
    for (std::size_t first = 0; first < polled_.size(); first += kMostAtOnce) {
      TRY_DO(read_some(first, clock, sample));
    }
    sample.read.end = clock.now();
    if (!sample.readings.empty()) return sample;
    return failure(ErrorKind::retry,
                   fmt::format("{} has no value for any of its readings", settings_.access.host),
                   "see whether the PDU was restarted");
  }

 private:
  static constexpr std::size_t kMostAtOnce = 40;  // a datagram of 1472 bytes holds that many

  /// The number behind an OID that must be there.
  Result<double> need_number(const SnmpOid& oid) {
    TRY(const auto values, session_.get(std::span(&oid, 1)));
    const auto& value = values.front();
    if (value.type == SnmpValue::Type::integer) return value.number;  // none is -1
    if (const auto number = snmp_number(value)) return *number;
    return failure(ErrorKind::missing,
                   fmt::format("{} does not tell the unit of its reading at {}",
                               settings_.access.host, text_of(oid)),
                   "state oid, unit and boundary instead of the profile");
  }

  /// Raritan tells unit and decimal digits of each reading.
  Result<double> scale_of(const SnmpPoint& point) {
    if (point.digits_oid.empty()) return point.unit.to_si;
    TRY(const double unit, need_number(point.unit_oid));
    TRY(const double digits, need_number(point.digits_oid));
    if (unit == point.unit_number && digits >= 0 && digits <= 9)
      return point.unit.to_si * std::pow(10.0, -digits);
    return failure(ErrorKind::missing,
                   fmt::format("{}: the reading at {} is in unit {} with {} digits, where {} was "
                               "expected (unit {})",
                               settings_.access.host, text_of(point.oid), unit, digits,
                               point.unit.name, point.unit_number),
                   "state oid, unit and boundary instead of the profile");
  }

  Result<std::optional<Found>> find(const SnmpMeter& meter, const SnmpPoint& point,
                                    std::string& absence) {
    auto values = session_.get(std::span(&point.oid, 1));
    if (!values) {
      Error error = std::move(values).error();
      error.kind = ErrorKind::missing;
      return unexpected(std::move(error));
    }
    SnmpValue& value = values->front();
    if (!snmp_number(value)) {
      const std::string why = value.type == SnmpValue::Type::absent ? value.absence
                              : value.type == SnmpValue::Type::text
                                  ? fmt::format("\"{}\" is no number", quoted(value.text))
                                  : fmt::format("{:.0f} stands for not supported", value.number);
      absence += fmt::format("{}{}: {}", absence.empty() ? "" : "; ", text_of(point.oid), why);
      return std::optional<Found>();
    }
    auto to_si = scale_of(point);
    if (!to_si) {
      Error error = std::move(to_si).error();
      error.kind = ErrorKind::missing;
      return unexpected(std::move(error));
    }
    return std::optional(Found{&meter, &point, *to_si, std::move(value)});
  }

  void announce(const Found& found) {
    const auto& devices = contents_.devices;
    if (std::none_of(devices.begin(), devices.end(),
                     [&](const Device& device) { return device.id == found.meter->device; })) {
      contents_.devices.push_back({.id = found.meter->device,
                                   .name = "",
                                   .kind = device_kind_of(settings_.boundary),
                                   .label = found.meter->device,
                                   .group = settings_.group});
      const std::string& outlet = found.meter->outlet;
      if (!outlet.empty()) contents_.devices.back().facts[kOutletFact] = outlet;
    }
    Signal signal = signal_of(found, settings_);
    signal.id = static_cast<std::uint32_t>(contents_.signals.size());
    contents_.signals.push_back(std::move(signal));
    Polled polled{found.point->oid, std::nullopt};
    const auto modulus = snmp_modulus(found.value.type);
    if (is_counter(found.point->unit) && modulus)
      polled.unwrapper = CounterUnwrapper(*modulus, found.to_si);
    polled_.push_back(std::move(polled));
  }

  Status read_some(std::size_t first, Clock& clock, Sample& sample) {
    std::vector<SnmpOid> oids;
    for (std::size_t i = first; i < std::min(polled_.size(), first + kMostAtOnce); ++i)
      oids.push_back(polled_[i].oid);
    TRY(const auto values, session_.get(oids));
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto number = snmp_number(values[i]);
      if (!number) continue;
      auto& unwrapper = polled_[first + i].unwrapper;
      if (unwrapper) number = unwrapper->unwrapped(*number, clock.now());
      sample.readings.push_back({static_cast<std::uint32_t>(first + i), *number});
    }
    return {};
  }

  SnmpSettings settings_;
  SnmpSession session_;
  SensorContents contents_;
  std::vector<Polled> polled_;
  MonoTime next_{INT64_MIN};
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_snmp(const SensorSpec& spec, Clock&) {
  TRY(SnmpSettings settings, snmp_settings_in(spec));
  TRY(SnmpSession session, SnmpSession::open(settings.access));
  auto sensor = std::make_unique<SnmpSensor>(std::move(settings), std::move(session));
  TRY_DO(sensor->open());
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
