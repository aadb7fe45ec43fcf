#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "sim/options.hpp"

namespace tokenjoule {

/// The simulated engine and GPU exporter behind one HTTP port. One thread does everything.
class SimulatorServer {
 public:
  /// Binds and listens: connections are taken from here on and answered by `run`. Errors: options
  /// out of range, the address in use or not ours, the port file not writable.
  static Result<std::unique_ptr<SimulatorServer>> create(const SimulatorOptions& options);
  ~SimulatorServer();

  std::uint16_t port() const;
  /// Where it listens and the exact command to measure it; several lines.
  std::string start_message() const;
  /// Serves until `stop`. Once.
  Status run();
  /// Ends `run` soon. Thread-safe; not for signal handlers.
  void stop();

 private:
  struct Implementation;
  explicit SimulatorServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tokenjoule
