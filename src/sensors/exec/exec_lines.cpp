#include "sensors/exec/exec_lines.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// A line that has not ended by then is no reading.
constexpr std::size_t kLongestLine = 1 << 16;
/// A stamp of the program's own may be this old, and this far ahead (clocks are read in steps).
constexpr Seconds kOldest(60);
constexpr Seconds kAhead(0.05);

Signal signal_of(const ExecReading& reading) {
  const bool is_power = reading.measurand == Measurand::power;
  Signal signal{.sensor = "exec",
                .device = reading.device,
                .measurand = reading.measurand,
                .kind = is_power ? SignalKind::gauge : SignalKind::counter,
                .boundary = reading.boundary,
                .source = reading.signal,
                .raw_unit = is_power ? "W" : "J",
                .to_si = 1.0};
  return signal;
}

}  // namespace

void ExecLines::take(std::string_view bytes, TimeSpan read, const ClockAnchor& anchor) {
  for (std::size_t start = 0; start < bytes.size();) {
    const auto end = bytes.find('\n', start);
    unfinished_ += bytes.substr(start, end == bytes.npos ? bytes.npos : end - start);
    start = end == bytes.npos ? bytes.size() : end + 1;
    if (end == bytes.npos && unfinished_.size() <= kLongestLine) break;
    const std::string line = std::exchange(unfinished_, {});
    if (!trimmed(line).empty()) take_line(line, read, anchor);
  }
}

void ExecLines::take_line(std::string_view line, TimeSpan read, const ClockAnchor& anchor) {
  const auto reading = exec_line_in(line);
  if (!reading) {
    return lose(read, fmt::format("a line does not fit: {}", reading.error().message), line);
  }
  const auto id = id_of(*reading);
  if (!id) {
    return lose(read, "a line is of a signal, boundary or unit that was not there at the start",
                line);
  }
  const auto at = time_of(*reading, *id, read, anchor);
  if (!at) {
    return lose(read, "a t_unix_s lies ahead, is older than 60 s, or goes back", line);
  }
  if (!add(*at, {*id, reading->value})) {
    lose(read,
         reading->unix_s
             ? "two readings of a signal have one t_unix_s, and the last counts"
             : "readings of a signal came at once, and the last counts; let the program "
               "flush each line, or print t_unix_s",
         line);
  }
}

std::optional<std::uint32_t> ExecLines::id_of(const ExecReading& reading) {
  const auto at = ids_.find({reading.signal, reading.device});
  if (at != ids_.end()) {
    learning_ = false;
    const Signal& known = contents_.signals[at->second];
    const bool same = known.boundary == reading.boundary && known.measurand == reading.measurand;
    return same ? std::optional(at->second) : std::nullopt;
  }
  if (!learning_) return std::nullopt;
  const auto id = static_cast<std::uint32_t>(contents_.signals.size());
  ids_[{reading.signal, reading.device}] = id;
  newest_.push_back({INT64_MIN});
  contents_.signals.push_back(signal_of(reading));
  contents_.signals.back().id = id;
  const auto& devices = contents_.devices;
  if (std::none_of(devices.begin(), devices.end(),
                   [&](const Device& device) { return device.id == reading.device; })) {
    contents_.devices.push_back({.id = reading.device,
                                 .name = "",
                                 .kind = device_kind_of(reading.boundary),
                                 .label = reading.device,
                                 .group = group_,
                                 .simulated = starts_with(reading.device, "GPU-51d0")});
  }
  return id;
}

std::optional<TimeSpan> ExecLines::time_of(const ExecReading& reading, std::uint32_t id,
                                           TimeSpan read, const ClockAnchor& anchor) {
  if (!reading.unix_s) return read;
  const Seconds wall_of_read(static_cast<double>(anchor.wall.unix_ns) * 1e-9);
  const Seconds age = wall_of_read - Seconds(*reading.unix_s);
  if (age > kOldest || age < -kAhead) return std::nullopt;
  const MonoTime middle =
      std::min(anchor.steady.middle() - to_nanoseconds(age), anchor.steady.middle());
  if (middle < newest_[id]) return std::nullopt;
  newest_[id] = middle;
  const Nanoseconds half = anchor.steady.length() / 2;
  return TimeSpan{middle - half, middle + half};
}

bool ExecLines::add(TimeSpan at, Reading reading) {
  if (samples_.empty() || samples_.back().read != at)
    samples_.push_back({.read = at, .readings = {}});
  for (Reading& earlier : samples_.back().readings) {
    if (earlier.signal != reading.signal) continue;
    earlier = reading;
    return false;
  }
  samples_.back().readings.push_back(reading);
  return true;
}

void ExecLines::lose(TimeSpan read, const std::string& why, std::string_view line) {
  auto& loss = losses_.try_emplace(why, Loss{read, "reading", "", 0, ""}).first->second;
  if (loss.count++ == 0) loss.reason = fmt::format("{}: \"{}\"", why, quoted(line));
  loss.span.end = read.end;
}

Sample ExecLines::take_sample() {
  TJ_ASSERT(has_samples());
  Sample sample = std::move(samples_.front());
  samples_.pop_front();
  return sample;
}

std::vector<Loss> ExecLines::take_losses() {
  std::vector<Loss> taken;
  for (auto& [key, loss] : losses_) taken.push_back(std::move(loss));
  losses_.clear();
  return taken;
}

}  // namespace tokenjoule
