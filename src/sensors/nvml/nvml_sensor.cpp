#include "sensors/nvml/nvml_sensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "devices/nvml.hpp"
#include "sensors/nvml/nvml_gpus.hpp"
#include "sensors/nvml/nvml_reader.hpp"

namespace tokenjoule {

namespace {

constexpr Nanoseconds kSlowPeriod = whole_seconds(1);

std::vector<NvmlKey> keys_of(const std::vector<NvmlSignal>& signals) {
  std::vector<NvmlKey> keys;
  for (const NvmlSignal& signal : signals) {
    keys.insert(keys.end(), signal.keys.begin(), signal.keys.end());
  }
  return keys;
}

/// A round gives one sample a GPU, so that each is stamped closely, and once a second one more of
/// what changes slowly.
class NvmlSensor final : public Sensor {
 public:
  NvmlSensor(std::unique_ptr<Nvml> nvml, OpenedGpus opened, const std::string& group,
             MonoTime opened_at)
      : nvml_(std::move(nvml)) {
    std::uint32_t id = 0;
    for (OpenedGpu& opened_gpu : opened.gpus) {
      opened_gpu.device.group = group;
      contents_.devices.push_back(opened_gpu.device);
      Gpu gpu{
          opened_gpu.handle, opened_gpu.device.id, std::move(opened_gpu.signals), {}, {}, false};
      announce(gpu.signals.fast, id);
      announce(gpu.signals.slow, id);
      gpu.fast_keys = keys_of(gpu.signals.fast);
      gpu.slow_keys = keys_of(gpu.signals.slow);
      gpus_.push_back(std::move(gpu));
    }
    if (!opened.not_opened.empty()) {
      note({opened_at, opened_at}, fmt::format("{} of {} GPUs can be opened; the others: {}",
                                               gpus_.size(), opened.listed, opened.not_opened));
    }
  }

  const SensorContents& contents() const override { return contents_; }
  bool has_more() const override { return next_ != 0; }
  std::vector<Loss> take_losses() override { return std::exchange(losses_, {}); }

  Result<Sample> poll(Clock& clock) override {
    if (next_ == 0) begin_round(clock.now());
    const std::size_t turn = next_;
    const std::size_t turns = gpus_.size() + (slow_round_ ? 1 : 0);
    next_ = turn + 1 == turns ? 0 : turn + 1;
    Sample sample{.read = {clock.now(), {}}, .readings = {}};
    if (turn < gpus_.size()) {
      read_into(sample, gpus_[turn], gpus_[turn].fast_keys, gpus_[turn].signals.fast, clock);
    } else {
      for (Gpu& gpu : gpus_) read_into(sample, gpu, gpu.slow_keys, gpu.signals.slow, clock);
    }
    sample.read.end = clock.now();
    got_something_ = got_something_ || !sample.readings.empty();
    if (next_ == 0 && !got_something_) return unexpected(nothing_read());
    return sample;
  }

 private:
  struct Gpu {
    nvml::Device handle;
    std::string id;
    NvmlSignals signals;
    std::vector<NvmlKey> fast_keys;
    std::vector<NvmlKey> slow_keys;
    bool lost;
  };

  void announce(std::vector<NvmlSignal>& signals, std::uint32_t& id) {
    for (NvmlSignal& signal : signals) {
      signal.signal.id = id++;
      contents_.signals.push_back(signal.signal);
    }
  }

  void begin_round(MonoTime now) {
    slow_round_ = now >= slow_due_;
    if (slow_round_) slow_due_ = now + kSlowPeriod;
    got_something_ = false;
    if (last_error_ && last_error_->kind == ErrorKind::retry) last_error_.reset();
  }

  void read_into(Sample& sample, Gpu& gpu, const std::vector<NvmlKey>& keys,
                 const std::vector<NvmlSignal>& signals, Clock& clock) {
    if (gpu.lost || keys.empty()) return;
    const NvmlRead read = read_nvml(*nvml_, gpu.handle, keys);
    const auto readings = readings_of(signals, read.values);
    sample.readings.insert(sample.readings.end(), readings.begin(), readings.end());
    if (!read.error) return;
    gpu.lost = read.error->kind == ErrorKind::unavailable;
    note({sample.read.begin, clock.now()}, fmt::format("{}: {}", gpu.id, read.error->message));
    last_error_ = read.error;
  }

  /// A driver that is busy answers again soon; GPUs that are lost do not come back to us.
  Error nothing_read() const {
    const bool all_lost = std::all_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) {
      return gpu.lost || gpu.fast_keys.empty();
    });
    Error error = last_error_.value_or(Error{.kind = ErrorKind::retry,
                                             .message = "no GPU gives energy or power any more",
                                             .hint = "see what nvidia-smi says"});
    error.kind = all_lost ? ErrorKind::unavailable : ErrorKind::retry;
    return error;
  }

  void note(TimeSpan span, std::string reason) {
    losses_.push_back({.span = span, .what = "reading", .source = "", .reason = std::move(reason)});
  }

  std::unique_ptr<Nvml> nvml_;  ///< open for the whole run: see Nvml
  std::vector<Gpu> gpus_;
  SensorContents contents_;
  std::vector<Loss> losses_;
  std::size_t next_ = 0;  ///< whose turn it is in the round; 0: a new round
  bool slow_round_ = false;
  bool got_something_ = false;
  MonoTime slow_due_{INT64_MIN};
  std::optional<Error> last_error_;  ///< of this round, or of a GPU that was lost
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_nvml(const SensorSpec& spec, Clock& clock) {
  const auto setting = [&](const char* key) {
    const auto at = spec.settings.find(key);
    return at == spec.settings.end() ? std::string() : at->second;
  };
  TRY(auto nvml, Nvml::open(setting("library")));
  TRY(auto opened, open_nvml_gpus(*nvml));
  return std::make_unique<NvmlSensor>(std::move(nvml), std::move(opened), setting("group"),
                                      clock.now());
}

}  // namespace tokenjoule
