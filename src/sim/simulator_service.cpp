#include "sim/simulator_service.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "sim/pages.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

HttpAnswer refused(const ApiError& error) {
  return {error.status, "application/json", json_of(error), {}};
}

HttpAnswer bad_query(std::string message) {
  return refused({400, "BadRequestError", std::move(message), ""});
}

/// A unix time of the query, in seconds.
std::optional<WallTime> wall_time_in(std::string_view query, std::string_view key) {
  for (const std::string_view part : split(query, '&')) {
    const auto equals = part.find('=');
    if (part.substr(0, equals) != key || equals == std::string_view::npos) continue;
    const auto seconds = number_in(part.substr(equals + 1));
    if (seconds && *seconds > 0 && *seconds < 9e9)
      return WallTime{std::llround(*seconds * 1e6) * 1000};
  }
  return std::nullopt;
}

}  // namespace

void WallJoin::keep(Clock& clock) {
  if (!anchors_.empty() && clock.now() - anchors_.back().steady.end < whole_seconds(1)) return;
  anchors_.push_back(anchor_now(clock));
}

MonoTime WallJoin::mono_of(WallTime wall) const {
  // From the latest back: after a step of the wall clock a time may have come twice, and the later
  // one is meant.
  const auto found = std::find_if(anchors_.rbegin(), anchors_.rend(),
                                  [wall](const auto& anchor) { return anchor.wall <= wall; });
  const ClockAnchor& anchor = found == anchors_.rend() ? anchors_.front() : *found;
  return anchor.steady.middle() + Nanoseconds{wall.unix_ns - anchor.wall.unix_ns};
}

SimulatorService::SimulatorService(const SimulatorOptions& options, Clock& clock)
    : options_(options), clock_(clock), started_(clock.wall_now()), generation_(options, clock) {
  wall_.keep(clock);
}

const std::vector<SimulatorService::Route>& SimulatorService::routes() {
  using Service = SimulatorService;
  static const std::vector<Route> routes = {
      {"POST", "/v1/completions", nullptr},
      {"POST", "/v1/chat/completions", nullptr},
      {"GET", "/v1/models", &Service::models},
      {"GET", "/version", &Service::version},
      {"GET", "/health", &Service::health},
      {"POST", "/tokenize", &Service::tokenize},
      {"GET", "/metrics", &Service::engine_metrics},
      {"GET", "/dcgm/metrics", &Service::gpu_metrics},
      {"GET", "/truth", &Service::truth},
  };
  return routes;
}

void SimulatorService::run_due_steps() {
  generation_.run_due_steps();
  wall_.keep(clock_);
}

std::variant<HttpAnswer, std::uint64_t> SimulatorService::take(
    const HttpQuestion& question, Outbox& outbox, std::function<void(AnswerEnd)> on_end) {
  run_due_steps();  // what is answered is what is true now
  if (auto fault = fault_answer(question)) return *std::move(fault);
  bool path_known = false;
  for (const Route& route : routes()) {
    if (route.path != question.path) continue;
    path_known = true;
    if (route.method != question.method) continue;
    if (route.answer == nullptr) return generate(question, outbox, std::move(on_end));
    return (this->*route.answer)(question);
  }
  if (path_known) return refused({405, "MethodNotAllowed", "Method Not Allowed", ""});
  return refused(
      {404, "NotFoundError", fmt::format("no such path: {}", quoted(question.path)), ""});
}

std::optional<HttpAnswer> SimulatorService::fault_answer(const HttpQuestion& question) const {
  if (question.path == "/truth") return std::nullopt;
  if (options_.faults.unauthorized)
    return refused({401, "AuthenticationError", "simulated: a key is needed", ""});
  if (options_.faults.html)
    return HttpAnswer{200,
                      "text/html; charset=utf-8",
                      "<!DOCTYPE html><html><body>simulated: some other page</body></html>\n",
                      {}};
  return std::nullopt;
}

std::variant<HttpAnswer, std::uint64_t> SimulatorService::generate(
    const HttpQuestion& question, Outbox& outbox, std::function<void(AnswerEnd)> on_end) {
  const auto kind =
      question.path == "/v1/completions" ? GenerationKind::completions : GenerationKind::chat;
  const auto request = generation_request_in(kind, question.body, options_);
  if (!request) return refused(request.error());
  if (request->stream && !question.takes_chunks)
    return refused({505, "BadRequestError", "a stream needs HTTP/1.1", ""});
  if (const auto refusal = generation_.refusal()) return refused(*refusal);
  return generation_.begin(*request, question.keep_alive, outbox, std::move(on_end));
}

HttpAnswer SimulatorService::models(const HttpQuestion&) {
  return {200, "application/json", models_json(options_, started_), {}};
}

HttpAnswer SimulatorService::version(const HttpQuestion&) {
  return {200, "application/json", version_json(), {}};
}

HttpAnswer SimulatorService::health(const HttpQuestion&) { return {}; }

HttpAnswer SimulatorService::tokenize(const HttpQuestion& question) {
  auto answer = tokenize_answer(question.body, options_);
  if (!answer) return refused(answer.error());
  return {200, "application/json", *std::move(answer), {}};
}

HttpAnswer SimulatorService::engine_metrics(const HttpQuestion&) {
  return {
      200, std::string(kMetricsType), engine_metrics_page(generation_.simulation(), started_), {}};
}

HttpAnswer SimulatorService::gpu_metrics(const HttpQuestion&) {
  const MonoTime now = clock_.now();
  const auto& down_at = options_.faults.exporter_down_at;
  if (down_at && now >= mono_at(*down_at))
    return {503, "text/plain; charset=utf-8", "simulated: the exporter is down\n", {}};
  return {200, std::string(kMetricsType), gpu_metrics_page(generation_.simulation(), now),
          options_.faults.slow_page};
}

HttpAnswer SimulatorService::truth(const HttpQuestion& question) {
  const auto from = wall_time_in(question.query, "from");
  const auto to = wall_time_in(question.query, "to");
  if (!from || !to) return bad_query("write /truth?from=UNIX_S&to=UNIX_S");
  const TimeSpan span{wall_.mono_of(*from), wall_.mono_of(*to)};
  const Simulation& simulation = generation_.simulation();
  if (span.end < span.begin) return bad_query("from is after to");
  if (span.begin < MonoTime{}) return bad_query("from is before the simulator's start");
  if (span.begin < simulation.known_from())
    return bad_query("from is so long ago that it is forgotten");
  if (span.end > clock_.now()) return bad_query("to is in the future");
  return {200, "application/json", truth_json(simulation, simulation.truth(span)), {}};
}

}  // namespace tokenjoule
