#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sim/fake_nvml/fake_gpu.hpp"

namespace tokenjoule {

/// A value that stays the same from each point to the next: "0:80 10:300". Before the first point
/// it is as at the first.
struct StepCurve {
  struct Point {
    double at_s = 0;
    double value = 0;
  };
  std::vector<Point> points;

  double value_at(double at_s) const;
  /// From time 0 to `at_s`.
  double integral_to(double at_s) const;
};

/// One GPU whose readings follow from time alone.
struct ScriptedGpu {
  FakeGpu fixed;             ///< all that does not change
  StepCurve power;           ///< W
  StepCurve module_power;    ///< W
  StepCurve limit_enforced;  ///< W
  double start_mj = 0;       ///< what the counter shows at time 0
  double counter_step_s = 0.1;
  double power_step_s = 0.1;
  std::optional<double> reset_at_s;   ///< the counter starts again at 0
  std::optional<double> freeze_at_s;  ///< the counter stands still from here on
  std::optional<double> result_at_s;  ///< FakeGpu::result is given from here on, 0 before
  double block_ms = 0;                ///< each call on it takes this much longer
  double block_from_s = 0;            ///< from here on
  std::string block_gate;  ///< a FIFO that each call on it reads to its end, where it is there
};

/// What the fake library does, as told by a text file. Format: README.md beside this file.
struct FakeScript {
  std::string driver_version = "550.54.15";
  int init_result = 0;  ///< NVML code that nvmlInit gives
  std::string
      clock_file;  ///< holds the time in seconds; "": real time since the library was initialised
  std::vector<ScriptedGpu> gpus;
};

/// Errors name the line. Needs nothing but the standard library, for the fake library's sake.
Result<FakeScript> fake_script_in(std::string_view text);

/// What the GPU shows at that time. The counter moves on the grid of its step.
FakeGpu gpu_at(const ScriptedGpu& scripted, double at_s);

}  // namespace tokenjoule
