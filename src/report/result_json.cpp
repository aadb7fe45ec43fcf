#include "report/result_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "report/json_values.hpp"
#include "report/result_parts.hpp"
#include "report/sections.hpp"

namespace tokenjoule {

extern template void put_energy(nlohmann::ordered_json& json, const Report& report);
extern template void put_figures(nlohmann::ordered_json& json, const Report& report);

namespace {

using Json = nlohmann::ordered_json;
using Values = JsonValues<Json>;

/// Whole nanoseconds as seconds, rounded once.
double seconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
/// To the microsecond, which is what a double holds of a unix time.
Json unix_seconds(const std::optional<WallTime>& at) {
  if (!at) return nullptr;
  const double microseconds = std::round(static_cast<double>(at->unix_ns) / 1e3);
  return microseconds / 1e6;
}

Json finding_json(const CheckFinding& finding) {
  Json json = {{"code", finding.code},
               {"severity", name_of(finding.severity)},
               {"message", finding.message},
               {"advice", finding.advice}};
  if (finding.boundary) json["boundary"] = name_of(*finding.boundary);
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json reasons = Json::array();
  for (const CheckFinding& finding : verdict.reasons) reasons.push_back(finding_json(finding));
  return {{"status", name_of(verdict.status)}, {"reasons", std::move(reasons)}};
}

Json boundary_json(const Report& report) {
  Json json = {{"name", report.boundary ? Json(name_of(*report.boundary)) : Json(nullptr)}};
  if (!report.boundary) Values::put_reason(json, "no energy was measured");
  json["included"] = report.included;
  Json excluded = Json::array();
  for (const Excluded& item : report.excluded) {
    excluded.push_back({{"what", item.what}, {"reason", item.reason}});
  }
  json["excluded"] = std::move(excluded);
  return json;
}

Json window_json(const Report& report) {
  if (!report.window) {
    Json json = {{"start_s", nullptr},      {"end_s", nullptr},      {"duration_s", nullptr},
                 {"start_unix_s", nullptr}, {"end_unix_s", nullptr}, {"chosen_by", nullptr}};
    Values::put_reason(json, report.window_reason);
    return json;
  }
  const Window& window = *report.window;
  return {{"start_s", seconds_of(window.span.begin.ns)},
          {"end_s", seconds_of(window.span.end.ns)},
          {"duration_s", seconds_of(window.span.length().count)},
          {"start_unix_s", unix_seconds(window.start_wall)},
          {"end_unix_s", unix_seconds(window.end_wall)},
          {"chosen_by", window.chosen_by}};
}

Json counters_json(const EngineInfo& engine) {
  Json counters = Json::array();
  for (const EngineCounter& counter : engine.counters) {
    const auto digits = counter.significant_digits;
    counters.push_back({{"metric", name_of(counter.metric)},
                        {"family", counter.family},
                        {"clock", name_of(counter.clock)},
                        {"summed_over", counter.summed_over},
                        {"where", counter.where},
                        {"significant_digits", digits ? Json(*digits) : Json(nullptr)}});
    if (!counter.repeated_over.empty()) counters.back()["repeated_over"] = counter.repeated_over;
  }
  return counters;
}

Json quantile_json(const std::optional<BucketQuantile>& quantile) {
  if (!quantile) return nullptr;
  Json json = {{"value", Values::of(quantile->value)},
               {"bucket", {Values::of(quantile->low), Values::of(quantile->high)}}};
  if (!quantile->value) Values::put_reason(json, "it lies in the last bucket, which has no end");
  return json;
}

Json length_json(const LengthSummary& summary) {
  Json json = {{"requests", Values::of(summary.requests)},
               {"mean", Values::of(summary.mean)},
               {"p50", quantile_json(summary.p50)},
               {"p90", quantile_json(summary.p90)},
               {"histogram", Values::of(summary.family)}};
  if (!summary.mean) Values::put_reason(json, summary.reason);
  return json;
}

Json engine_requests_json(const EngineRequests& requests) {
  Json by_reason = Json::object();
  for (const auto& [how, count] : requests.by_reason) by_reason[how] = Values::of(count);
  Json json = {{"finished", Values::of(requests.finished)},
               {"completed", Values::of(requests.completed)},
               {"by_reason", std::move(by_reason)}};
  if (!requests.finished) Values::put_reason(json, requests.reason);
  json["prompt_tokens"] = length_json(requests.prompt_tokens);
  json["output_tokens"] = length_json(requests.output_tokens);
  return json;
}

Json engine_json(const Report& report) {
  if (!report.engine) return nullptr;
  const EngineInfo& engine = *report.engine;
  Json settings = Json::object();
  for (const auto& [key, setting] : engine.configuration) {
    settings[key] = {{"value", Values::embedded(setting.json)}, {"from", Values::of(setting.from)}};
  }
  Json json = {
      {"kind", Values::of(engine.kind)},       {"version", Values::of(engine.version)},
      {"url", Values::of(engine.url)},         {"endpoint", Values::of(engine.endpoint)},
      {"simulated", engine.simulated},         {"token_id_prompts", engine.token_id_prompts},
      {"takes_ignore_eos", engine.ignore_eos}, {"metrics_url", Values::of(engine.metrics_url)}};
  if (engine.metrics_url.empty()) Values::put_reason(json, engine.metrics_note, "metrics_reason");
  json["configuration"] = std::move(settings);
  json["counters"] = counters_json(engine);
  if (!engine.limits.empty()) json["limits"] = engine.limits;
  json["running_mean"] = Values::of(report.engine_state.running_mean);
  json["waiting_mean"] = Values::of(report.engine_state.waiting_mean);
  json["preemptions"] = Values::of(report.engine_state.preemptions);
  json["cache_use_mean"] = Values::of(report.engine_state.cache_use_mean);
  if (report.engine_requests) json["requests"] = engine_requests_json(*report.engine_requests);
  return json;
}

/// The setting under the first of the names that engines and people give it.
Json setting_of(const EngineInfo& engine, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto at = engine.configuration.find(name);
    if (at != engine.configuration.end()) return Values::embedded(at->second.json);
  }
  return nullptr;
}

Json model_json(const Report& report) {
  const EngineInfo engine = report.engine.value_or(EngineInfo{});
  return {
      {"name", Values::of(engine.model)},
      {"revision", setting_of(engine, {"revision"})},
      {"parameters_total", setting_of(engine, {"parameters_total"})},
      {"parameters_active", setting_of(engine, {"parameters_active"})},
      {"weight_format",
       setting_of(engine, {"weight_format", "precision", "quantization", "dtype"})},
      {"kv_format", setting_of(engine, {"kv_format", "kv_cache_dtype", "cache_dtype"})},
      {"tensor_parallel", setting_of(engine, {"tensor_parallel", "tensor_parallel_size", "tp"})},
      {"pipeline_parallel",
       setting_of(engine, {"pipeline_parallel", "pipeline_parallel_size", "pp"})},
      {"data_parallel", setting_of(engine, {"data_parallel", "data_parallel_size", "dp"})},
      {"expert_parallel", setting_of(engine, {"expert_parallel", "expert_parallel_size", "ep"})},
      {"speculative", setting_of(engine, {"speculative", "speculation"})},
      {"prefix_caching", setting_of(engine, {"prefix_caching", "enable_prefix_caching"})},
      {"max_context_tokens", setting_of(engine, {"max_context_tokens", "max_model_len"})}};
}

Json load_json(const Report& report) {
  const StatedLoad load = stated_load(report);
  return {{"mode", Values::of(load.mode)},
          {"concurrency", Values::of(load.concurrency)},
          {"concurrency_cap", Values::of(load.concurrency_cap)},
          {"request_rate_per_s", Values::of(load.request_rate_per_s)},
          {"arrival", Values::of(load.arrival)},
          {"duration_s", Values::of(load.duration_s)},
          {"num_requests", Values::of(load.num_requests)},
          {"input_len_mean", Values::of(report.input_len_mean)},
          {"output_len_mean", Values::of(report.output_len_mean)},
          {"ignore_eos", Values::of(load.ignore_eos)},
          {"dataset",
           {{"name", Values::of(load.dataset_name)}, {"sha256", Values::of(load.dataset_sha256)}}},
          {"seed", report.seed},
          {"prompt_nonce", Values::of(report.prompt_nonce)}};
}

Json requests_json(const RequestCounts& requests) {
  Json failures = Json::object();
  for (const auto& [reason, count] : requests.failures) failures[reason] = count;
  Json messages = Json::object();
  for (const auto& [reason, message] : requests.failure_messages) messages[reason] = message;
  return {{"planned", Values::of(requests.planned)},
          {"completed", requests.completed},
          {"failed", Values::of(requests.failed)},
          {"cancelled", Values::of(requests.cancelled)},
          {"never_sent", Values::of(requests.never_sent)},
          {"in_window", Values::of(requests.in_window)},
          {"failures", std::move(failures)},
          {"failure_messages", std::move(messages)},
          {"asked_to_wait", requests.asked_to_wait},
          {"longest_asked_wait_s", Values::of(requests.longest_asked_wait)}};
}

Json tokens_json(const TokenCounts& tokens) {
  Json json = {{"output", Values::of(tokens.output)}};
  if (!tokens.output) Values::put_reason(json, tokens.reason);
  json["output_reasoning"] = Values::of(tokens.output_reasoning);
  json["output_by_failed"] = Values::of(tokens.output_by_failed);
  json["output_by_cancelled"] = Values::of(tokens.output_by_cancelled);
  json["output_good"] = Values::of(tokens.output_good);
  json["edge_bound_output"] = Values::of(tokens.edge_bound_output);
  json["prompt_submitted"] = Values::of(tokens.prompt_submitted);
  json["prompt_computed"] = Values::of(tokens.prompt_computed);
  json["prompt_cached"] = Values::of(tokens.prompt_cached);
  json["source"] = Values::of(tokens.source);
  json["engine_counter_output"] = Values::of(tokens.engine_counter_output);
  json["engine_counter_output_run"] = Values::of(tokens.engine_counter_output_run);
  json["client_output_run"] = Values::of(tokens.client_output_run);
  json["text_events_run"] = tokens.text_events_run;
  return json;
}

/// The most that was in use, and what is allowed.
Json budget_json(const std::optional<std::int64_t>& used,
                 const std::optional<std::int64_t>& allowed) {
  return {{"used", used ? Json(*used) : Json()}, {"allowed", allowed ? Json(*allowed) : Json()}};
}

Json threads_json(const ClientQuality& client) {
  Json threads = Json::array();
  for (const ClientQuality::Thread& thread : client.threads) {
    threads.push_back(
        {{"cpu_share", thread.cpu_share}, {"run_queue_wait_s", Values::of(thread.run_queue_wait)}});
  }
  return threads;
}

Json client_json(const ClientQuality& client) {
  return {{"limited", client.limited},
          {"stamps", Values::of(client.stamps)},
          {"lag_seconds",
           {{"p50", Values::of(client.lag_p50)},
            {"p99", Values::of(client.lag_p99)},
            {"max", Values::of(client.lag_max)}}},
          {"send_lateness_seconds",
           {{"p50", Values::of(client.send_lateness_p50)},
            {"p99", Values::of(client.send_lateness_p99)},
            {"max", Values::of(client.send_lateness_max)}}},
          {"connect_seconds",
           {{"p50", Values::of(client.connect_p50)},
            {"p99", Values::of(client.connect_p99)},
            {"max", Values::of(client.connect_max)}}},
          {"stream_wait_seconds",
           {{"p50", Values::of(client.stream_wait_p50)},
            {"p99", Values::of(client.stream_wait_p99)},
            {"max", Values::of(client.stream_wait_max)}}},
          {"loop_seconds",
           {{"p50", Values::of(client.loop_p50)},
            {"p99", Values::of(client.loop_p99)},
            {"max", Values::of(client.loop_max)}}},
          {"coalesced_share", Values::of(client.coalesced_share)},
          {"late_share", Values::of(client.late_share)},
          {"queue_full_share", Values::of(client.queue_full_share)},
          {"cpu_share", Values::of(client.cpu_share)},
          {"run_queue_wait_s", Values::of(client.run_queue_wait)},
          {"threads", threads_json(client)},
          {"connections_opened", client.connections_opened},
          {"ports", budget_json(client.ports_used, client.ports_allowed)},
          {"descriptors", budget_json(client.descriptors_used, client.descriptors_allowed)},
          {"retries", client.retries}};
}

void put_head(Json& json, const Report& report) {
  json["schema"] = "tokenjoule.result/1";
  json["result_id"] = report.result_id;
  json["method_version"] = report.method_version;
  json["tool"] = {{"name", "tokenjoule"}, {"version", report.tool_version}};
  json["analysis_options"] = {
      {"window", report.window ? Json(report.window->chosen_by) : Json(nullptr)},
      {"strict", report.strict}};
  json["simulated"] = report.simulated;
  json["modelled"] = report.modelled;
  json["interrupted"] = report.interrupted;
  json["verdict"] = verdict_json(report.verdict);
  json["functional_unit"] = {
      {"unit", "output_token"},
      {"words", "one output token delivered, reasoning included, failed requests charged"}};
}

}  // namespace

std::string result_json(const Report& report) {
  Json json = Json::object();
  put_head(json, report);
  json["boundary"] = boundary_json(report);
  json["window"] = window_json(report);
  json["engine"] = engine_json(report);
  if (!report.engine) Values::put_reason(json, "no engine in this run", "engine_reason");
  json["model"] = model_json(report);
  json["load"] = load_json(report);
  json["requests"] = requests_json(report.requests);
  json["tokens"] = tokens_json(report.tokens);
  put_energy(json, report);
  put_figures(json, report);
  json["client"] = client_json(report.client);
  json["configuration"] = Values::embedded(report.configuration_json);
  json["host"] = Values::embedded(report.host_json);
  json["record"] = {{"file", Values::of(report.record_file)},
                    {"sha256", Values::of(report.record_sha256)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tokenjoule
