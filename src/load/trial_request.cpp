#include "load/trial_request.hpp"

#include <vector>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "engines/refusal.hpp"
#include "load/target.hpp"

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

/// What is wrong where the server would take the same request at another time.
std::optional<Error> refused_for_now(const HttpReply& reply) {
  const std::string said = fmt::format(" (status {}): \"{}\"{}", reply.status,
                                       refusal_message(reply.body), asked_wait_words(reply));
  switch (reply.status) {
    case 429:
      return Error{ErrorKind::missing, "the server limits the rate of requests" + said,
                   "wait, or measure where nothing limits the rate: past the limit it is the limit "
                   "that is measured, not the engine"};
    case 502:
    case 504:
      return Error{ErrorKind::missing, "a gateway answers in place of the engine" + said,
                   "see that the engine behind it runs, or give the engine's own URL"};
    case 503:
    case 529:
      return Error{ErrorKind::missing, "the engine is not ready" + said,
                   "wait until its /health answers with 200, then start again"};
    default: return std::nullopt;
  }
}

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
  if (status == 404 && lower_case(text).find("model") != std::string::npos) {
    return {{ErrorKind::missing,
             fmt::format("the engine has no model \"{}\": \"{}\"", quoted(model), text),
             "choose one of its models with --model"},
            true};
  }
  // No other way of asking has a longer context.
  if (refusal_of(status, body).kind == "context_too_long") {
    return {{ErrorKind::missing,
             fmt::format("the engine's context is too short for a request for two tokens (status "
                         "{}): \"{}\"",
                         status, text),
             "give shorter lengths (--input-len, --output-len), and the engine a longer context"},
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

/// What a trial came to: a failure, or whether the ids of tokens were listed.
struct WayResult {
  std::optional<Failure> failure;
  bool lists_ids = false;
};

std::optional<Failure> failure_in(const TrialAnswer& answer, const HttpReply& reply,
                                  const std::string& path, const std::string& model, Way way) {
  if (!answer.error.empty() || !answer.has_choices) {
    return failure_of(200, path, answer.error.empty() ? std::string_view(reply.body) : answer.error,
                      model);
  }
  if (!way.token_ids || answer.prompt_tokens == static_cast<std::int64_t>(kTokenIds.size())) {
    return std::nullopt;
  }
  return Failure{{ErrorKind::missing, path + " does not count a prompt of token ids as it was sent",
                  "choose --endpoint chat"},
                 false};
}

/// @param list_ids asks for the ids of the answer's tokens. Who does not know of it refuses the
/// request or, more often, leaves the wish alone.
WayResult try_way(HttpClient& client, const ProbeQuestion& question, const EngineDialect& dialect,
                  const std::string& model, Way way, bool list_ids) {
  const std::string path = path_for(question, way.endpoint);
  RequestSpec spec{.endpoint = way.endpoint, .model = model, .prompt = {}, .output_tokens = 2};
  spec.return_token_ids = list_ids;
  if (way.token_ids) {
    spec.prompt.token_ids = kTokenIds;
  } else {
    spec.prompt.text = "Hello";
  }
  const std::string body = dialect.request_body(spec);
  const auto reply = asked_again([&] { return client.post_json(question.root.joined(path), body); },
                                 question.wait);
  if (!reply) return {Failure{reply.error(), true}};
  if (auto refused = refused_for_now(*reply)) return {Failure{std::move(*refused), true}};
  if (reply->status >= 300 && reply->status < 400) {
    return {Failure{{ErrorKind::missing, fmt::format("{} {}", path, status_words(*reply)),
                     "give the URL that it leads to as --url, without the path"},
                    true}};
  }
  if (reply->status != 200) return {failure_of(reply->status, path, reply->body, model)};
  const TrialAnswer answer = trial_answer_in(reply->body);
  return {failure_in(answer, *reply, path, model, way), list_ids && answer.lists_ids};
}

WayResult try_way(HttpClient& client, const ProbeQuestion& question, const EngineDialect& dialect,
                  const std::string& model, Way way) {
  if (!dialect.lists_token_ids() || !question.ask_for_token_ids) {
    return try_way(client, question, dialect, model, way, false);
  }
  WayResult result = try_way(client, question, dialect, model, way, true);
  if (!result.failure || result.failure->is_final) return result;
  return try_way(client, question, dialect, model, way, false);
}

/// A server may repeat the key in what it says.
Error free_of_secrets(Error error, const ProbeQuestion& question) {
  const auto secrets = secrets_in(question.headers, question.root.user_info);
  error.message = without_secrets(std::move(error.message), secrets);
  return error;
}

}  // namespace

namespace {

void take_answer_part(TrialAnswer& answer, const JsonView& root) {
  if (root["error"].present() && answer.error.empty()) answer.error = refusal_message(root.text());
  if (root["choices"].size() > 0) answer.has_choices = true;
  if (const auto count = root["usage"]["prompt_tokens"].integer()) answer.prompt_tokens = *count;
  const JsonView choices = root["choices"];
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i]["token_ids"].size() > 0) answer.lists_ids = true;
  }
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
    auto [failure, lists_ids] = try_way(client, question, dialect, model, way);
    if (!failure) {
      return Trial{way.endpoint, path_for(question, way.endpoint), way.token_ids, lists_ids};
    }
    if (failure->is_final || !first_error) first_error = std::move(failure->error);
    if (failure->is_final) break;
  }
  return unexpected(free_of_secrets(std::move(*first_error), question));
}

}  // namespace tokenjoule
