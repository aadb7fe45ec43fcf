#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/url.hpp"
#include "engines/dialect.hpp"
#include "io/http_client.hpp"
#include "load/asked_again.hpp"
#include "load/engine_scraper.hpp"
#include "model/engine.hpp"

namespace tokenjoule {

/// What to ask a server about itself.
struct ProbeQuestion {
  Url root;             ///< see api_root()
  HttpHeaders headers;  ///< Authorization and the like: sent, never shown
  TlsOptions tls;
  std::optional<std::string> model;    ///< must be one that the server names; absent: its first
  std::optional<std::string> dialect;  ///< absent: found out
  std::optional<EndpointKind>
      endpoint;                   ///< absent: completions where token-id prompts work, else chat
  bool ask_for_token_ids = true;  ///< try whether it lists the ids of its tokens
  std::string endpoint_path;      ///< "" for the usual path of the endpoint
  std::string server_metrics = "auto";  ///< "auto", "off", or the URL of a metrics page
  Seconds timeout{3.0};                 ///< for each page
  Seconds first_answer_timeout{
      120.0};    ///< for the trial request: an idle engine may have to wake up
  WaitFor wait;  ///< heeds Retry-After of the list of models and of the trial; empty: nobody waits
};

/// A server that answered, and how to talk to it.
struct ProbedEngine {
  const EngineDialect* dialect = nullptr;
  EngineInfo info;
  EndpointKind endpoint = EndpointKind::completions;
  std::optional<Url> metrics;  ///< absent: no counters are read, info.metrics_note says why
  HttpHeaders
      metrics_headers;  ///< those of the question where the page is on the engine's own port
  std::vector<MetricsPage> further_metrics;  ///< of further servers; see probe_engines
  /// Of several servers that differ in it, the one that states the shortest context; else "".
  std::string shortest_context_url;
};

/// How many tokens, prompt and answer together, a request may have (`max_model_len`), where the
/// engine states a length that can be one.
std::optional<std::int64_t> context_of(const EngineInfo& engine);

/// Asks a server what it is (a few GETs) and tries one request for two tokens, which is not part of
/// any measurement. Errors are of kind missing (nothing answers, no such model, needs a key, still
/// loading, no such API) or usage (an unknown dialect), each with a hint, or interrupted (a wait
/// that was told to stop).
Result<ProbedEngine> probe_engine(const ProbeQuestion& question);

/// The same for several servers that are to be loaded in turn as one engine (data-parallel
/// replicas): the question's own and `further`, whose roots stand in place of its root. All must be
/// of one kind and serve the model in the same way. Their URLs and versions are joined, settings in
/// which they differ are left out, and their counters are read only where each has a page. Of
/// contexts the shortest that any of them states is kept: a request may go to each of them.
/// question.server_metrics may list a URL for each, separated by commas.
Result<ProbedEngine> probe_engines(const ProbeQuestion& question, const std::vector<Url>& further);

/// How many tokens the engine itself makes of a text, by its page for that (/tokenize); special
/// tokens that a completion would get in front are counted. An engine without that page: kind
/// missing.
Result<std::int64_t> count_tokens(const ProbedEngine& engine, const ProbeQuestion& question,
                                  std::string_view text);

}  // namespace tokenjoule
