#include "sensors/prometheus/prometheus_samples.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "sensors/exec/exec_line.hpp"

namespace tokenjoule {

namespace {

/// Usual time between the samples of a series: how often its target is scraped.
std::optional<Seconds> spacing_of(const PromqlSeries& series) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < series.samples.size(); ++i)
    gaps.push_back(series.samples[i].unix_s - series.samples[i - 1].unix_s);
  if (gaps.empty()) return std::nullopt;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2),
                   gaps.end());
  return Seconds(gaps[gaps.size() / 2]);
}

}  // namespace

TimeSpan ServerClock::span_of(double stamp_unix_s) const {
  const Nanoseconds half = asked.length() / 2;
  const MonoTime middle = asked.middle() + to_nanoseconds(Seconds(stamp_unix_s - unix_s));
  return {middle - half, middle + half};
}

std::optional<std::string> device_of(const PromqlLabels& labels,
                                     const std::vector<std::string>& device_labels,
                                     const std::string& by_default) {
  if (device_labels.empty()) {
    // The same exporter scraped by two jobs is one device.
    PromqlLabels of_device = labels;
    of_device.erase("job");
    return of_device.empty() ? by_default : text_of(of_device);
  }
  std::string device;
  for (const std::string& name : device_labels) {
    const auto at = labels.find(name);
    if (at == labels.end() || at->second.empty()) return std::nullopt;
    device += (device.empty() ? "" : "+") + at->second;
  }
  return device;
}

Status PrometheusSamples::announce(const PromqlSeries& series, bool stamped) {
  const auto device = device_of(series.labels, settings_.device_labels, settings_.query);
  const auto refuse = [&](const char* why) {
    return failure(ErrorKind::missing,
                   fmt::format("the series {{{}}} {}", quoted(text_of(series.labels), 300), why),
                   "name the labels that tell devices apart, device_label=instance+gpu, and narrow "
                   "the query so that each device is there once");
  };
  if (!device) return refuse("lacks the label that names its device");
  const auto& devices = contents_.devices;
  if (std::any_of(devices.begin(), devices.end(),
                  [&](const Device& other) { return other.id == *device; })) {
    return refuse("names a device that another series has named already");
  }
  contents_.devices.push_back({.id = *device,
                               .name = "",
                               .kind = device_kind_of(settings_.boundary),
                               .label = *device,
                               .group = settings_.group,
                               .simulated = starts_with(*device, "GPU-51d0")});
  contents_.devices.back().facts["stamps"] = stamped ? "of each sample" : "of the query";
  Signal signal{.sensor = "prometheus",
                .device = *device,
                .measurand = settings_.unit.measurand,
                .kind = settings_.kind,
                .boundary = settings_.boundary,
                .source = settings_.query,
                .raw_unit = settings_.unit.name,
                .to_si = settings_.unit.to_si};
  signal.id = static_cast<std::uint32_t>(contents_.signals.size());
  signal.period = spacing_of(series).value_or(to_seconds(settings_.period));
  ids_[series.labels] = signal.id;
  newest_.push_back(series.samples.back().unix_s);
  contents_.signals.push_back(std::move(signal));
  return {};
}

Status PrometheusSamples::learn(const PromqlAnswer& answer, bool stamped) {
  for (const PromqlSeries& series : answer.series) {
    if (!series.samples.empty()) TRY_DO(announce(series, stamped));
  }
  if (!contents_.signals.empty()) return {};
  return failure(ErrorKind::missing,
                 fmt::format("the query \"{}\" gives no number", quoted(settings_.query, 300)),
                 "try it in Prometheus's own page; see whether its targets are up");
}

bool PrometheusSamples::take(const PromqlAnswer& answer, const ServerClock& clock, MonoTime now) {
  note_warnings(answer, clock.asked);
  bool any_known = false;
  std::map<double, std::vector<Reading>> fresh;
  for (const PromqlSeries& series : answer.series) {
    const auto at = ids_.find(series.labels);
    if (at == ids_.end()) continue;  // was not there at the start, and was not announced
    any_known = true;
    for (const PromqlSample& sample : series.samples) {
      if (sample.unix_s <= newest_[at->second]) continue;
      newest_[at->second] = sample.unix_s;
      if (sample.value >= 0) {
        fresh[sample.unix_s].push_back({at->second, sample.value});
        continue;
      }
      losses_.push_back({.span = clock.asked,
                         .what = "reading",
                         .source = "",
                         .reason = fmt::format("a value is negative: \"{}\"", sample.value)});
    }
  }
  for (auto& [stamp, readings] : fresh) {
    TimeSpan read = clock.span_of(stamp);
    read.end = std::min(read.end, now);
    read.begin = std::min(read.begin, read.end);
    samples_.push_back({.read = read, .readings = std::move(readings)});
  }
  return any_known;
}

/// Each warning once: a server that warns does so at every query.
void PrometheusSamples::note_warnings(const PromqlAnswer& answer, TimeSpan at) {
  for (const std::string& warning : answer.warnings) {
    if (std::find(warned_.begin(), warned_.end(), warning) != warned_.end()) continue;
    warned_.push_back(warning);
    losses_.push_back(
        {.span = at,
         .what = "reading",
         .source = "",
         .reason = fmt::format("Prometheus warns that its answer may lack something: \"{}\"",
                               quoted(warning, 300))});
  }
}

Sample PrometheusSamples::take_sample() {
  TJ_ASSERT(has_samples());
  Sample sample = std::move(samples_.front());
  samples_.pop_front();
  return sample;
}

}  // namespace tokenjoule
