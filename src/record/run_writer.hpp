#pragma once

#include <filesystem>
#include <memory>

#include "base/result.hpp"
#include "io/clock.hpp"
#include "record/event_queue.hpp"

namespace tokenjoule {

/// Writes a run file: the header at once, then a thread that drains the queue four times a second.
class RunWriter {
 public:
  /// `path` must not exist.
  static Result<std::unique_ptr<RunWriter>> create(const std::filesystem::path& path,
                                                   const RunHeader& header, Clock& clock,
                                                   EventQueue& queue);
  virtual ~RunWriter() = default;
  /// What went wrong with the file so far (disk full), if anything. Thread-safe.
  virtual Status status() const = 0;
  /// Drains what is left, writes the close event, ends the thread. Once.
  virtual Status close(const std::string& reason) = 0;
};

}  // namespace tokenjoule
