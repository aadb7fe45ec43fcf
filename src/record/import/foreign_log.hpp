#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "base/time.hpp"
#include "model/event.hpp"
#include "model/signal.hpp"

/// What other programs wrote down, read into one form.
namespace tokenjoule {

/// Rows that were left out: how many, and the first few with line and reason.
struct SkippedRows {
  std::int64_t count = 0;
  std::vector<std::string> first;

  void add(long line, const std::string& why);
};

/// Why a row of a power log has no power: what InferenceX's rules ask for.
enum class BadRowKind { time, power, device };
struct BadRow {
  BadRowKind kind = BadRowKind::time;
  std::optional<std::int64_t> at_ns;  ///< absent where the time could not be read
};

struct LoggedDevice {
  std::string id;  ///< UUID where the log has it, else "gpu-0"
  std::string name;
  std::string label;  ///< index or name in the log: "0"
  DeviceKind kind = DeviceKind::gpu;
};

struct LoggedValue {
  Measurand measurand = Measurand::power;
  double value = 0;  ///< in the SI unit of the measurand
};

/// All that one row says of one device.
struct LoggedRow {
  std::int64_t at_ns = 0;  ///< as in Stamp::ns
  std::size_t device = 0;  ///< index into PowerLog::devices
  std::vector<LoggedValue> values;
};

/// Power (or an energy counter) of devices over time. `rows` are in time order.
struct PowerLog {
  std::string format;
  std::string file;
  std::string source;  ///< column or field that the power comes from
  Boundary boundary = Boundary::gpu_board;
  std::vector<LoggedDevice> devices;
  std::vector<LoggedRow> rows;
  bool absolute = true;    ///< false: seconds of the log's own clock
  bool zone_known = true;  ///< false: local time of an unknown place
  Seconds resolution;      ///< of its stamps
  /// What each power is a mean over; absent: an instant value, or not known (then the next member).
  std::optional<Seconds> averaging;
  bool averaging_unknown = false;  ///< may be a mean over the last second
  Accuracy accuracy;
  std::int64_t rows_read = 0;
  SkippedRows skipped;
  std::vector<BadRow> bad_rows;
};

/// Sums of a run, where its single requests or their times are not known.
struct LoadTotals {
  double output_tokens = 0;
  std::optional<double> prompt_tokens;
  std::optional<double> requests;  ///< completed
};

/// What InferenceX demands of a benchmark result before it divides by it.
struct BenchmarkContract {
  std::optional<double> start_unix_s, end_unix_s, duration_s;
  std::optional<std::int64_t> completed, input_tokens, output_tokens;
};

/// A load that another generator ran. Times are counted from the begin of the load (MonoTime 0).
struct LoadLog {
  std::string format;
  std::string file;
  std::string engine;  ///< "vllm", "sglang", …; "" where the file does not say
  std::string model;
  /// When the load began, as in Stamp::ns; absent: the file does not say.
  std::optional<std::int64_t> begin_ns;
  bool zone_known = true;
  Seconds slack;       ///< how far begin_ns may be off
  Nanoseconds length;  ///< from the begin to the end of the load
  std::vector<RequestRecord> requests;
  std::optional<LoadTotals> totals;  ///< where there are no requests
  bool pieces_known = true;          ///< false: only first and last token of an answer have a time
  std::optional<std::int64_t> concurrency;
  std::optional<double> request_rate;  ///< per second; absent: none, or not known
  std::vector<std::string> limits;     ///< what this file cannot tell, a sentence each
  std::optional<BenchmarkContract> contract;
  SkippedRows skipped;
};

/// How a log is to be read, where it does not say so itself.
struct ReadOptions {
  std::map<std::string, std::string> columns;  ///< of a CSV: "time", "watts", "joules", "device"
  std::optional<Boundary> boundary;            ///< of a CSV
  std::optional<std::int64_t> run;       ///< the how-manieth run of the file; absent: the last
  std::optional<std::int64_t> begin_ns;  ///< first row of a log without stamps
  Seconds period{1};                     ///< between rows of such a log
};

}  // namespace tokenjoule
