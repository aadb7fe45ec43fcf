#include <fmt/format.h>

#include "base/text.hpp"
#include "load/engine_probe.hpp"
#include "model/engine_settings.hpp"

// Several servers probed as one engine.

namespace tokenjoule {

namespace {

constexpr char kContext[] = "max_model_len";

tl::unexpected<Error> differs(const ProbedEngine& first, const ProbedEngine& other,
                              const char* what, const std::string& here, const std::string& there) {
  return failure(ErrorKind::missing,
                 fmt::format("{} and {} are not alike: {} {} here, {} there", first.info.url,
                             other.info.url, what, quoted(here), quoted(there)),
                 "name with --url only servers of one engine with one model, set up alike");
}

Status check_alike(const ProbedEngine& first, const ProbedEngine& other) {
  const auto words = [](bool yes) { return std::string(yes ? "token ids" : "words"); };
  const EngineInfo& a = first.info;
  const EngineInfo& b = other.info;
  if (a.kind != b.kind) return differs(first, other, "engine", a.kind, b.kind);
  if (a.model != b.model) return differs(first, other, "model", a.model, b.model);
  if (a.endpoint != b.endpoint) return differs(first, other, "endpoint", a.endpoint, b.endpoint);
  if (a.token_id_prompts == b.token_id_prompts) return {};
  return differs(first, other, "prompts as", words(a.token_id_prompts), words(b.token_id_prompts));
}

void add_text(std::string& list, const std::string& text) {
  if (list.find(text) == std::string::npos) list += "," + text;
}

void join_settings(EngineInfo& info, const EngineInfo& other) {
  for (auto at = info.configuration.begin(); at != info.configuration.end();) {
    const auto there = other.configuration.find(at->first);
    const bool same = there != other.configuration.end() && there->second.json == at->second.json;
    at = same ? std::next(at) : info.configuration.erase(at);
  }
}

/// Any of the servers may get the longest request, so the shortest context counts.
void join_context(ProbedEngine& engine, const ProbedEngine& other) {
  const auto here = context_of(engine.info);
  const auto there = context_of(other.info);
  if (here == there) return join_settings(engine.info, other.info);
  const bool other_is_shorter = there && (!here || *there < *here);
  const ProbedEngine& shortest = other_is_shorter ? other : engine;
  const ConfigurationValue length = shortest.info.configuration.at(kContext);
  if (other_is_shorter || engine.shortest_context_url.empty()) {
    engine.shortest_context_url = shortest.info.url;
  }
  join_settings(engine.info, other.info);
  engine.info.configuration[kContext] = length;
}

void drop_metrics(ProbedEngine& engine, std::string note) {
  engine.metrics.reset();
  engine.further_metrics.clear();
  engine.info.metrics_url.clear();
  engine.info.counters.clear();
  engine.info.metrics_note = std::move(note);
}

void join_metrics(ProbedEngine& engine, const ProbedEngine& other) {
  if (!engine.metrics) return;
  if (!other.metrics) {
    const std::string why = other.info.metrics_note;
    return drop_metrics(engine, fmt::format("{} has none: {}", other.info.url, why));
  }
  engine.further_metrics.push_back({*other.metrics, other.metrics_headers});
  engine.info.metrics_url += "," + other.info.metrics_url;
}

/// The page of each server: the same word for all, or a list with a URL for each.
Result<std::vector<std::string>> pages_of(const std::string& asked, std::size_t servers) {
  std::vector<std::string> pages;
  for (const auto page : split(asked, ',')) pages.emplace_back(trimmed(page));
  const bool is_word = asked == "auto" || asked == "off";
  if (is_word) return std::vector<std::string>(servers, asked);
  if (pages.size() == servers) return pages;
  return failure(
      ErrorKind::usage,
      fmt::format("--server-metrics names {} pages for {} servers", pages.size(), servers),
      "name one for each --url, in the same order, separated by commas; or auto, or off");
}

/// One of several: an error says which.
Result<ProbedEngine> probe_one(const ProbeQuestion& question) {
  auto engine = probe_engine(question);
  if (engine) return engine;
  const std::string name = question.root.text();
  if (engine.error().message.find(name) != std::string::npos) return engine;
  return unexpected(std::move(engine).error().in(name));
}

/// Says which server the context of all is, where they differ.
void note_context(ProbedEngine& engine) {
  if (engine.shortest_context_url.empty()) return;
  engine.info.limits.push_back(fmt::format(
      "the servers take requests of different lengths: {} takes {} tokens (max_model_len), the "
      "fewest that any states, and that counts for all",
      engine.shortest_context_url, context_of(engine.info).value_or(0)));
}

}  // namespace

std::optional<std::int64_t> context_of(const EngineInfo& engine) {
  const auto length = engine_number(engine, kContext);
  if (!length || !(*length >= 1) || *length > 1e15) return std::nullopt;
  return static_cast<std::int64_t>(*length);
}

Result<ProbedEngine> probe_engines(const ProbeQuestion& question, const std::vector<Url>& further) {
  if (further.empty()) return probe_engine(question);
  TRY(const auto pages, pages_of(question.server_metrics, further.size() + 1));
  ProbeQuestion one = question;
  one.server_metrics = pages.front();
  TRY(ProbedEngine engine, probe_one(one));
  // What was found out of the first must hold for all.
  if (!one.model) one.model = engine.info.model;
  std::string urls = engine.info.url;
  for (std::size_t i = 0; i < further.size(); ++i) {
    one.root = further[i];
    one.server_metrics = pages[i + 1];
    TRY(const ProbedEngine other, probe_one(one));
    TRY_DO(check_alike(engine, other));
    join_context(engine, other);
    join_metrics(engine, other);
    engine.info.token_ids_listed = engine.info.token_ids_listed && other.info.token_ids_listed;
    add_text(engine.info.version, other.info.version);
    engine.info.simulated = engine.info.simulated || other.info.simulated;
    urls += "," + other.info.url;
  }
  engine.info.url = urls;
  note_context(engine);
  return engine;
}

}  // namespace tokenjoule
