#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/event.hpp"
#include "record/import/foreign_log.hpp"
#include "record/import/log_clock.hpp"

namespace tokenjoule {

/// What the user says of an import.
struct ImportChoice {
  std::vector<std::string> gpus;  ///< labels or ids of the devices that count; empty: all
  std::optional<Seconds> stated_offset;
  Seconds stated_bound;
  std::optional<Seconds> averaging;  ///< of the power readings, where the log does not say
  Seconds skip_start, skip_end;      ///< of the load, left out of the window
  std::optional<std::int64_t> expected_gpus;
  std::string tool_version;
};

/// A file that was read, for the record.
struct ImportedFile {
  std::string name;  ///< without its folder
  std::string format;
  std::string sha256;
};

/// A load and the power of its machine as one run of ours: events in the order of a run file, with
/// header and close event. The run's clock is the load's, from its begin. Each reading spans the
/// time by which it may be off (stamps, join of the clocks, unknown averaging), so that the bounds
/// of the energy hold it. Doubts are written into the header ("import": "findings"), where the
/// checks find them.
///
/// Errors: a device that no log has, clocks that cannot be joined, a window that is not there.
Result<std::vector<Event>> imported_run(const LoadLog& load, const std::vector<PowerLog>& powers,
                                        const std::vector<ImportedFile>& files,
                                        const ImportChoice& choice);

/// The lines of a run file.
std::string run_file_text(const std::vector<Event>& events);

}  // namespace tokenjoule
