#include "report/sections.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/json_view.hpp"
#include "model/metrics.hpp"
#include "report/numbers.hpp"
#include "report/words.hpp"

namespace tokenjoule {

namespace {

std::optional<std::string> text_in(const JsonView& view) {
  const auto text = view.string();
  return text && !text->empty() ? std::optional(std::string(*text)) : std::nullopt;
}

void add(std::string& list, const std::string& item, std::string_view separator = ", ") {
  if (item.empty()) return;
  if (!list.empty()) list += separator;
  list += item;
}

template <typename Map>
auto found(const Map& map, std::string_view key) -> const typename Map::mapped_type* {
  const auto at = map.find(std::string(key));
  return at == map.end() ? nullptr : &at->second;
}

template <typename Value>
std::vector<std::pair<std::string, const Value*>> in_order(
    const std::map<std::string, Value>& values) {
  std::vector<std::pair<std::string, const Value*>> ordered;
  for (const Metric& metric : metrics()) {
    if (const Value* value = found(values, metric.key)) ordered.emplace_back(metric.key, value);
  }
  for (const auto& [key, value] : values) {
    if (metric_named(key) == nullptr) ordered.emplace_back(key, &value);
  }
  return ordered;
}

}  // namespace

StatedLoad stated_load(const Report& report) {
  StatedLoad load;
  const auto document = JsonDocument::parse(report.configuration_json);
  if (!document) return load;
  const JsonView json = document->root();
  load.mode = text_in(json["mode"]);
  load.by_others = json["command"].string() == "record";
  load.program = text_in(json["around"]["program"]);
  load.concurrency = json["concurrency"].integer();
  load.concurrency_cap = json["concurrency_cap"].integer();
  load.request_rate_per_s = json["request_rate_per_s"].number();
  load.arrival = text_in(json["arrival"]);
  load.ignore_eos = json["ignore_eos"].boolean();
  const JsonView dataset = json["dataset"];
  load.dataset_name = text_in(dataset.is(JsonNode::Type::object) ? dataset["name"] : dataset);
  load.dataset_sha256 = text_in(dataset["sha256"]);
  load.duration_s = json["duration_s"].number();
  load.num_requests = json["num_requests"].integer();
  return load;
}

bool is_driven_by_others(const Report& report) {
  const StatedLoad load = stated_load(report);
  return load.program.has_value() || load.by_others;
}

std::string load_words(const StatedLoad& load) {
  if (load.program) return "the command " + *load.program;
  if (load.by_others) return "driven by others";
  std::string words = load.mode ? *load.mode + " loop" : "";
  if (load.concurrency) add(words, "concurrency " + grouped(*load.concurrency));
  if (load.request_rate_per_s) add(words, significant(*load.request_rate_per_s, 4) + " requests/s");
  if (load.arrival) add(words, *load.arrival + " arrivals");
  if (load.concurrency_cap) add(words, "at most " + grouped(*load.concurrency_cap) + " in flight");
  if (load.dataset_name) add(words, "dataset " + *load.dataset_name);
  if (load.ignore_eos) add(words, *load.ignore_eos ? "end of text ignored" : "end of text obeyed");
  return words.empty() ? "not known" : words;
}

std::string load_point(const StatedLoad& load) {
  if (load.by_others) return "recorded";
  if (load.concurrency) return grouped(*load.concurrency);
  if (load.arrival == "trace") return "trace";
  return load.request_rate_per_s ? significant(*load.request_rate_per_s, 4) + "/s" : "n/a";
}

std::string energy_method(const Report& report, const Figure& figure) {
  for (const BoundaryEnergy& energy : report.energy) {
    if (figure.numerator == fmt::format("energy.{}", name_of(energy.boundary)))
      return energy.method;
  }
  return "";
}

std::vector<std::pair<std::string, const Figure*>> ordered(const Figures& figures) {
  return in_order(figures);
}

std::vector<std::pair<std::string, const Summary*>> ordered(
    const std::map<std::string, Summary>& summaries) {
  return in_order(summaries);
}

const Figure* figure_of(const Figures& figures, std::string_view key) {
  return found(figures, key);
}
const Summary* summary_of(const Report& report, std::string_view key) {
  return found(report.latency, key);
}

std::string included_words(const Report& report) {
  std::string words;
  for (const std::string& item : report.included) add(words, item);
  return words.empty() ? "nothing" : words;
}

std::string excluded_words(const Report& report) {
  std::string words;
  for (const Excluded& item : report.excluded)
    add(words, fmt::format("{} ({})", item.what, item.reason));
  return words.empty() ? "nothing stated" : words;
}

std::string request_words(const Report& report) {
  const RequestCounts& requests = report.requests;
  if (is_driven_by_others(report)) return "none of ours: others drove the load";
  std::string words = fmt::format("{} completed", grouped(requests.completed));
  if (requests.planned && requests.failed && requests.cancelled) {
    words += fmt::format(", {} failed, {} cancelled of {} planned", grouped(*requests.failed),
                         grouped(*requests.cancelled), grouped(*requests.planned));
  } else if (requests.failed) {
    words += fmt::format(", {} failed; what was under way when the record was cut off is not told",
                         grouped(*requests.failed));
  } else {
    words += ", how many failed is not told";
  }
  if (const auto unsent = requests.never_sent.value_or(0); unsent > 0) {
    words += fmt::format(", {} never sent (no stream was free)", grouped(unsent));
  }
  words += fmt::format("; {} in the window", count_text(requests.in_window));
  std::string failures;
  for (const auto& [reason, count] : requests.failures) {
    const auto message = requests.failure_messages.find(reason);
    add(failures, message == requests.failure_messages.end()
                      ? fmt::format("{} {}", grouped(count), reason)
                      : fmt::format("{} {} (first: {})", grouped(count), reason, message->second));
  }
  add(words, failures, "; failures: ");
  if (requests.asked_to_wait > 0) {
    add(words,
        fmt::format("{} answers asked to wait before another request (Retry-After), up to {}",
                    grouped(requests.asked_to_wait),
                    duration_text(requests.longest_asked_wait.value_or(Seconds()))),
        "; ");
  }
  return words;
}

std::string token_words(const TokenCounts& tokens) {
  std::string words =
      tokens.output ? count_text(*tokens.output) + " output" : "output " + not_known(tokens.reason);
  if (tokens.edge_bound_output)
    words += fmt::format(" ± {}", count_text(*tokens.edge_bound_output));
  if (!tokens.source.empty()) words += fmt::format(" (by {})", tokens.source);
  add(words, "prompt " + count_or_not_known(tokens.prompt_submitted));
  if (tokens.prompt_cached)
    words += fmt::format(" ({} of them from a cache)", count_text(*tokens.prompt_cached));
  if (tokens.engine_counter_output) {
    add(words, count_text(*tokens.engine_counter_output) + " output by the engine's counter", "; ");
  }
  return words;
}

std::string window_words(const Report& report) {
  if (!report.window) return not_known(report.window_reason);
  const TimeSpan& span = report.window->span;
  std::string words =
      fmt::format("{}, from {} to {} of the run, chosen by {}",
                  duration_text(to_seconds(span.length())), duration_text(since_origin(span.begin)),
                  duration_text(since_origin(span.end)), report.window->chosen_by);
  if (report.window->start_wall) add(words, "began " + utc_text(*report.window->start_wall), "; ");
  return words;
}

std::string instrument_words(const Report& report) {
  std::map<std::string, std::vector<std::string>> sensors;
  for (const Instrument& instrument : report.instruments) {
    auto& kinds = sensors[instrument.id.substr(0, instrument.id.find(':'))];
    const std::string kind = instrument.kind + " " + instrument.source;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  std::string words;
  for (const auto& [sensor, kinds] : sensors) {
    add(words, fmt::format("{} ({})", sensor, fmt::join(kinds, ", ")));
  }
  return words.empty() ? "nothing" : words;
}

namespace {

std::string quantile_words(const char* name, const std::optional<BucketQuantile>& quantile) {
  if (!quantile) return "";
  const std::string low = significant(quantile->low, 4);
  if (!quantile->value) return fmt::format("{} above {}", name, low);
  return fmt::format("{} {} (bucket {} to {})", name, significant(*quantile->value, 3), low,
                     significant(*quantile->high, 4));
}

std::string length_words(const char* what, const LengthSummary& summary) {
  if (!summary.mean) return fmt::format("{} {}", what, not_known(summary.reason));
  std::string words = fmt::format("{} mean {}", what, significant(*summary.mean, 4));
  add(words, quantile_words("p50", summary.p50));
  add(words, quantile_words("p90", summary.p90));
  return words;
}

}  // namespace

std::string engine_request_words(const Report& report) {
  if (!report.engine_requests) return "";
  const EngineRequests& requests = *report.engine_requests;
  std::string words =
      requests.finished ? count_text(*requests.finished) + " finished" : not_known(requests.reason);
  std::string reasons;
  for (const auto& [how, count] : requests.by_reason) {
    if (count > 0) add(reasons, fmt::format("{} {}", count_text(count), how));
  }
  if (!reasons.empty()) words += fmt::format(" ({})", reasons);
  add(words, length_words("prompt tokens", requests.prompt_tokens), "; ");
  add(words, length_words("output tokens", requests.output_tokens), "; ");
  return words;
}

std::string idle_words(const IdleReport& idle) {
  if (!idle.watts) return not_known(idle.reason);
  return fmt::format("{} over {} ({})", watts_text(idle.watts), or_not_known(idle.duration),
                     idle.state == "model_loaded" ? "model loaded" : "as it was found");
}

std::string client_words(const ClientQuality& client) {
  if (client.stamps.empty() && !client.lag_p99) return not_known("it read no answer");
  std::string words = client.limited ? "LIMITED by the client; " : "";
  words += fmt::format("lag p99 {}, max {}; send lateness p99 {}; {} stamps",
                       or_not_known(client.lag_p99), or_not_known(client.lag_max),
                       or_not_known(client.send_lateness_p99),
                       client.stamps.empty() ? "no" : client.stamps);
  if (client.stream_wait_p99) {
    add(words,
        fmt::format("wait for a free stream p99 {}, max {}", or_not_known(client.stream_wait_p99),
                    or_not_known(client.stream_wait_max)),
        "; ");
  }
  if (client.connect_p99) {
    add(words,
        fmt::format("connecting p99 {}, max {}", or_not_known(client.connect_p99),
                    or_not_known(client.connect_max)),
        "; ");
  }
  if (client.coalesced_share)
    add(words, percent(*client.coalesced_share) + " of reads coalesced", "; ");
  if (client.cpu_share) add(words, "CPU " + percent(*client.cpu_share), "; ");
  if (client.retries > 0) add(words, "retries " + grouped(client.retries), "; ");
  return words;
}

std::string full_run_words(const FullRun& full_run) {
  if (!full_run.joules && !full_run.duration) return not_known(full_run.reason);
  std::string words = or_not_known(full_run.duration);
  add(words,
      full_run.joules ? joules_text(full_run.joules) : "energy " + not_known(full_run.reason));
  add(words, count_or_not_known(full_run.output_tokens) + " output tokens");
  add(words, grouped(full_run.requests) + " requests");
  const Figure* per_token = figure_of(full_run.figures, "joules_per_output_token");
  if (per_token != nullptr) add(words, figure_text(*per_token), ": ");
  return words;
}

std::string energy_words(const BoundaryEnergy& energy) {
  if (!energy.joules) return not_known(energy.reason);
  const std::string joules =
      energy.systematic_bound ? with_bound(energy.joules->value(), energy.systematic_bound->value())
                              : significant(energy.joules->value(), 4);
  std::string words = fmt::format("{} J ({})", joules, energy.method);
  for (const auto& [group, part] : energy.groups) {
    words += fmt::format(", {} {}", group, joules_text(part));
  }
  return words;
}

std::string engine_words(const Report& report) {
  if (!report.engine) return "no engine in this run";
  const EngineInfo& engine = *report.engine;
  std::string words = engine.kind;
  if (!engine.version.empty()) words += " " + engine.version;
  if (!engine.model.empty()) add(words, "model " + engine.model);
  if (!engine.url.empty()) add(words, engine.url + engine.endpoint, " at ");
  return words;
}

std::string utc_text(WallTime at) {
  using std::chrono::days;
  const std::chrono::sys_time<std::chrono::nanoseconds> instant{
      std::chrono::nanoseconds(at.unix_ns)};
  const auto midnight = std::chrono::floor<days>(instant);
  const std::chrono::year_month_day date{midnight};
  const auto second = std::chrono::floor<std::chrono::seconds>(instant - midnight).count();
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     second / 3'600, second / 60 % 60, second % 60);
}

}  // namespace tokenjoule
