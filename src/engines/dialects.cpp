#include <fmt/core.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "engines/dialects/known_dialects.hpp"
#include "engines/probe_answers.hpp"
#include "engines/refusal.hpp"

namespace tokenjoule {

std::string_view path_of(EndpointKind kind) {
  return kind == EndpointKind::completions ? "/v1/completions" : "/v1/chat/completions";
}

const std::vector<const EngineDialect*>& dialects() {
  static const std::vector<const EngineDialect*> table = {
      &vllm_dialect(),         &sglang_dialect(),           &trtllm_dialect(),
      &dynamo_dialect(),       &llamacpp_dialect(),         &triton_dialect(),
      &tgi_dialect(),          &lmdeploy_dialect(),         &ollama_dialect(),
      &transformers_dialect(), &llama_cpp_python_dialect(), &openai_dialect(),
  };
  return table;
}

const EngineDialect* dialect_named(std::string_view name) {
  for (const EngineDialect* dialect : dialects()) {
    if (dialect->name() == name) return dialect;
  }
  return nullptr;
}

namespace {

tl::unexpected<Error> no_api(std::string message, std::string hint) {
  return failure(ErrorKind::missing, std::move(message), std::move(hint));
}

bool is_web_page(const ProbeAnswer& answer) {
  return starts_with(trimmed(answer.body), "<") || starts_with(answer.content_type, "text/html");
}

bool is_loading(const ProbeAnswers& answers) {
  for (const char* path : {"/v1/models", "/health"}) {
    const auto at = answers.find(path);
    if (at != answers.end() && at->second.status == 503) return true;
  }
  return false;
}

/// What to type where /v1/models leads elsewhere: its URL without that path, where it has it.
std::string redirect_hint(const std::string& location) {
  std::string_view root = location;
  constexpr std::string_view kModels = "/v1/models";
  if (ends_with(root, "/")) root.remove_suffix(1);
  if (!starts_with(root, "http") || !ends_with(root, kModels)) {
    return "give the URL that it leads to as --url, without /v1/models";
  }
  root.remove_suffix(kModels.size());
  return fmt::format("--url {}", root);
}

/// Why the answers are not those of an API that we can use.
tl::unexpected<Error> no_api_in(const ProbeAnswers& answers) {
  const auto at = answers.find("/v1/models");
  if (at == answers.end()) {
    return no_api("/v1/models does not answer", "check that an inference engine listens at --url");
  }
  const ProbeAnswer& models = at->second;
  if (models.status >= 300 && models.status < 400) {
    return no_api(fmt::format("/v1/models answers with a redirect ({}) to \"{}\", which is not "
                              "followed",
                              models.status, shown_location(models.location)),
                  redirect_hint(shown_location(models.location)));
  }
  if (models.status == 429) {
    return no_api("the server limits the rate of requests (/v1/models: status 429)",
                  "wait, or measure where nothing limits the rate: past the limit it is the limit "
                  "that is measured, not the engine");
  }
  if (models.status == 502 || models.status == 504) {
    return no_api(fmt::format("a gateway answers in place of the engine (/v1/models: status {})",
                              models.status),
                  "see that the engine behind it runs, or give the engine's own URL");
  }
  if (is_web_page(models)) {
    return no_api(
        fmt::format("/v1/models answers with a web page ({}) instead of an OpenAI-compatible API",
                    models.status),
        "check host and port of --url, and whether its path is right");
  }
  if (models.status == 404) {
    return no_api("/v1/models is not there (404): this is no OpenAI-compatible API",
                  "check host and port of --url, and whether a part of its path is missing");
  }
  if (models.status != 200) {
    return no_api(fmt::format("/v1/models answers with status {}: \"{}\"", models.status,
                              quoted(without_keys(trimmed(models.body)))),
                  "see the log of the engine");
  }
  return no_api(
      fmt::format("/v1/models lists no model: \"{}\"", quoted(without_keys(trimmed(models.body)))),
      "check that the engine has loaded a model, and that --url is its API");
}

}  // namespace

Result<const EngineDialect*> dialect_for(const ProbeAnswers& answers) {
  if (const auto at = answers.find("/v1/models");
      at != answers.end() && (at->second.status == 401 || at->second.status == 403)) {
    return no_api(fmt::format("the engine needs an API key, or does not take this one (status {})",
                              at->second.status),
                  "set OPENAI_API_KEY, or give the key with --api-key-file");
  }
  if (is_loading(answers)) {
    return no_api("the engine is not ready (status 503): it may still be loading its model",
                  "wait until its /health answers with 200, then start again");
  }
  const EngineDialect* best = nullptr;
  int best_fit = 0;
  for (const EngineDialect* dialect : dialects()) {
    const int fit = dialect->fits(answers);
    if (fit > best_fit) {
      best = dialect;
      best_fit = fit;
    }
  }
  if (best == nullptr || model_names(answers).empty()) return no_api_in(answers);
  return best;
}

}  // namespace tokenjoule
