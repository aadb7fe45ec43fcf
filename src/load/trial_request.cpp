#include "load/trial_request.hpp"

#include <vector>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "engines/refusal.hpp"

namespace tokenjoule {

namespace {

/// Low ids, which every vocabulary has, and none of them a control token of a usual one.
const std::vector<std::int32_t> kTokenIds = {40, 41, 42, 43};

struct Way {
  EndpointKind endpoint;
  bool token_ids;
};

std::vector<Way> ways_of(const ProbeQuestion& question, const EngineDialect& dialect) {
  std::vector<Way> ways;
  const bool any = !question.endpoint;
  if ((any || question.endpoint == EndpointKind::completions) && dialect.takes_token_ids()) {
    ways.push_back({EndpointKind::completions, true});
  }
  if (any || question.endpoint == EndpointKind::chat) ways.push_back({EndpointKind::chat, false});
  if (any || question.endpoint == EndpointKind::completions) {
    ways.push_back({EndpointKind::completions, false});
  }
  return ways;
}

/// A failed way, and whether another may do better.
struct Failure {
  Error error;
  bool is_final = false;
};

Failure failure_of(int status, const std::string& path, std::string_view body,
                   const std::string& model) {
  const std::string text = refusal_message(body);
  if (status == 401 || status == 403) {
    return {
        {ErrorKind::missing,
         fmt::format("the engine needs an API key, or does not take this one (status {})", status),
         "set OPENAI_API_KEY, or give the key with --api-key-file"},
        true};
  }
  if (status == 503) {
    return {{ErrorKind::missing, fmt::format("the engine is not ready (status 503): \"{}\"", text),
             "wait until its /health answers with 200, then start again"},
            true};
  }
  if (status == 404 && lower_case(text).find("model") != std::string::npos) {
    return {{ErrorKind::missing,
             fmt::format("the engine has no model \"{}\": \"{}\"", quoted(model), text),
             "choose one of its models with --model"},
            true};
  }
  return {{ErrorKind::missing,
           fmt::format("{} does not take a request for two tokens (status {}): \"{}\"", path,
                       status, text),
           "see the log of the engine, or choose another way with --endpoint completions or "
           "--endpoint chat"},
          false};
}

std::string path_for(const ProbeQuestion& question, EndpointKind endpoint) {
  return question.endpoint_path.empty() ? std::string(path_of(endpoint)) : question.endpoint_path;
}

std::optional<Failure> failure_of_way(HttpClient& client, const ProbeQuestion& question,
                                      const EngineDialect& dialect, const std::string& model,
                                      Way way) {
  const std::string path = path_for(question, way.endpoint);
  RequestSpec spec{.endpoint = way.endpoint, .model = model, .prompt = {}, .output_tokens = 2};
  if (way.token_ids) {
    spec.prompt.token_ids = kTokenIds;
  } else {
    spec.prompt.text = "Hello";
  }
  const auto reply = client.post_json(question.root.joined(path), dialect.request_body(spec));
  if (!reply) return Failure{reply.error(), true};
  if (reply->status >= 300 && reply->status < 400) {
    return Failure{{ErrorKind::missing, fmt::format("{} {}", path, status_words(*reply)),
                    "give the URL that it leads to as --url, without the path"},
                   true};
  }
  if (reply->status != 200) return failure_of(reply->status, path, reply->body, model);
  const TrialAnswer answer = trial_answer_in(reply->body);
  if (!answer.error.empty() || !answer.has_choices) {
    return failure_of(200, path,
                      answer.error.empty() ? std::string_view(reply->body) : answer.error, model);
  }
  if (way.token_ids && answer.prompt_tokens != static_cast<std::int64_t>(kTokenIds.size())) {
    return Failure{
        {ErrorKind::missing, path + " does not count a prompt of token ids as it was sent",
         "choose --endpoint chat"},
        false};
  }
  return std::nullopt;
}

}  // namespace

namespace {

void take_answer_part(TrialAnswer& answer, const JsonView& root) {
  if (root["error"].present() && answer.error.empty()) answer.error = refusal_message(root.text());
  if (root["choices"].size() > 0) answer.has_choices = true;
  if (const auto count = root["usage"]["prompt_tokens"].integer()) answer.prompt_tokens = *count;
}

}  // namespace

TrialAnswer trial_answer_in(std::string_view body) {
  TrialAnswer answer;
  // A server that does not stream answers with one JSON object.
  if (const auto whole = JsonDocument::parse(body)) take_answer_part(answer, whole->root());
  for (std::string_view line : split(body, '\n')) {
    line = trimmed(line);
    if (!starts_with(line, "data:")) continue;
    const auto event = JsonDocument::parse(trimmed(line.substr(5)));
    if (event) take_answer_part(answer, event->root());  // else "[DONE]"
  }
  return answer;
}

Result<Trial> try_request(const ProbeQuestion& question, const EngineDialect& dialect,
                          const std::string& model) {
  HttpClient client(
      {.timeout = question.first_answer_timeout, .headers = question.headers, .tls = question.tls});
  std::optional<Error> first_error;
  for (const Way way : ways_of(question, dialect)) {
    auto failure = failure_of_way(client, question, dialect, model, way);
    if (!failure) return Trial{way.endpoint, path_for(question, way.endpoint), way.token_ids};
    if (failure->is_final) return unexpected(std::move(failure->error));
    if (!first_error) first_error = std::move(failure->error);
  }
  return unexpected(std::move(*first_error));
}

}  // namespace tokenjoule
