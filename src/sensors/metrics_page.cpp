#include "sensors/metrics_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/http_client.hpp"
#include "sensors/page_settings.hpp"

namespace tokenjoule {

namespace {

/// A device and the place of a field in the layout.
using Key = std::pair<std::string, std::size_t>;

struct PageReadings {
  std::vector<Device> devices;
  std::map<Key, double> values;
  std::map<Key, std::string> contradictions;  ///< the line that differs from one before
};

bool agree(double a, double b) {
  constexpr double kTolerance = 0.05;  // rows of one page were read within a moment of each other
  return std::abs(a - b) <= kTolerance * std::max(a, b);
}

PageReadings readings_on(const PrometheusPage& page, const PageLayout& layout) {
  PageReadings readings;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const PageField& field = layout.fields[i];
    for (const PrometheusSample* sample : page.samples_named(field.name)) {
      auto device = layout.device_of(*sample);
      const double value = sample->value;
      if (!device || !std::isfinite(value) || value < 0) continue;
      if (value == 0 && field.zero_is_absent) continue;
      const auto [at, is_new] = readings.values.emplace(Key(device->id, i), value);
      if (!is_new && !agree(at->second, value))
        readings.contradictions.emplace(at->first, sample->line);
      const auto& known = readings.devices;
      if (std::none_of(known.begin(), known.end(),
                       [&](const Device& other) { return other.id == device->id; })) {
        readings.devices.push_back(std::move(*device));
      }
    }
  }
  for (const auto& [key, line] : readings.contradictions) readings.values.erase(key);
  return readings;
}

class MetricsPageSensor final : public Sensor {
 public:
  MetricsPageSensor(PageLayout layout, PageSettings settings)
      : layout_(std::move(layout)),
        settings_(std::move(settings)),
        client_({.timeout = settings_.timeout, .tls = settings_.tls}) {}

  Status open(Clock& clock) {
    const MonoTime before = clock.now();
    auto page = page_at();
    if (!page) {
      Error error = std::move(page).error();
      if (settings_.url.scheme != "https") error.hint = layout_.hint;
      return unexpected(std::move(error));
    }
    const PageReadings readings = readings_on(*page, layout_);
    note_contradictions(readings, {before, clock.now()});
    for (const auto& [key, value] : readings.values) announce(key);
    const auto& signals = contents_.signals;
    if (std::none_of(signals.begin(), signals.end(), [](const Signal& signal) {
          return signal.measurand == Measurand::energy || signal.measurand == Measurand::power;
        })) {
      return failure(ErrorKind::missing,
                     fmt::format("{} has neither energy nor power of a GPU", settings_.url.text()),
                     layout_.hint);
    }
    for (const Device& device : readings.devices) {
      contents_.devices.push_back(device);
      contents_.devices.back().group = settings_.group;
    }
    return {};
  }

  const SensorContents& contents() const override { return contents_; }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  Result<Sample> poll(Clock& clock) override {
    const MonoTime before = clock.now();
    auto page = page_at();
    const TimeSpan read{before, clock.now()};
    // A program that is being restarted answers again soon.
    if (!page) return failure(ErrorKind::retry, page.error().message, page.error().hint);
    const PageReadings readings = readings_on(*page, layout_);
    note_contradictions(readings, read);
    Sample sample{.read = read, .readings = {}};
    for (const auto& [key, value] : readings.values) {
      // What was not there at the start was not announced and is not read.
      if (const auto at = ids_.find(key); at != ids_.end())
        sample.readings.push_back({at->second, value});
    }
    if (!sample.readings.empty() || !readings.contradictions.empty()) return sample;
    return failure(ErrorKind::retry,
                   fmt::format("none of the devices is on {} any more", settings_.url.text()),
                   layout_.hint);
  }

 private:
  Result<PrometheusPage> page_at() {
    TRY(const HttpReply reply, client_.get(settings_.url));
    if (reply.status != 200) {
      return failure(ErrorKind::missing,
                     fmt::format("{} {}", settings_.url.text(), status_words(reply)), layout_.hint);
    }
    auto page = prometheus_page(reply.body, reply.content_type);
    if (!page) return unexpected(std::move(page).error().in(settings_.url.text()));
    return page;
  }

  void announce(const Key& key) {
    const PageField& field = layout_.fields[key.second];
    const auto id = static_cast<std::uint32_t>(contents_.signals.size());
    ids_[key] = id;
    Signal signal{.sensor = layout_.sensor,
                  .device = key.first,
                  .measurand = field.measurand,
                  .kind = field.kind,
                  .boundary = layout_.boundary,
                  .source = field.name,
                  .raw_unit = field.raw_unit,
                  .to_si = field.to_si};
    signal.id = id;
    contents_.signals.push_back(std::move(signal));
  }

  void note_contradictions(const PageReadings& readings, TimeSpan read) {
    for (const auto& [key, line] : readings.contradictions) {
      losses_.push_back({.span = read,
                         .what = "reading",
                         .source = "",
                         .reason = fmt::format("rows of one device contradict each other: \"{}\"",
                                               quoted(line, 400))});
    }
  }

  PageLayout layout_;
  PageSettings settings_;
  HttpClient client_;
  SensorContents contents_;
  std::map<Key, std::uint32_t> ids_;
  std::vector<Loss> losses_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_metrics_page(PageLayout layout, const SensorSpec& spec,
                                                  Clock& clock) {
  TRY(PageSettings settings, page_settings_in(spec, layout.default_url));
  auto sensor = std::make_unique<MetricsPageSensor>(std::move(layout), std::move(settings));
  TRY_DO(sensor->open(clock));
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
