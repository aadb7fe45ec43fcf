#include "load/engine_probe.hpp"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "load/trial_request.hpp"

namespace tokenjoule {

namespace {

/// The engine's own answers; an error only where nothing can be reached at all.
Result<ProbeAnswers> answers_of(HttpClient& client, const ProbeQuestion& question) {
  const Url& root = question.root;
  ProbeAnswers answers;
  std::optional<Error> unreachable;
  for (const char* path : {"/v1/models", "/version", "/props", "/metrics", "/health"}) {
    // Only the list of models must be had.
    const bool needed = std::string_view(path) == "/v1/models";
    auto reply = asked_again([&] { return client.get(root.joined(path)); },
                             needed ? question.wait : WaitFor());
    if (reply) {
      answers[path] = {reply->status, reply->content_type, std::move(reply->body),
                       std::move(reply->location)};
    } else if (reply.error().kind == ErrorKind::interrupted) {
      return unexpected(std::move(reply).error());
    } else if (!unreachable) {
      unreachable = std::move(reply).error();
      // Refused, unknown or not http: the other pages are on the same port.
      if (answers.empty() && unreachable->message.find("in time") == std::string::npos) break;
    }
  }
  if (!answers.empty()) return answers;
  const bool refused = unreachable->message.find("connection refused") != std::string::npos;
  return failure(ErrorKind::missing,
                 refused ? fmt::format("cannot reach {}: connection refused", root.text())
                         : "cannot reach the engine: " + unreachable->message,
                 refused ? "start the engine or check --url" : unreachable->hint);
}

/// Asks for the pages that tell more of the server that the answers so far speak of, until no page
/// is left to ask for: what came may speak of another.
void ask_further(HttpClient& client, const ProbeQuestion& question, ProbeAnswers& answers) {
  std::set<std::string> asked;
  for (bool more = true; more;) {
    more = false;
    const EngineDialect* dialect = question.dialect ? dialect_named(*question.dialect) : nullptr;
    if (dialect == nullptr) dialect = dialect_for(answers).value_or(nullptr);
    if (dialect == nullptr) return;
    for (const std::string& path : dialect->further_pages()) {
      if (!asked.insert(path).second) continue;
      more = true;
      auto reply = client.get(question.root.joined(path));
      if (!reply) continue;
      answers[path] = {reply->status, reply->content_type, std::move(reply->body)};
    }
  }
}

Result<const EngineDialect*> chosen_dialect(const ProbeQuestion& question,
                                            const ProbeAnswers& answers) {
  auto found = dialect_for(answers);
  if (!question.dialect) return found;
  if (const EngineDialect* named = dialect_named(*question.dialect)) {
    // With engine and model both stated, a server that does not list its models will do.
    if (!found && !question.model) return found;
    return named;
  }
  std::vector<std::string> names;
  for (const EngineDialect* dialect : dialects()) names.emplace_back(dialect->name());
  return failure(ErrorKind::usage,
                 fmt::format("there is no engine \"{}\"{}", quoted(*question.dialect),
                             did_you_mean(*question.dialect, names)),
                 fmt::format("known are: {}", fmt::join(names, ", ")));
}

Result<std::string> chosen_model(const ProbeQuestion& question, const ProbeAnswers& answers,
                                 const std::string& first) {
  if (!question.model) return first;
  const auto names = model_names(answers);
  const auto is_asked = [&](const std::string& name) { return name == *question.model; };
  if (names.empty() || *question.model == first ||
      std::any_of(names.begin(), names.end(), is_asked)) {
    return *question.model;
  }
  return failure(ErrorKind::missing,
                 fmt::format("the engine has no model \"{}\"{}", quoted(*question.model),
                             did_you_mean(*question.model, names)),
                 fmt::format("it serves: {}", fmt::join(names, ", ")));
}

/// Why there are no counters, in words for the record.
std::string why_no_page(const EngineDialect& dialect, const Result<HttpReply>& reply) {
  if (!reply) return reply.error().message;
  if (reply->status == 404 || reply->status == 501) return std::string(dialect.why_no_metrics());
  return "the metrics page " + status_words(*reply);
}

/// The counters of a page, or why there are none.
Result<std::vector<EngineCounter>> counters_at(HttpClient& client, const Url& url,
                                               const EngineDialect& dialect) {
  const auto reply = client.get(url);
  if (!reply || reply->status != 200) {
    return failure(ErrorKind::missing, why_no_page(dialect, reply),
                   "check the URL of --server-metrics");
  }
  TRY(const PrometheusPage page, prometheus_page(reply->body, reply->content_type));
  if (page.truncated) {
    return failure(ErrorKind::missing, "the metrics page is cut off",
                   "check the URL of --server-metrics, and any proxy in between");
  }
  auto counters = dialect.counters_on(page);
  if (!counters.empty()) return counters;
  return failure(
      ErrorKind::missing,
      fmt::format("the metrics page has no counter whose meaning is known for the engine {}",
                  dialect.name()),
      "count tokens at the client only: --server-metrics off");
}

/// Which page is read and what is on it. An error only for a page that was asked for by its URL.
Status add_metrics(ProbedEngine& engine, const ProbeQuestion& question) {
  if (question.server_metrics == "off") {
    engine.info.metrics_note = "switched off with --server-metrics off";
    return {};
  }
  const bool found_by_itself = question.server_metrics == "auto";
  const std::string path(engine.dialect->metrics_path());
  Url url = question.root.joined(path);
  if (!found_by_itself) {
    TRY(url, url_in(question.server_metrics));
    if (url.path.empty()) url.path = path;
  }
  // A key is for the engine alone.
  const bool same =
      url.authority() == question.root.authority() && url.scheme == question.root.scheme;
  if (same) engine.metrics_headers = question.headers;
  HttpClient client(
      {.timeout = question.timeout, .headers = engine.metrics_headers, .tls = question.tls});
  auto counters = counters_at(client, url, *engine.dialect);
  if (!counters && !found_by_itself) return unexpected(std::move(counters).error());
  if (!counters) {
    engine.info.metrics_note = counters.error().message;
    return {};
  }
  engine.info.counters = std::move(*counters);
  engine.info.metrics_url = url.text();
  engine.metrics = std::move(url);
  return {};
}

}  // namespace

Result<ProbedEngine> probe_engine(const ProbeQuestion& question) {
  HttpClient client(
      {.timeout = question.timeout, .headers = question.headers, .tls = question.tls});
  TRY(ProbeAnswers answers, answers_of(client, question));
  ask_further(client, question, answers);
  ProbedEngine engine;
  TRY(engine.dialect, chosen_dialect(question, answers));
  engine.info = engine.dialect->described_by(answers);
  engine.info.url = question.root.text();
  engine.info.ignore_eos = engine.dialect->takes_ignore_eos();
  TRY(engine.info.model, chosen_model(question, answers, engine.info.model));
  TRY(const Trial trial, try_request(question, *engine.dialect, engine.info.model));
  engine.endpoint = trial.endpoint;
  engine.info.endpoint = trial.path;
  engine.info.token_id_prompts = trial.token_ids;
  engine.info.token_ids_listed = trial.lists_ids;
  // After the trial, since some counters are not on the page before the first request.
  TRY_DO(add_metrics(engine, question));
  return engine;
}

Result<std::int64_t> count_tokens(const ProbedEngine& engine, const ProbeQuestion& question,
                                  std::string_view text) {
  using Json = nlohmann::ordered_json;
  Json body;
  std::string page = "/tokenize";
  if (engine.info.kind == "vllm") {
    body = {{"model", engine.info.model}, {"prompt", std::string(text)}};
  } else if (engine.info.kind == "llamacpp") {
    body = {{"content", std::string(text)}, {"add_special", true}};
  } else if (engine.info.kind == "llama-cpp-python") {
    page = "/extras/tokenize/count";
    body = {{"input", std::string(text)}};
  } else {
    return failure(ErrorKind::missing,
                   fmt::format("the engine {} cannot be asked to count tokens", engine.info.kind),
                   "state lengths in tokens, or use a dataset with known lengths");
  }
  HttpClient client(
      {.timeout = question.timeout, .headers = question.headers, .tls = question.tls});
  TRY(const HttpReply reply,
      client.post_json(question.root.joined(page),
                       body.dump(-1, ' ', false, Json::error_handler_t::replace)));
  const auto document = JsonDocument::parse(reply.body);
  if (reply.status == 200 && document) {
    const JsonView root = document->root();
    if (const auto count = root["count"].integer()) return *count;
    if (root["tokens"].is(JsonNode::Type::array))
      return static_cast<std::int64_t>(root["tokens"].size());
  }
  return failure(
      ErrorKind::missing,
      fmt::format("{} answers with status {}: \"{}\"", page, reply.status, quoted(reply.body)),
      "see the log of the engine");
}

}  // namespace tokenjoule
