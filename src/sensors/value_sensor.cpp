#include "sensors/value_sensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace tokenjoule {

namespace {

constexpr Nanoseconds kSlowPeriod = whole_seconds(1);

class ValueSensor final : public Sensor {
 public:
  ValueSensor(std::vector<Device> devices, std::vector<SensorValue> values,
              const std::vector<std::string>& notes, const std::string& group, MonoTime opened_at) {
    contents_.devices = std::move(devices);
    for (Device& device : contents_.devices) device.group = group;
    for (const std::string& text : notes) note({opened_at, opened_at}, text);
    for (SensorValue& value : values) announce(value);
    arrange(std::move(values));
  }

  const SensorContents& contents() const override { return contents_; }
  bool has_more() const override { return next_ != 0; }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  Result<Sample> poll(Clock& clock) override {
    if (next_ == 0) begin_round(clock.now());
    const std::size_t turn = next_;
    const std::size_t turns = fast_.size() + (slow_round_ ? 1 : 0);
    next_ = turn + 1 >= turns ? 0 : turn + 1;
    Sample sample{.read = {clock.now(), {}}, .readings = {}};
    read_into(sample, turn < fast_.size() ? fast_[turn] : slow_, clock);
    sample.read.end = clock.now();
    got_something_ = got_something_ || !sample.readings.empty();
    if (next_ == 0 && !got_something_) return unexpected(nothing_read());
    return sample;
  }

 private:
  struct Value {
    std::uint32_t id;
    std::unique_ptr<ValueSource> source;
    bool lost;
  };

  void announce(SensorValue& value) {
    value.signal.id = static_cast<std::uint32_t>(contents_.signals.size());
    if (value.pace == Pace::each_second) value.signal.period = to_seconds(kSlowPeriod);
    contents_.signals.push_back(value.signal);
  }

  /// What is read together: the values of one device at each poll, and all slow ones.
  void arrange(std::vector<SensorValue> values) {
    for (const Device& device : contents_.devices) {
      std::vector<Value> of_device;
      for (SensorValue& value : values) {
        if (value.signal.device != device.id || value.pace != Pace::each_poll) continue;
        of_device.push_back({value.signal.id, std::move(value.source), false});
      }
      if (!of_device.empty()) fast_.push_back(std::move(of_device));
    }
    for (SensorValue& value : values) {
      if (value.pace != Pace::each_second) continue;
      slow_.push_back({value.signal.id, std::move(value.source), false});
    }
  }

  void begin_round(MonoTime now) {
    slow_round_ = !slow_.empty() && now >= slow_due_;
    if (slow_round_) slow_due_ = now + kSlowPeriod;
    got_something_ = false;
  }

  void read_into(Sample& sample, std::vector<Value>& values, Clock& clock) {
    for (Value& value : values) {
      if (value.lost) continue;
      const MonoTime before = clock.now();
      const auto raw = value.source->read(before);
      if (raw) {
        sample.readings.push_back({value.id, *raw});
        continue;
      }
      value.lost = raw.error().kind != ErrorKind::retry;
      note({before, clock.now()}, raw.error().message);
      last_error_ = raw.error();
    }
  }

  Error nothing_read() const {
    const auto lost = [](const Value& value) { return value.lost; };
    const bool all_lost =
        std::all_of(fast_.begin(), fast_.end(), [&](const std::vector<Value>& values) {
          return std::all_of(values.begin(), values.end(), lost);
        });
    Error error = last_error_.value_or(Error{.message = "nothing could be read"});
    error.kind = all_lost ? ErrorKind::unavailable : ErrorKind::retry;
    return error;
  }

  void note(TimeSpan span, std::string reason) {
    losses_.push_back({.span = span, .what = "reading", .source = "", .reason = std::move(reason)});
  }

  SensorContents contents_;
  std::vector<std::vector<Value>> fast_;
  std::vector<Value> slow_;
  std::vector<Loss> losses_;
  std::size_t next_ = 0;  ///< whose turn it is in the round; 0: a new round
  bool slow_round_ = false;
  bool got_something_ = false;
  MonoTime slow_due_{INT64_MIN};
  std::optional<Error> last_error_;
};

class UnreadableValue final : public ValueSource {
 public:
  explicit UnreadableValue(std::string reason) : reason_(std::move(reason)) {}
  Result<double> read(MonoTime) override { return failure(ErrorKind::unavailable, reason_); }

 private:
  std::string reason_;
};

}  // namespace

std::unique_ptr<Sensor> value_sensor(std::vector<Device> devices, std::vector<SensorValue> values,
                                     std::vector<std::string> notes, const std::string& group,
                                     MonoTime opened_at) {
  return std::make_unique<ValueSensor>(std::move(devices), std::move(values), notes, group,
                                       opened_at);
}

std::unique_ptr<ValueSource> unreadable_value(std::string reason) {
  return std::make_unique<UnreadableValue>(std::move(reason));
}

std::string setting_of(const SensorSpec& spec, const char* key) {
  const auto at = spec.settings.find(key);
  return at == spec.settings.end() ? std::string() : at->second;
}

std::string root_of(const SensorSpec& spec) {
  const std::string root = setting_of(spec, "root");
  return root.empty() ? "/" : root;
}

}  // namespace tokenjoule
