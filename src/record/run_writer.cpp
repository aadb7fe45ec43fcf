#include "record/run_writer.hpp"

#include <mutex>
#include <thread>
#include <utility>

#include "io/file.hpp"
#include "record/event_json.hpp"

namespace tokenjoule {

namespace {

/// Two blind spots of a crash: what the program had not drained (at most this long), and what the
/// kernel had not written (only if the machine itself goes down).
constexpr Nanoseconds kDrainPeriod = milliseconds(250);
constexpr Nanoseconds kAnchorPeriod = whole_seconds(60);

class FileRunWriter final : public RunWriter {
 public:
  FileRunWriter(AppendFile file, Clock& clock, EventQueue& queue)
      : file_(std::move(file)), clock_(clock), queue_(queue) {}

  Status begin(const RunHeader& header) {
    TRY_DO(write(header));
    TRY_DO(write(anchor_now(clock_)));
    next_anchor_ = clock_.now() + kAnchorPeriod;
    thread_ = std::jthread([this](const std::stop_token& stop) { drain_until(stop); });
    return {};
  }

  Status status() const override {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  Status close(const std::string& reason) override {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    drain();
    keep(write(anchor_now(clock_)));
    const RunClose close_event{clock_.now(), reason, counts_};
    keep(write(close_event));
    keep(file_.sync());
    return status();
  }

 private:
  void drain_until(const std::stop_token& stop) {
    for (MonoTime due = clock_.now() + kDrainPeriod; clock_.sleep_until(due, stop);
         due += kDrainPeriod) {
      drain();
      if (clock_.now() < next_anchor_) continue;
      keep(write(anchor_now(clock_)));
      next_anchor_ += kAnchorPeriod;
    }
  }

  void drain() {
    const MonoTime at = clock_.now();
    std::string lines;
    for (const Event& event : queue_.take()) {
      lines += line_of(event) + '\n';
      ++counts_[std::string(kind_of(event))];
    }
    for (const auto& [kind, count] : queue_.take_refused()) {
      const Loss loss{{at, at},
                      kind == "request" ? "request_record" : "event",
                      "queue",
                      count,
                      "the queue of events was full (" + kind + ")"};
      lines += line_of(loss) + '\n';
      ++counts_["loss"];
    }
    if (!lines.empty()) keep(file_.append(lines));
  }

  Status write(const Event& event) {
    ++counts_[std::string(kind_of(event))];
    return file_.append(line_of(event) + '\n');
  }

  void keep(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_ && !status) status_ = status;
  }

  AppendFile file_;
  Clock& clock_;
  EventQueue& queue_;
  MonoTime next_anchor_;
  std::map<std::string, std::int64_t> counts_;
  mutable std::mutex mutex_;
  Status status_;
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::create(const std::filesystem::path& path,
                                                     const RunHeader& header, Clock& clock,
                                                     EventQueue& queue) {
  TRY(AppendFile file, AppendFile::create(path));
  auto writer = std::make_unique<FileRunWriter>(std::move(file), clock, queue);
  TRY_DO(writer->begin(header));
  return writer;
}

}  // namespace tokenjoule
