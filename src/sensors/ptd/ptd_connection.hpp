#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/line_client.hpp"
#include "sensors/ptd/ptd_lines.hpp"

namespace tokenjoule {

struct PtdWish {
  std::string host;
  std::uint16_t port = 8888;
  int channel = 0;  ///< 0: all of the analyser
  bool start = false;
  bool resumes = false;  ///< it may be running already, so that the answer to its start is nothing
  Nanoseconds interval = whole_seconds(1);  ///< of the samples, where a measurement is started
  Nanoseconds timeout = whole_seconds(5);   ///< of one answer
};

/// A conversation with PTDaemon. Its ranges and marks are never touched; a measurement is started,
/// and stopped at the end, only if that is wished for.
class PtdConnection {
 public:
  /// Errors: of kind missing; of kind unavailable where something else listens, or the measurement
  /// cannot be started.
  static Result<PtdConnection> open(const PtdWish& wish);
  PtdConnection(PtdConnection&&) noexcept = default;
  PtdConnection& operator=(PtdConnection&&) noexcept = default;
  ~PtdConnection();

  const std::string& identity() const { return identity_; }  ///< what it says of the analyser
  /// The samples that have come since the last call, oldest first. An error of kind missing is the
  /// connection's end or a missing answer; of kind unavailable another answer than samples.
  Result<std::vector<PtdSample>> unread();
  /// Lines of errors that came in between, since the last call.
  std::vector<std::string> take_complaints();

 private:
  PtdConnection(LineClient client, const PtdWish& wish) : client_(std::move(client)), wish_(wish) {}
  Status greet();
  Result<std::string> answer_to(const std::string& command);
  Result<std::string> next_answer();
  void take_line(const std::string& line);
  Result<std::string> first_line_of_samples();

  std::optional<LineClient> client_;
  PtdWish wish_;
  std::string identity_;
  std::string read_command_;  ///< the one that it understood, "" before the first
  bool started_ = false;
  std::vector<PtdSample> unread_;
  std::vector<std::string> complaints_;
};

}  // namespace tokenjoule
