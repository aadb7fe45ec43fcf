#include "sensors/prometheus/prometheus_sensor.hpp"

#include <fmt/core.h>

#include "sensors/prometheus/prometheus_samples.hpp"

namespace tokenjoule {

namespace {

/// Behind an expression that selects series: their own samples of so long, each with its stamp.
constexpr char kRangeToLearn[] = "[5m]";  // Prometheus's own look-back
constexpr char kRangeToPoll[] = "[2m]";   // twice the longest period, for a poll that failed
constexpr Nanoseconds kClockFor = whole_seconds(60);

class PrometheusSensor final : public Sensor {
 public:
  explicit PrometheusSensor(PrometheusSettings settings)
      : settings_(std::move(settings)), client_(settings_.http), samples_(settings_) {}

  Status open(Clock& clock) {
    auto answer = answer_to(settings_.query + kRangeToLearn);
    stamped_ = answer.has_value();
    // No selector but an expression: its values have the stamp of the query.
    if (!answer && answer.error().kind == ErrorKind::usage) answer = answer_to(settings_.query);
    if (!answer) return unexpected(as_missing(std::move(answer).error()));
    TRY_DO(samples_.learn(*answer, stamped_));
    if (auto read = read_clock(clock); !read)
      return unexpected(as_missing(std::move(read).error()));
    return {};
  }

  const SensorContents& contents() const override { return samples_.contents(); }
  bool has_more() const override { return samples_.has_samples(); }
  std::vector<Loss> take_losses() override { return samples_.take_losses(); }

  Result<Sample> poll(Clock& clock) override {
    if (samples_.has_samples()) return samples_.take_sample();
    const MonoTime before = clock.now();
    if (before < next_) return Sample{.read = {before, before}, .readings = {}};
    next_ = before + settings_.period;
    if (before - server_clock_.asked.end > kClockFor) TRY_DO(read_clock(clock));
    TRY(const PromqlAnswer answer, answer_to(settings_.query + (stamped_ ? kRangeToPoll : "")));
    if (!samples_.take(answer, server_clock_, clock.now())) {
      return failure(ErrorKind::retry,
                     fmt::format("{} has none of the series any more", settings_.url.text()),
                     "see whether the target is up in Prometheus");
    }
    if (samples_.has_samples()) return samples_.take_sample();
    return Sample{.read = {before, clock.now()}, .readings = {}};
  }

 private:
  static Error as_missing(Error error) {
    if (error.kind == ErrorKind::retry) error.kind = ErrorKind::missing;
    return error;
  }

  Result<PromqlAnswer> answer_to(const std::string& expression) {
    auto reply = client_.get(settings_.url.joined(promql_path(expression)));
    if (!reply) {
      Error error = std::move(reply).error();
      error.kind = ErrorKind::retry;
      if (error.hint.empty()) error.hint = "check that url is the address of a Prometheus";
      return unexpected(std::move(error));
    }
    if (reply->status == 401 || reply->status == 403) {
      return failure(ErrorKind::retry,
                     fmt::format("{} {}", settings_.url.text(), status_words(*reply)),
                     "give bearer_env or bearer_file, or user with password_env or password_file");
    }
    auto answer = promql_answer_in(reply->body);
    if (!answer) return unexpected(std::move(answer).error().in(settings_.url.text()));
    return answer;
  }

  Status read_clock(Clock& clock) {
    const MonoTime before = clock.now();
    TRY(const PromqlAnswer answer, answer_to("time()"));
    const TimeSpan asked{before, clock.now()};
    if (answer.series.empty() || answer.series.front().samples.empty()) {
      return failure(ErrorKind::retry,
                     fmt::format("{} does not tell its time", settings_.url.text()),
                     "check that it is a Prometheus");
    }
    server_clock_ = {asked, answer.series.front().samples.front().value};
    return {};
  }

  const PrometheusSettings settings_;
  HttpClient client_;
  PrometheusSamples samples_;
  bool stamped_ = false;
  ServerClock server_clock_;
  MonoTime next_{INT64_MIN};
};

}  // namespace

Result<std::unique_ptr<Sensor>> open_prometheus(const SensorSpec& spec, Clock& clock) {
  TRY(PrometheusSettings settings, prometheus_settings_in(spec));
  auto sensor = std::make_unique<PrometheusSensor>(std::move(settings));
  TRY_DO(sensor->open(clock));
  return std::unique_ptr<Sensor>(std::move(sensor));
}

}  // namespace tokenjoule
