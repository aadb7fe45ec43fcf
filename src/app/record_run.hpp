#pragma once

#include <filesystem>
#include <optional>

#include "app/interrupt.hpp"
#include "app/measure_setup.hpp"
#include "app/record_options.hpp"
#include "io/clock.hpp"
#include "load/engine_probe.hpp"

namespace tokenjoule {

/// What is recorded, and where to.
struct RecordQuestion {
  const RecordOptions& options;
  const std::optional<ProbedEngine>& engine;  ///< absent: no page is read
  std::filesystem::path record;               ///< the run file to write; must not exist
};

struct RecordOutcome {
  Status status;                    ///< what kept it from being recorded
  bool interrupted = false;         ///< a signal came before the planned end of the window
  std::optional<int> command_code;  ///< how the command ended, as shells say it
};

/// Meters alone, while others drive the load: writes the record and ends. The window is
/// `duration`, the run of the command, or until a signal, which is its planned end then. A command
/// is always waited for, also where the record cannot be written any more.
RecordOutcome record_run(const RecordQuestion& question, OpenSensors sensors, SystemClock& clock,
                         InterruptWatcher& interrupts);

}  // namespace tokenjoule
