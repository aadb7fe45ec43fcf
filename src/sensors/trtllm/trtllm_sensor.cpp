#include "sensors/trtllm/trtllm_sensor.hpp"

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "io/http_client.hpp"
#include "model/containment.hpp"
#include "sensors/page_settings.hpp"

namespace tokenjoule {

namespace {

constexpr char kHint[] =
    "start trtllm-serve with \"enable_energy_metrics: true\" in its configuration, and say where "
    "it is: --sensor trtllm:url=http://HOST:8000";

class TrtllmSensor final : public Sensor {
 public:
  explicit TrtllmSensor(PageSettings settings)
      : settings_(std::move(settings)),
        client_({.timeout = settings_.timeout, .tls = settings_.tls}) {}

  Status open() {
    auto energy = read();
    if (!energy) {
      Error error = std::move(energy).error();
      error.kind = ErrorKind::missing;
      if (settings_.url.scheme != "https" || error.hint.empty()) error.hint = kHint;
      return unexpected(std::move(error));
    }
    const std::string device = "trtllm " + settings_.url.authority();
    contents_.devices.push_back({.id = device,
                                 .name = "the GPUs that trtllm-serve reads",
                                 .kind = DeviceKind::gpu,
                                 .label = device,
                                 .group = settings_.group});
    contents_.devices.back().facts[kSumOfGpusFact] = "which ones is not told";
    contents_.signals.push_back({.id = 0,
                                 .sensor = "trtllm",
                                 .device = device,
                                 .measurand = Measurand::energy,
                                 .kind = SignalKind::counter,
                                 .boundary = Boundary::gpu_board,
                                 .source = "/energy_metrics total_energy_j",
                                 .raw_unit = "J",
                                 .to_si = 1.0});
    return {};
  }

  const SensorContents& contents() const override { return contents_; }

  Result<Sample> poll(Clock& clock) override {
    const MonoTime before = clock.now();
    TRY(const TrtllmEnergy energy, read());
    Sample sample{.read = {before, clock.now()}, .readings = {}};
    // An answer out of some cache on the way was read before; it says nothing about now.
    if (last_ && *last_ == energy.server_s) return sample;
    last_ = energy.server_s;
    sample.readings.push_back({0, energy.joules});
    return sample;
  }

 private:
  Result<TrtllmEnergy> read() {
    auto reply = client_.get(settings_.url);
    if (!reply) {
      Error error = std::move(reply).error();
      error.kind = ErrorKind::retry;
      return unexpected(std::move(error));
    }
    const std::string url = settings_.url.text();
    if (reply->status != 200) {
      return failure(ErrorKind::retry, fmt::format("{} {}", url, status_words(*reply)), kHint);
    }
    auto energy = trtllm_energy_in(reply->body);
    if (!energy) return unexpected(std::move(energy).error().in(url));
    return energy;
  }

  PageSettings settings_;
  HttpClient client_;
  SensorContents contents_;
  std::optional<double> last_;
};

}  // namespace

Result<TrtllmEnergy> trtllm_energy_in(std::string_view body) {
  const auto no_energy = [](const std::string& why) {
    return failure(ErrorKind::retry, "it is no answer of trtllm-serve's /energy_metrics: " + why,
                   kHint);
  };
  const auto document = JsonDocument::parse(body);
  if (!document) return no_energy("it is not JSON");
  const auto joules = document->root()["total_energy_j"].need_number();
  const auto server_s = document->root()["query_time"].need_number();
  if (!joules || !server_s) return no_energy((joules ? server_s : joules).error().message);
  if (*joules < 0) return no_energy("its energy is negative");
  return TrtllmEnergy{*joules, *server_s};
}

Result<std::unique_ptr<Sensor>> open_trtllm(const SensorSpec& spec, Clock&) {
  TRY(PageSettings settings, page_settings_in(spec, "http://127.0.0.1:8000/energy_metrics"));
  auto sensor = std::make_unique<TrtllmSensor>(std::move(settings));
  TRY_DO(sensor->open());
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
