#include "app/recording.hpp"

#include <nlohmann/json.hpp>

namespace tokenjoule {

namespace {

SamplerOptions sampler_options(Seconds period) {
  SamplerOptions options;
  options.period = to_nanoseconds(period);
  return options;
}

/// So that a result can say why it lacks a part of the machine.
std::string with_absent(const std::string& configuration,
                        const std::vector<AbsentSensor>& left_out) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(configuration, nullptr, false);
  if (left_out.empty() || !json.is_object()) return configuration;
  for (const AbsentSensor& absent : left_out) {
    Json reads = Json::array();
    for (const Boundary boundary : absent.reads) reads.push_back(name_of(boundary));
    json["sensors_absent"][absent.name] = {{"reason", absent.reason}, {"reads", std::move(reads)}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Recording::Recording(OpenSensors sensors, Seconds period, SystemClock& clock)
    : clock_(clock),
      sink_([this](Event event) {
        readings_.see(event);
        queue_.push(std::move(event));
      }),
      devices_(std::move(sensors.devices)),
      nvml_(std::move(sensors.nvml)),
      left_out_(std::move(sensors.left_out)),
      sampler_(std::move(sensors.sensors), clock, sink_, sampler_options(period)) {}

Status Recording::begin(const std::filesystem::path& file, const RunHeader& header,
                        const std::optional<EngineInfo>& engine) {
  RunHeader complete = header;
  complete.configuration_json = with_absent(header.configuration_json, left_out_);
  TRY(writer_, RunWriter::create(file, complete, clock_, queue_));
  if (engine) queue_.push(*engine);
  readings_.watch(devices_, sampler_.signals());
  return {};
}

void Recording::start_scraper(ScraperOptions options) {
  scraper_ = std::make_unique<EngineScraper>(std::move(options), clock_, sink_);
  scraper_->start();
}

void Recording::start_sensors() { sampler_.start(devices_); }

void Recording::scrape_edge() {
  if (scraper_) scraper_->scrape_now("edge");
}

void Recording::stop_sources(const std::vector<Url>& engines) {
  sampler_.stop();
  if (scraper_) scraper_->stop();
  mark(Phase::end, clock_.now());
  for (Device& device : changed_tenants(engines, nvml_, devices_)) queue_.push(std::move(device));
}

Status Recording::close(const std::string& reason) { return writer_->close(reason); }

}  // namespace tokenjoule
