#include "sensors/exec/exec_sensor.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/process.hpp"
#include "sensors/exec/exec_lines.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kWait = milliseconds(100);
constexpr int kWaitsForFirstLines = 50;  // 5 s: a program that prints once in 5 s is still learnt

class ExecSensor final : public Sensor {
 public:
  ExecSensor(ChildProcess child, std::string command, std::string group)
      : child_(std::move(child)), command_(std::move(command)), lines_(std::move(group)) {}

  Status learn(Clock& clock) {
    for (int i = 0; i < kWaitsForFirstLines && lines_.is_learning() && !closed_; ++i) {
      read_output(clock);
    }
    lines_.end_learning();
    if (!lines_.contents().signals.empty()) return {};
    const auto losses = lines_.take_losses();
    return failure(
        ErrorKind::missing,
        fmt::format("\"{}\" {}", quoted(command_),
                    !losses.empty() ? "prints no reading: " + losses.front().reason
                    : closed_       ? ending() + " without a reading"
                                    : "printed no reading within 5 s"),
        "let it print one line a reading, flushed: {\"signal\": \"power\", \"device\": \"pdu-1\", "
        "\"boundary\": \"node_ac\", \"watts\": 812.5}");
  }

  const SensorContents& contents() const override { return lines_.contents(); }
  bool keeps_own_pace() const override { return true; }
  bool has_more() const override { return lines_.has_samples(); }
  std::vector<Loss> take_losses() override { return lines_.take_losses(); }

  Result<Sample> poll(Clock& clock) override {
    if (!has_more() && !closed_) read_output(clock);
    if (has_more()) return lines_.take_sample();
    if (!closed_) return Sample{.read = {clock.now(), clock.now()}, .readings = {}};
    const std::string end = ending();
    const bool as_expected = end == kCleanEnd;
    return failure(as_expected ? ErrorKind::gone : ErrorKind::unavailable,
                   fmt::format("\"{}\" {}", quoted(command_), end),
                   "let the program run until it is ended from here");
  }

 private:
  static constexpr std::string_view kCleanEnd = "ended with exit status 0";

  void read_output(Clock& clock) {
    if (!child_.wait_for_output(kWait)) return;
    const MonoTime before = clock.now();
    const ChildProcess::Output output = child_.read();
    const TimeSpan read{before, clock.now()};
    closed_ = output.closed;
    lines_.take(output.bytes, read, anchor_now(clock));
  }

  /// How the program ended; its output may close a moment before it does.
  std::string ending() {
    child_.wait_for_end(milliseconds(500));
    const auto how = child_.ending();
    return how ? fmt::format("ended with {}", *how) : "closed its output";
  }

  ChildProcess child_;
  std::string command_;
  ExecLines lines_;
  bool closed_ = false;
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_exec(const SensorSpec& spec, Clock& clock) {
  const std::string& command = spec.settings.at("command");
  const auto group = spec.settings.find("group");
  TRY(ChildProcess child, ChildProcess::start(command));
  auto sensor = std::make_unique<ExecSensor>(
      std::move(child), command, group == spec.settings.end() ? std::string() : group->second);
  TRY_DO(sensor->learn(clock));
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
