#include "load/metrics_probe.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "engines/prometheus_text.hpp"
#include "engines/request_families.hpp"

namespace tokenjoule {

namespace {

constexpr const char* kByNames =
    "the engine was told by the names of its counters alone: another one may have copied them";

std::string known_engines() {
  std::vector<std::string_view> names;
  for (const EngineDialect* dialect : dialects()) names.push_back(dialect->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The server's own answers beside the page, at the root of the same host and port.
ProbeAnswers answers_beside(HttpClient& client, Url root) {
  ProbeAnswers answers;
  root.path.clear();
  for (const char* path : {"/v1/models", "/version", "/props", "/metrics"}) {
    const auto reply = client.get(root.joined(path));
    if (!reply) continue;
    answers[path] = {reply->status, reply->content_type, reply->body, reply->location};
  }
  return answers;
}

Result<PrometheusPage> page_of(HttpClient& client, const Url& url) {
  TRY(const HttpReply reply, client.get(url));
  if (reply.status != 200) {
    return failure(ErrorKind::missing, fmt::format("{} {}", url.text(), status_words(reply)),
                   "check the URL of --server-metrics");
  }
  auto page = prometheus_page(reply.body, reply.content_type);
  if (!page) return unexpected(std::move(page).error().in(url.text()));
  if (!page->truncated) return page;
  return failure(ErrorKind::missing, fmt::format("{} is cut off", url.text()),
                 "check any proxy in between");
}

/// An engine, and whether only the page's names speak for it.
struct Told {
  const EngineDialect* dialect = nullptr;
  bool by_names = false;
};

Result<Told> told_by(const MetricsQuestion& question, const ProbeAnswers& answers,
                     const PrometheusPage& page) {
  if (question.dialect) {
    if (const EngineDialect* named = dialect_named(*question.dialect)) return Told{named};
    return failure(ErrorKind::usage,
                   fmt::format("there is no engine \"{}\"", quoted(*question.dialect)),
                   fmt::format("known are: {}", known_engines()));
  }
  const auto found = dialect_for(answers);
  if (found && !(*found)->counters_on(page).empty()) return Told{*found};
  Told told{nullptr, true};
  std::size_t most = 0;
  for (const EngineDialect* dialect : dialects()) {
    const std::size_t counters = dialect->counters_on(page).size();
    if (counters <= most) continue;
    most = counters;
    told.dialect = dialect;
  }
  if (told.dialect != nullptr) return told;
  return failure(ErrorKind::missing,
                 "the metrics page has no counter whose meaning is known for any engine",
                 fmt::format("name the page of an engine that is known ({}), or leave "
                             "--server-metrics out",
                             known_engines()));
}

Result<ProbedEngine> probe_page(const MetricsQuestion& question, Url url) {
  HttpClient client(
      {.timeout = question.timeout, .headers = question.headers, .tls = question.tls});
  const ProbeAnswers answers = answers_beside(client, url);
  if (url.path.empty() || url.path == "/") {
    const auto found = dialect_for(answers);
    url.path = found ? std::string((*found)->metrics_path()) : "/metrics";
  }
  TRY(const PrometheusPage page, page_of(client, url));
  TRY(const Told told, told_by(question, answers, page));
  ProbedEngine engine;
  engine.dialect = told.dialect;
  engine.info = told.dialect->described_by(answers);
  Url root = url;
  root.path.clear();
  engine.info.url = root.text();
  engine.info.metrics_url = url.text();
  engine.info.counters = told.dialect->counters_on(page);
  engine.info.requests = request_families_on(page, engine.info.counters);
  if (told.by_names) engine.info.limits.emplace_back(kByNames);
  engine.metrics = std::move(url);
  engine.metrics_headers = question.headers;
  if (!engine.info.counters.empty()) return engine;
  return failure(ErrorKind::missing,
                 fmt::format("{} has no counter whose meaning is known for the engine {}",
                             engine.info.metrics_url, engine.info.kind),
                 "check --dialect, or leave --server-metrics out");
}

}  // namespace

Result<ProbedEngine> probe_metrics(const MetricsQuestion& question) {
  TRY(ProbedEngine engine, probe_page(question, question.pages.front()));
  for (std::size_t i = 1; i < question.pages.size(); ++i) {
    TRY(ProbedEngine other, probe_page(question, question.pages[i]));
    if (other.info.kind != engine.info.kind) {
      return failure(ErrorKind::missing,
                     fmt::format("{} is of {}, {} of {}", engine.info.metrics_url, engine.info.kind,
                                 other.info.metrics_url, other.info.kind),
                     "name pages of one engine only");
    }
    engine.further_metrics.push_back({*other.metrics, question.headers});
    engine.info.url += "," + other.info.url;
    engine.info.metrics_url += "," + other.info.metrics_url;
  }
  return engine;
}

}  // namespace tokenjoule
