#include "sensors/ptd/ptd_sensor.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "sensors/pace.hpp"
#include "sensors/ptd/ptd_connection.hpp"
#include "sensors/setting_values.hpp"

namespace tokenjoule {
namespace {

/// A fifth of the usual interval: a sample's time is known to that.
constexpr Nanoseconds kLook = milliseconds(200);
/// From so many samples the interval is learnt: the median of three gaps is none of an odd one.
constexpr std::size_t kSamplesToLearn = 4;
constexpr Nanoseconds kLongestLearning = whole_seconds(30);

struct PtdSettings {
  PtdWish wish;
  Boundary boundary = Boundary::node_ac;
  std::string device;
  std::string group;
};

Result<PtdSettings> settings_in(const SensorSpec& spec) {
  constexpr Boundary kAllowed[] = {Boundary::node_ac, Boundary::node_dc, Boundary::rack};
  PtdSettings settings;
  PtdWish& wish = settings.wish;
  wish.host = text_setting(spec, "host");
  TRY(const int port, number_setting(spec, "port", 8888, 65535));
  wish.port = static_cast<std::uint16_t>(port);
  TRY(wish.channel, number_setting(spec, "channel", 0, 6));
  TRY(wish.start, yes_setting(spec, "start"));
  TRY(wish.interval, duration_setting(spec, "interval", whole_seconds(1), milliseconds(100)));
  TRY(wish.timeout, duration_setting(spec, "timeout", whole_seconds(5), milliseconds(100)));
  if (!wish.start && spec.settings.count("interval") != 0) {
    return failure(ErrorKind::usage, "the sensor ptd: interval is for a measurement that it starts",
                   "give start=yes too, or leave interval out");
  }
  TRY(settings.boundary, boundary_setting(spec, Boundary::node_ac, kAllowed));
  settings.device = text_setting(spec, "device", fmt::format("ptd:{}:{}", wish.host, port));
  settings.group = text_setting(spec, "group");
  return settings;
}

/// The usual gap between samples by the analyser's own stamps; nullopt for fewer than two.
std::optional<Seconds> interval_of(const std::vector<PtdSample>& samples) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    gaps.push_back((samples[i].stamp - samples[i - 1].stamp).value());
  }
  if (gaps.empty()) return std::nullopt;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle > 0 ? std::optional(Seconds(*middle)) : std::nullopt;
}

class PtdSensor final : public Sensor {
 public:
  PtdSensor(PtdSettings settings, PtdConnection connection)
      : settings_(std::move(settings)), connection_(std::move(connection)) {}

  /// Waits for some samples, to see that there is power and how often it comes.
  Status open(Clock& clock) {
    std::vector<PtdSample> seen;
    const MonoTime deadline = clock.now() + kLongestLearning;
    while (seen.size() < kSamplesToLearn && clock.now() < deadline) {
      TRY(auto more, connection_->unread());
      last_look_ = clock.now();
      for (PtdSample& sample : more) seen.push_back(std::move(sample));
      if (seen.size() < kSamplesToLearn) clock.sleep_until(clock.now() + kLook, {});
    }
    const auto interval = interval_of(seen);
    const bool has_power = std::any_of(
        seen.begin(), seen.end(), [](const PtdSample& sample) { return sample.power.has_value(); });
    if (!interval || !has_power) return nothing_read(seen);
    interval_ = *interval;
    (void)connection_->take_complaints();
    announce();
    settings_.wish.resumes = true;
    return {};
  }

  const SensorContents& contents() const override { return contents_; }
  bool keeps_own_pace() const override { return true; }
  bool has_more() const override { return !samples_.empty(); }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  Result<Sample> poll(Clock& clock) override {
    if (samples_.empty() && pace_.wait_for_slot(clock)) TRY_DO(look(clock));
    if (samples_.empty()) return Sample{.read = {clock.now(), clock.now()}, .readings = {}};
    Sample sample = std::move(samples_.front());
    samples_.pop_front();
    return sample;
  }

 private:
  Status nothing_read(const std::vector<PtdSample>& seen) {
    if (!seen.empty() && !seen.back().why_absent.empty()) {
      return failure(ErrorKind::missing, seen.back().why_absent,
                     "check its range, its wiring and that something draws power");
    }
    return failure(
        ErrorKind::missing,
        fmt::format("PTDaemon at {}:{} gave {} samples in {:g} s", settings_.wish.host,
                    settings_.wish.port, seen.size(), to_seconds(kLongestLearning).value()),
        settings_.wish.start ? "see PTDaemon's own log"
                             : "let whoever runs it start a measurement, or give "
                               "start=yes");
  }

  void announce() {
    contents_.devices.push_back({.id = settings_.device,
                                 .name = connection_->identity(),
                                 .kind = DeviceKind::node,
                                 .label = settings_.wish.host,
                                 .group = settings_.group});
    contents_.signals.push_back({.id = 0,
                                 .sensor = "ptd",
                                 .device = settings_.device,
                                 .measurand = Measurand::power,
                                 .kind = SignalKind::gauge,
                                 .boundary = settings_.boundary,
                                 .source = settings_.wish.channel > 0
                                               ? fmt::format("Ch{} Watts", settings_.wish.channel)
                                               : "Watts",
                                 .raw_unit = "W",
                                 .period = interval_,
                                 .averaging = interval_});
  }

  /// Asks for what has come since the last time. Where the connection was lost it is made anew, and
  /// what was measured meanwhile is a gap.
  Status look(Clock& clock) {
    if (!connection_) {
      auto made = PtdConnection::open(settings_.wish);
      if (!made) return of_poll(std::move(made).error());
      connection_ = std::move(*made);
    }
    auto unread = connection_->unread();
    const TimeSpan since{last_look_, clock.now()};
    last_look_ = since.end;
    for (const std::string& line : connection_->take_complaints()) lose(since, line);
    if (!unread) {
      connection_.reset();
      return of_poll(std::move(unread).error());
    }
    take(*unread, since);
    return {};
  }

  static Status of_poll(Error error) {
    if (error.kind != ErrorKind::unavailable) error.kind = ErrorKind::retry;
    return unexpected(std::move(error));
  }

  /// The newest has ended since the last look, within an interval; those before it by as much
  /// earlier as their stamps say.
  void take(const std::vector<PtdSample>& unread, TimeSpan since) {
    if (unread.empty()) return;
    const TimeSpan newest{std::max(since.begin, since.end - to_nanoseconds(interval_)), since.end};
    for (const PtdSample& sample : unread) {
      const Nanoseconds age = to_nanoseconds(unread.back().stamp - sample.stamp);
      const TimeSpan read{newest.begin - age, newest.end - age};
      if (age < Nanoseconds{0} || age > whole_seconds(3600)) {
        lose(read, "the analyser's clock was set");
      } else if (!sample.power) {
        lose(read, sample.why_absent);
      } else {
        samples_.push_back({.read = read, .readings = {{0, sample.power->value()}}});
      }
    }
  }

  void lose(TimeSpan span, const std::string& reason) {
    losses_.push_back({.span = span,
                       .what = "reading",
                       .source = "",
                       .reason = std::string(quoted(reason, 200))});
  }

  PtdSettings settings_;
  std::optional<PtdConnection> connection_;
  Pace pace_{kLook};
  SensorContents contents_;
  Seconds interval_;
  MonoTime last_look_;
  std::deque<Sample> samples_;
  std::vector<Loss> losses_;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_ptd(const SensorSpec& spec, Clock& clock) {
  TRY(PtdSettings settings, settings_in(spec));
  auto connection = PtdConnection::open(settings.wish);
  if (!connection) {
    Error error = std::move(connection).error();
    error.kind = ErrorKind::missing;
    return unexpected(std::move(error));
  }
  auto sensor = std::make_unique<PtdSensor>(std::move(settings), std::move(*connection));
  if (auto opened = sensor->open(clock); !opened) {
    Error error = std::move(opened).error();
    error.kind = ErrorKind::missing;
    return unexpected(std::move(error));
  }
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
