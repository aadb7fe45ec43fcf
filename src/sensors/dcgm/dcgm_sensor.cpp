#include "sensors/dcgm/dcgm_sensor.hpp"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "io/http_client.hpp"
#include "sensors/dcgm/dcgm_page.hpp"
#include "sensors/dcgm/energy_unit_check.hpp"

namespace tokenjoule {

namespace {

constexpr char kDefaultUrl[] = "http://127.0.0.1:9400/metrics";
constexpr char kUrlHint[] =
    "start dcgm-exporter, or say where it is: --sensor dcgm:url=http://HOST:9400/metrics";

struct DcgmSettings {
  Url url;
  Seconds timeout{1.0};
  DcgmFilter filter;
  std::string energy_unit;
  std::string group;
  TlsOptions tls;
};

Result<TlsOptions::Verification> verification_in(const std::string& insecure) {
  if (insecure == "yes") return TlsOptions::Verification::none;
  if (insecure == "no") return TlsOptions::Verification::full;
  return failure(ErrorKind::usage, fmt::format("insecure={} is not known", quoted(insecure)),
                 "write insecure=yes, or leave it out");
}

Result<DcgmSettings> settings_in(const SensorSpec& spec) {
  DcgmSettings settings;
  std::string url = kDefaultUrl;
  for (const auto& [key, value] : spec.settings) {
    if (key == "url") {
      url = value;
    } else if (key == "group") {
      settings.group = value;
    } else if (key == "energy_unit") {
      settings.energy_unit = value;
    } else if (key == "cacert") {
      settings.tls.ca_file = value;
    } else if (key == "insecure") {
      TRY(settings.tls.verification, verification_in(value));
    } else if (key == "timeout") {
      TRY(settings.timeout, duration_in(value));
    } else {
      settings.filter[key] = value;
    }
  }
  if (!settings.energy_unit.empty() && settings.energy_unit != "mJ" &&
      settings.energy_unit != "J") {
    return failure(ErrorKind::usage,
                   fmt::format("energy_unit={} is not known", quoted(settings.energy_unit)),
                   "write energy_unit=mJ or energy_unit=J");
  }
  TRY(settings.url, url_in(url));
  if (settings.url.path.empty()) settings.url.path = "/metrics";
  return settings;
}

Result<PrometheusPage> page_at(HttpClient& client, const Url& url) {
  TRY(const HttpReply reply, client.get(url));
  if (reply.status != 200) {
    return failure(ErrorKind::missing, fmt::format("{} {}", url.text(), status_words(reply)),
                   status_hint(reply, kUrlHint));
  }
  auto page = prometheus_page(reply.body, reply.content_type);
  if (!page) return unexpected(std::move(page).error().in(url.text()));
  return page;
}

/// What values the filter's labels have on the page, for the message.
std::string values_of_filter(const PrometheusPage& page, const DcgmFilter& filter) {
  std::set<std::string> seen;
  for (const PrometheusFamily& family : page.families) {
    for (const PrometheusSample& sample : family.samples) {
      if (!gpu_uuid_of(sample)) continue;
      for (const auto& [key, value] : filter) {
        if (const auto there = sample.label(key))
          seen.insert(fmt::format("{}={}", key, quoted(*there)));
      }
    }
  }
  return seen.empty() ? "none of its rows carries such a label"
                      : fmt::format("it has {}", fmt::join(seen, ", "));
}

tl::unexpected<Error> nothing_usable(const PrometheusPage& page, const DcgmSettings& settings) {
  const std::string url = settings.url.text();
  if (!settings.filter.empty() && !dcgm_metrics_on(page, "J")->empty()) {
    return failure(ErrorKind::missing,
                   fmt::format("no GPU with energy or power on {} fits the labels asked for", url),
                   values_of_filter(page, settings.filter));
  }
  return failure(
      ErrorKind::missing,
      fmt::format("{} has no energy and no power of a GPU that is named by its UUID", url),
      "check that it is the page of a dcgm-exporter, and that its list of fields has "
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION and DCGM_FI_DEV_POWER_USAGE");
}

class DcgmSensor final : public Sensor {
 public:
  DcgmSensor(DcgmSettings settings, HttpClient client)
      : settings_(std::move(settings)), client_(std::move(client)) {}

  Status open(Clock& clock) {
    const MonoTime before = clock.now();
    auto page = page_at(client_, settings_.url);
    if (!page) {
      Error error = std::move(page).error();
      // Of TLS the error itself knows better what to do.
      if (settings_.url.scheme != "https") error.hint = kUrlHint;
      return unexpected(std::move(error));
    }
    TRY(metrics_, dcgm_metrics_on(*page, settings_.energy_unit));
    const DcgmReadings readings = dcgm_readings(*page, metrics_, settings_.filter);
    contents_ = dcgm_contents(*page, metrics_, settings_.filter, readings);
    const auto is_power = [](const Signal& signal) {
      return signal.measurand == Measurand::energy || signal.measurand == Measurand::power;
    };
    if (std::none_of(contents_.signals.begin(), contents_.signals.end(), is_power)) {
      return nothing_usable(*page, settings_);
    }
    TRY_DO(check_inferred_unit());
    std::uint32_t id = 0;
    for (const auto& [key, value] : readings.values) ids_[key] = id++;
    for (const auto& [key, line] : readings.contradictions)
      note_contradiction({before, clock.now()}, line);
    for (Device& device : contents_.devices) device.group = settings_.group;
    return {};
  }

  const SensorContents& contents() const override { return contents_; }

  Result<Sample> poll(Clock& clock) override {
    const MonoTime before = clock.now();
    auto page = page_at(client_, settings_.url);
    const TimeSpan read{before, clock.now()};
    if (!page) {
      // An exporter that is being restarted answers again soon.
      return failure(ErrorKind::retry, page.error().message, page.error().hint);
    }
    const DcgmReadings readings = dcgm_readings(*page, metrics_, settings_.filter);
    for (const auto& [key, line] : readings.contradictions) {
      if (ids_.count(key)) note_contradiction(read, line);
    }
    Sample sample{.read = read, .readings = {}};
    for (const auto& [key, value] : readings.values) {
      // A GPU or a metric that was not there at the start was not announced and is not read.
      if (const auto at = ids_.find(key); at != ids_.end())
        sample.readings.push_back({at->second, value});
    }
    if (sample.readings.empty() && readings.contradictions.empty()) {
      // An exporter that has just been restarted has read nothing yet.
      return failure(ErrorKind::retry,
                     fmt::format("none of the GPUs is on {} any more", settings_.url.text()),
                     "see whether the GPUs or their exporter were lost or reset");
    }
    TRY_DO(check_units(readings, read.middle()));
    return sample;
  }

  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

 private:
  static constexpr char kStateUnit[] = "state it: --sensor dcgm:energy_unit=mJ or energy_unit=J";

  /// The first metric of that measurand: averaged power stands before instantaneous power.
  std::optional<std::size_t> metric_of(Measurand measurand) const {
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      if (metrics_[i].measurand == measurand) return i;
    }
    return std::nullopt;
  }

  /// A unit that was told by an unknown name or by HELP is believed only where power can show it.
  Status check_inferred_unit() const {
    const auto energy = metric_of(Measurand::energy);
    if (!energy || !metrics_[*energy].unit_is_inferred || metric_of(Measurand::power)) return {};
    return failure(
        ErrorKind::missing,
        fmt::format("{}: {} seems to be in {}, which nothing on the page can confirm",
                    settings_.url.text(), metrics_[*energy].name, metrics_[*energy].raw_unit),
        fmt::format("{}; or let the exporter show power as well", kStateUnit));
  }

  /// Energy against power of each GPU, unless the user answers for the unit.
  Status check_units(const DcgmReadings& readings, MonoTime at) {
    const auto energy = metric_of(Measurand::energy), power = metric_of(Measurand::power);
    if (!energy || !power || !settings_.energy_unit.empty()) return {};
    for (const auto& [key, raw] : readings.values) {
      const auto watts = readings.values.find({key.first, *power});
      if (key.second != *energy || watts == readings.values.end()) continue;
      EnergyUnitCheck& check = unit_checks_[key.first];
      check.add(at, Joules(raw * metrics_[*energy].to_si),
                Watts(watts->second * metrics_[*power].to_si));
      if (check.fault() == nullptr) continue;
      return failure(ErrorKind::unavailable,
                     fmt::format("the energy of {}, {} taken as {}, is {} for its power: the unit "
                                 "is another one",
                                 quoted(key.first), metrics_[*energy].name,
                                 metrics_[*energy].raw_unit, check.fault()),
                     kStateUnit);
    }
    return {};
  }

  void note_contradiction(TimeSpan read, const std::string& line) {
    losses_.push_back({.span = read,
                       .what = "reading",
                       .source = "",
                       .count = 1,
                       .reason = fmt::format("rows of one GPU contradict each other: \"{}\"",
                                             quoted(line, 400))});
  }

  DcgmSettings settings_;
  HttpClient client_;
  std::vector<DcgmMetric> metrics_;
  SensorContents contents_;
  std::map<DcgmKey, std::uint32_t> ids_;
  std::map<std::string, EnergyUnitCheck> unit_checks_;  ///< by UUID
  std::vector<Loss> losses_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_dcgm(const SensorSpec& spec, Clock& clock) {
  TRY(DcgmSettings settings, settings_in(spec));
  HttpClient client({.timeout = settings.timeout, .tls = settings.tls});
  auto sensor = std::make_unique<DcgmSensor>(std::move(settings), std::move(client));
  TRY_DO(sensor->open(clock));
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
