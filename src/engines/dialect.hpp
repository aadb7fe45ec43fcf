#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "engines/prometheus_text.hpp"
#include "model/engine.hpp"

namespace tokenjoule {

enum class EndpointKind { completions, chat };
std::string_view path_of(EndpointKind kind);  ///< "/v1/completions", "/v1/chat/completions"

/// A prompt as token ids or as text; exactly one of them is set.
struct Prompt {
  std::vector<std::int32_t> token_ids;
  std::string text;
};

/// What one request asks for.
struct RequestSpec {
  EndpointKind endpoint = EndpointKind::completions;
  std::string model;
  /// Of a conversation by chat, what was said before the prompt: the user's texts and the
  /// assistant's in turn, the user's first. Completions have it all in the prompt.
  std::vector<std::string> earlier = {};
  Prompt prompt;
  std::int64_t output_tokens = 128;
  bool ignore_eos = true;         ///< sent only where the dialect takes it
  bool return_token_ids = false;  ///< asked for only where the dialect knows how
  std::string
      extra_body_json;  ///< a JSON object whose members are added or replace ours; "" for none
};

/// Whether the text can be `RequestSpec::extra_body_json`; else a usage error that says why not.
Status check_extra_body(std::string_view json);

/// The answers to the probes of a server, by path ("/version", "/v1/models", "/props", "/metrics",
/// "/health", and the dialects' further_pages()). A path that was refused or timed out is absent.
struct ProbeAnswer {
  int status = 0;
  std::string content_type;
  std::string body;
  std::string location;  ///< of a redirect
};
using ProbeAnswers = std::map<std::string, ProbeAnswer>;

/// The models that /v1/models lists, in its order; empty if it did not answer.
std::vector<std::string> model_names(const ProbeAnswers& answers);

/// How one engine wants to be asked and what its answers mean. Stateless.
class EngineDialect {
 public:
  virtual ~EngineDialect() = default;
  virtual std::string_view name() const = 0;
  /// How well this dialect fits what the server answered: 0 not at all; the highest wins.
  virtual int fits(const ProbeAnswers& answers) const = 0;
  /// The body of a streaming request with just the fields that this engine takes. Temperature is 0,
  /// as the field's other load tools send, so that the engine's own sampling defaults do not
  /// decide. A chat request needs the prompt as text.
  virtual std::string request_body(const RequestSpec& spec) const;
  virtual bool takes_token_ids() const = 0;
  /// Whether it can be held to a length: by ignore_eos, or by a least number of tokens.
  virtual bool takes_ignore_eos() const = 0;
  /// Whether it can be asked to list the ids of each event's tokens. Whether this release does so
  /// is for the trial request to tell.
  virtual bool lists_token_ids() const { return false; }
  /// Pages beyond the usual ones that tell more of such a server.
  virtual std::vector<std::string> further_pages() const { return {}; }
  /// Where its counters are, in Prometheus text.
  virtual std::string_view metrics_path() const { return "/metrics"; }
  /// What a missing metrics page (404, 501) means here.
  virtual std::string_view why_no_metrics() const { return "the engine has no metrics page"; }
  /// What it cannot do or tell, a sentence each: said before a run and kept in its record.
  virtual std::vector<std::string> limits() const { return {}; }
  /// Whether a second request would break off the first.
  virtual bool one_request_at_a_time() const { return false; }
  /// The counters found on a page, with their meaning. Empty: the page has none that we know.
  virtual std::vector<EngineCounter> counters_on(const PrometheusPage& page) const = 0;
  /// Version, model, and settings that the answers state.
  virtual EngineInfo described_by(const ProbeAnswers& answers) const = 0;
};

/// All dialects, best known first. One row each in dialects.cpp.
const std::vector<const EngineDialect*>& dialects();
const EngineDialect* dialect_named(std::string_view name);
/// The dialect that fits best. An answer that is no OpenAI-compatible API (HTML page, 401, 404 on
/// /v1/models with nothing else known) is an error that says what came and what to do.
Result<const EngineDialect*> dialect_for(const ProbeAnswers& answers);

/// The values of `counters` on a page: sums over the series of the family that `where` admits,
/// where those that differ in `repeated_over` only are one; the mean of a share (cache use), the
/// latest process start, and the number of engines where labels tell them apart. A series listed
/// twice counts once; listed with two values, or negative, or no number, or with a line of the
/// family that could not be read: the metric is absent. Absent is not 0.
std::map<EngineMetric, double> counter_values(const std::vector<EngineCounter>& counters,
                                              const PrometheusPage& page);

}  // namespace tokenjoule
