#pragma once

#include <optional>
#include <string>

#include "app/measure_options.hpp"
#include "base/time.hpp"
#include "load/load_client.hpp"

namespace tokenjoule {

/// What is shown while a point is measured.
struct ProgressView {
  std::string phase;
  std::optional<LoadProgress> load;  ///< absent: others make it
  std::optional<Watts> power;        ///< latest reading of the chosen devices, summed
  std::optional<Seconds> time_left;  ///< of the phase
};

/// One line: "measure  31 s left  640 sent, 0 failed, 64 running  3 120 events/s  412 W".
std::string progress_line(const ProgressView& view, std::optional<double> events_per_second);

/// Shows progress on standard error: on a terminal a line that is rewritten, else a line each 5 s
/// and at each change of phase.
class Progress {
 public:
  Progress(ProgressStyle style, std::string title);
  ~Progress();
  void show(const ProgressView& view, MonoTime now);

 private:
  bool rewrites_;
  bool silent_;
  std::string title_;
  std::string phase_;
  std::optional<MonoTime> shown_;
  MonoTime rate_at_;
  std::int64_t rate_events_ = 0;
  std::optional<double> rate_;
};

}  // namespace tokenjoule
