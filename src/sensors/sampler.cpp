#include "sensors/sampler.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "sensors/loss_gatherer.hpp"

namespace tokenjoule {

struct Sampler::Polled {
  std::unique_ptr<Sensor> sensor;
  std::string name;
  std::uint32_t first_id;  ///< what the sensor calls signal 0
  LossGatherer losses;
  MonoTime due{};  ///< when the poll now under way was due
  MonoTime last_good{};
  int failures = 0;  ///< since then
};

NextPoll next_poll(MonoTime due, Nanoseconds period, MonoTime now) {
  const MonoTime next = due + period;
  if (now <= next) return {next, 0};
  const std::int64_t missed = (now - next).count / period.count;
  return {next + period * missed, missed};
}

Nanoseconds retry_period(Nanoseconds period, int failures, Nanoseconds longest) {
  Nanoseconds wait = period;
  for (int i = 1; i < failures && wait < longest; ++i) wait = wait * 2;
  return std::max(period, std::min(wait, longest));
}

Sampler::Sampler(std::vector<std::unique_ptr<Sensor>> sensors, Clock& clock, EventSink sink,
                 SamplerOptions options)
    : clock_(clock), sink_(std::move(sink)), options_(options) {
  std::map<std::string, int> names;
  for (auto& sensor : sensors) announce(std::move(sensor), names);
}

Sampler::~Sampler() { stop(); }

void Sampler::announce(std::unique_ptr<Sensor> sensor, std::map<std::string, int>& names) {
  const SensorContents& contents = sensor->contents();
  std::string name = contents.signals.empty() ? "sensor" : contents.signals.front().sensor;
  const int number = ++names[name];
  if (number > 1) name += fmt::format("#{}", number);
  const auto first_id = static_cast<std::uint32_t>(signals_.size());
  for (Signal signal : contents.signals) {
    signal.id += first_id;
    signal.sensor = name;
    if (!signal.period && !sensor->keeps_own_pace()) signal.period = to_seconds(options_.period);
    signals_.push_back(std::move(signal));
  }
  for (const Device& device : contents.devices) {
    const auto known = std::find_if(devices_.begin(), devices_.end(),
                                    [&](const Device& other) { return other.id == device.id; });
    if (known == devices_.end()) {
      devices_.push_back(device);
    } else if (known->group.empty()) {
      known->group = device.group;
    }
  }
  polled_.push_back(std::unique_ptr<Polled>(
      new Polled{std::move(sensor), name, first_id, LossGatherer(name, sink_)}));
}

void Sampler::start(const std::vector<Device>& devices) {
  for (const Device& device : devices) sink_(device);
  for (const Signal& signal : signals_) sink_(signal);
  for (const auto& polled : polled_) {
    threads_.emplace_back([this, each = polled.get()](const std::stop_token& stop) {
      poll_until_stopped(stop, *each);
    });
  }
}

void Sampler::stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

std::vector<LostSensor> Sampler::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void Sampler::poll_until_stopped(const std::stop_token& stop, Polled& polled) {
  polled.due = clock_.now();
  polled.last_good = polled.due;
  while (!stop.stop_requested() && take_poll(polled)) {
    if (polled.sensor->has_more()) continue;
    polled.losses.tell_old(clock_.now());
    if (!polled.sensor->keeps_own_pace() && !wait_for_slot(stop, polled)) break;
  }
  polled.losses.tell_all();
}

/// One poll and what comes of it. False: the sensor has ended.
bool Sampler::take_poll(Polled& polled) {
  const MonoTime before = clock_.now();
  Result<Sample> sample = polled.sensor->poll(clock_);
  const MonoTime after = clock_.now();
  for (Loss& loss : polled.sensor->take_losses()) polled.losses.add(std::move(loss));
  if (sample) {
    polled.last_good = after;
    polled.failures = 0;
    for (Reading& reading : sample->readings) reading.signal += polled.first_id;
    if (!sample->readings.empty()) sink_(std::move(*sample));
    return true;
  }
  if (sample.error().kind != ErrorKind::retry) {
    give_up(polled, std::move(sample).error());
    return false;
  }
  ++polled.failures;
  polled.losses.add(
      {.span = {before, after}, .what = "poll", .source = "", .reason = sample.error().message});
  if (after - polled.last_good < options_.give_up_after) return true;
  give_up(polled, std::move(sample).error());
  return false;
}

void Sampler::give_up(Polled& polled, Error error) {
  if (error.kind != ErrorKind::gone) error.kind = ErrorKind::unavailable;
  const MonoTime now = clock_.now();
  polled.losses.add(
      {.span = {polled.last_good, now}, .what = "sensor", .source = "", .reason = error.message});
  const std::lock_guard lock(mutex_);
  lost_.push_back({polled.name, now, std::move(error)});
}

/// Sleeps until the next slot of the calendar, in pieces, so that set_fast is seen soon. False:
/// stop.
bool Sampler::wait_for_slot(const std::stop_token& stop, Polled& polled) {
  constexpr Nanoseconds kPiece = milliseconds(100);
  const MonoTime last_due = polled.due;
  const MonoTime polled_at = clock_.now();
  const auto period_now = [&] {
    return retry_period(period(), polled.failures, options_.longest_retry);
  };
  const NextPoll next = next_poll(last_due, period_now(), polled_at);
  if (next.missed > 0) {
    polled.losses.add(
        {.span = {last_due, polled_at},
         .what = "poll",
         .source = "",
         .count = next.missed,
         .reason = "the poll before took longer than its slot, or the machine was busy"});
  }
  polled.due = next.due;
  if (polled.failures > 0)
    polled.due = std::min(next.due, polled.last_good + options_.give_up_after);
  for (MonoTime now = polled_at; now < polled.due; now = clock_.now()) {
    // Turned fast meanwhile: the new calendar begins here.
    if (polled.due - now > period_now()) polled.due = now + period_now();
    if (!clock_.sleep_until(std::min(polled.due, now + kPiece), stop)) return false;
  }
  return true;
}

}  // namespace tokenjoule
