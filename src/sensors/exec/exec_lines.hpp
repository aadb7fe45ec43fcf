#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "model/event.hpp"
#include "sensors/exec/exec_line.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// Turns a program's output into samples: first it learns which signals there are, then it takes
/// those only. Owns no process and no clock, so that it can be tested from strings.
class ExecLines {
 public:
  explicit ExecLines(std::string group) : group_(std::move(group)) {}

  /// Bytes as they came; a line may be cut anywhere.
  /// @param read from just before to just after the read. @param anchor both clocks, taken with it.
  void take(std::string_view bytes, TimeSpan read, const ClockAnchor& anchor);

  /// While learning, each new signal is added to the contents. It ends by itself when a signal
  /// comes a second time: by then all that are printed once a round have come.
  bool is_learning() const { return learning_; }
  void end_learning() { learning_ = false; }

  const SensorContents& contents() const { return contents_; }
  bool has_samples() const { return !samples_.empty(); }
  /// The oldest sample not taken yet; there must be one.
  Sample take_sample();
  /// Lines that did not fit since the last call, by reason; the first of each is quoted.
  std::vector<Loss> take_losses();

 private:
  using Key = std::pair<std::string, std::string>;  ///< signal, device
  void take_line(std::string_view line, TimeSpan read, const ClockAnchor& anchor);
  std::optional<std::uint32_t> id_of(const ExecReading& reading);
  std::optional<TimeSpan> time_of(const ExecReading& reading, std::uint32_t id, TimeSpan read,
                                  const ClockAnchor& anchor);
  /// False where it takes the place of an earlier reading of the same signal and time.
  bool add(TimeSpan at, Reading reading);
  void lose(TimeSpan read, const std::string& why, std::string_view line);

  std::string group_;
  bool learning_ = true;
  std::string unfinished_;  ///< the line that is still coming
  SensorContents contents_;
  std::map<Key, std::uint32_t> ids_;
  std::vector<MonoTime> newest_;  ///< by signal: the newest own time stamp
  std::deque<Sample> samples_;
  std::map<std::string, Loss> losses_;  ///< by reason
};

}  // namespace tokenjoule
