#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/live_readings.hpp"
#include "app/measure_setup.hpp"
#include "io/clock.hpp"
#include "load/engine_scraper.hpp"
#include "record/event_queue.hpp"
#include "record/run_writer.hpp"
#include "sensors/sampler.hpp"

namespace tokenjoule {

/// Half of the two seconds around an edge in which sensors are polled every 20 ms.
constexpr Nanoseconds kEdgeHalf = whole_seconds(1);
/// A run waits at most this long for each counter to step twice: two steps of an exporter that
/// collects every 30 s.
constexpr Nanoseconds kLongestStepWait = whole_seconds(65);

/// What writes a record, whoever makes the load: the queue and its file, the sensors on their
/// threads, and the reads of the engine's page.
class Recording {
 public:
  /// The clock must outlive it.
  Recording(OpenSensors sensors, Seconds period, SystemClock& clock);

  /// Creates the file, which must not exist, with its header; then what is known of the engine.
  Status begin(const std::filesystem::path& file, const RunHeader& header,
               const std::optional<EngineInfo>& engine);
  void start_scraper(ScraperOptions options);
  void start_sensors();
  /// Stops scraper and sensors, then keeps what is new of their devices: who computes there now.
  void stop_sources(const std::vector<Url>& engines);
  /// Ends the record with that reason. An error: what went wrong with the file.
  Status close(const std::string& reason);

  bool has_begun() const { return writer_ != nullptr; }
  /// What went wrong with the file so far.
  Status status() const { return writer_->status(); }
  EventQueue& queue() { return queue_; }
  const LiveReadings& readings() const { return readings_; }
  void mark(Phase phase, MonoTime at) { queue_.push(Mark{at, phase}); }
  void note(std::string text) { queue_.push(Note{clock_.now(), std::move(text)}); }
  void set_fast(bool fast) { sampler_.set_fast(fast); }
  /// Reads the engine's page now, where there is one; a failure is a Loss in the record.
  void scrape_edge();

 private:
  SystemClock& clock_;
  EventQueue queue_;
  LiveReadings readings_;
  EventSink sink_;
  std::vector<Device> devices_;
  std::optional<SensorSpec> nvml_;
  std::vector<AbsentSensor> left_out_;
  std::unique_ptr<RunWriter> writer_;
  Sampler sampler_;
  std::unique_ptr<EngineScraper> scraper_;
};

}  // namespace tokenjoule
