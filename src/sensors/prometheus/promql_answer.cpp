#include "sensors/prometheus/promql_answer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> no_answer(const std::string& why) {
  return failure(ErrorKind::retry, "it is no answer of Prometheus's query API: " + why,
                 "check that url is the address of a Prometheus: url=http://HOST:9090");
}

/// [1435781451.781, "1"]. NaN and infinities are written in the string.
Result<std::optional<PromqlSample>> sample_in(const JsonView& pair) {
  TRY(const double unix_s, pair[0].need_number());
  TRY(const std::string text, pair[1].need_string());
  const auto value = number_in(text);
  if (!value || !std::isfinite(*value)) return std::optional<PromqlSample>();
  return std::optional(PromqlSample{unix_s, *value});
}

Status add_sample(const JsonView& pair, PromqlSeries& series) {
  auto sample = sample_in(pair);
  if (!sample) return no_answer(sample.error().message);
  if (!*sample) return {};
  if (!series.samples.empty() && (*sample)->unix_s < series.samples.back().unix_s)
    return no_answer("the samples of a series are not in time order");
  series.samples.push_back(**sample);
  return {};
}

Result<PromqlSeries> series_in(const JsonView& item) {
  PromqlSeries series;
  const JsonView metric = item["metric"];
  for (std::size_t i = 0; i < metric.size(); ++i) {
    if (metric.key(i) == "__name__") continue;
    series.labels.emplace(metric.key(i), metric.member(i).string().value_or(""));
  }
  if (item["value"].present()) {
    TRY_DO(add_sample(item["value"], series));
  }
  const JsonView values = item["values"];
  for (std::size_t i = 0; i < values.size(); ++i) TRY_DO(add_sample(values[i], series));
  return series;
}

tl::unexpected<Error> refused(const JsonView& root) {
  const std::string type(root["errorType"].string().value_or("an error"));
  const std::string words(root["error"].string().value_or("without a reason"));
  return failure(type == "bad_data" ? ErrorKind::usage : ErrorKind::retry,
                 fmt::format("Prometheus answers {}: {}", quoted(type), quoted(words, 300)),
                 type == "bad_data" ? "try the expression in Prometheus's own page"
                                    : "see Prometheus's own log");
}

}  // namespace

Result<PromqlAnswer> promql_answer_in(std::string_view body) {
  const auto document = JsonDocument::parse(body);
  if (!document) return no_answer("it is not JSON");
  const JsonView root = document->root();
  const auto status = root["status"].string();
  if (status == "error") return refused(root);
  const auto type = root["data"]["resultType"].string();
  if (status != "success" || !type) return no_answer("it has no status and no result");
  PromqlAnswer answer;
  for (const char* kind : {"warnings", "infos"}) {
    for (std::size_t i = 0; i < root[kind].size(); ++i)
      answer.warnings.emplace_back(root[kind][i].string().value_or(""));
  }
  const JsonView result = root["data"]["result"];
  if (*type == "scalar") {
    answer.series.emplace_back();
    TRY_DO(add_sample(result, answer.series.back()));
    return answer;
  }
  if (*type != "vector" && *type != "matrix")
    return no_answer(fmt::format("the result is a {}", quoted(*type)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    TRY(PromqlSeries series, series_in(result[i]));
    answer.series.push_back(std::move(series));
  }
  return answer;
}

std::string promql_path(std::string_view expression) {
  std::string path = "/api/v1/query?query=";
  for (const char c : expression) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte < 128 && (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~');
    path += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return path;
}

std::string text_of(const PromqlLabels& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

std::string extrapolating_function_in(std::string_view expression) {
  constexpr std::array<std::string_view, 7> kFunctions = {
      "rate", "increase", "irate", "delta", "idelta", "deriv", "predict_linear"};
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
  };
  bool in_string = false;
  char quote = 0;
  std::string word, last_word;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (in_string) {
      if (c == '\\' && quote != '`') ++i;
      in_string = i >= expression.size() || expression[i] != quote || c == '\\';
      continue;
    }
    if (is_name(c)) {
      word += c;
      continue;
    }
    if (!word.empty()) last_word = std::exchange(word, {});
    if (c == '(' && std::find(kFunctions.begin(), kFunctions.end(), last_word) != kFunctions.end())
      return last_word;
    if (c != ' ' && c != '\t' && c != '\n') last_word.clear();
    in_string = c == '"' || c == '\'' || c == '`';
    quote = c;
  }
  return "";
}

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

}  // namespace tokenjoule
