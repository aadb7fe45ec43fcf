#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "record/event_json.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

/// Embeds a JSON text that we wrote ourselves; anything else becomes a string.
Json embedded(const std::string& text) {
  Json value = Json::parse(text.empty() ? "null" : text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
void put(Json& json, const char* key, const std::optional<MonoTime>& at) {
  if (at) json[key] = at->ns;
}
void put(Json& json, const char* key, const std::optional<Seconds>& span) {
  if (span) json[key] = span->value();
}
void put_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

struct Writer {
  Json& json;

  void operator()(const RunHeader& header) const {
    json["schema"] = "tokenjoule.run/" + std::to_string(header.schema);
    json["tool_version"] = header.tool_version;
    json["run_id"] = header.run_id;
    json["started_unix_ns"] = header.started.unix_ns;
    json["seed"] = header.seed;
    json["prompt_nonce"] = header.prompt_nonce;
    json["configuration"] = embedded(header.configuration_json);
    json["host"] = embedded(header.host_json);
  }
  void operator()(const Device& device) const {
    json["id"] = device.id;
    json["name"] = device.name;
    json["kind"] = name_of(device.kind);
    put_text(json, "label", device.label);
    put_text(json, "group", device.group);
    json["chosen"] = device.chosen;
    json["chosen_by"] = device.chosen_by;
    json["simulated"] = device.simulated;
    if (!device.facts.empty()) json["facts"] = device.facts;
  }
  void operator()(const Signal& signal) const {
    json["id"] = signal.id;
    json["sensor"] = signal.sensor;
    json["device"] = signal.device;
    json["measurand"] = name_of(signal.measurand);
    json["kind"] = signal.kind == SignalKind::counter ? "counter" : "gauge";
    json["boundary"] = name_of(signal.boundary);
    json["source"] = signal.source;
    json["raw_unit"] = signal.raw_unit;
    json["to_si"] = signal.to_si;
    json["modelled"] = signal.modelled;
    put(json, "period_s", signal.period);
    put(json, "averaging_s", signal.averaging);
    put(json, "modulus", signal.modulus);
    json["accuracy"] = {{"half_width_relative", signal.accuracy.half_width_relative},
                        {"distribution", signal.accuracy.distribution},
                        {"basis", signal.accuracy.basis},
                        {"source", signal.accuracy.source}};
    put_text(json, "driver", signal.driver);
    if (!signal.calibration) return;
    json["calibration"] = {{"gain", signal.calibration->gain},
                           {"half_width_relative", signal.calibration->half_width},
                           {"certificate", signal.calibration->certificate},
                           {"date", signal.calibration->date}};
  }
  void operator()(const EngineInfo& engine) const;
  void operator()(const Sample& sample) const {
    json["begin_ns"] = sample.read.begin.ns;
    json["end_ns"] = sample.read.end.ns;
    Json values = Json::array();
    for (const Reading& reading : sample.readings) values.push_back({reading.signal, reading.raw});
    json["values"] = std::move(values);
  }
  void operator()(const RequestRecord& request) const;
  void operator()(const CounterScrape& scrape) const {
    json["begin_ns"] = scrape.read.begin.ns;
    json["end_ns"] = scrape.read.end.ns;
    Json values = Json::object();
    for (const auto& [metric, value] : scrape.values) values[std::string(name_of(metric))] = value;
    json["values"] = std::move(values);
    put_text(json, "note", scrape.note);
    if (!scrape.finished.empty()) json["finished"] = scrape.finished;
    for (const auto& [length, histogram] : scrape.lengths) {
      json["lengths"][std::string(name_of(length))] = {
          {"count", histogram.count}, {"sum", histogram.sum}, {"buckets", histogram.buckets}};
    }
  }
  void operator()(const Mark& mark) const {
    json["at_ns"] = mark.at.ns;
    json["phase"] = name_of(mark.phase);
  }
  void operator()(const Note& note) const {
    json["at_ns"] = note.at.ns;
    json["text"] = note.text;
  }
  void operator()(const ClockAnchor& anchor) const {
    json["begin_ns"] = anchor.steady.begin.ns;
    json["end_ns"] = anchor.steady.end.ns;
    json["unix_ns"] = anchor.wall.unix_ns;
  }
  void operator()(const Loss& loss) const {
    json["begin_ns"] = loss.span.begin.ns;
    json["end_ns"] = loss.span.end.ns;
    json["what"] = loss.what;
    json["source"] = loss.source;
    json["count"] = loss.count;
    json["reason"] = loss.reason;
  }
  void operator()(const ClientState& state) const;
  void operator()(const RunClose& close) const {
    json["at_ns"] = close.at.ns;
    json["reason"] = close.reason;
    json["counts"] = close.counts;
  }
};

void put_requests(Json& json, const RequestFamilies& families) {
  if (families.finished.empty() && families.lengths.empty()) return;
  Json requests = Json::object();
  put_text(requests, "finished", families.finished);
  put_text(requests, "finished_label", families.finished_label);
  for (const auto& [length, family] : families.lengths) {
    requests["lengths"][std::string(name_of(length))] = family;
  }
  if (!families.repeated_over.empty()) requests["repeated_over"] = families.repeated_over;
  json["requests"] = std::move(requests);
}

void Writer::operator()(const EngineInfo& engine) const {
  json["kind"] = engine.kind;
  json["version"] = engine.version;
  json["url"] = engine.url;
  json["model"] = engine.model;
  json["endpoint"] = engine.endpoint;
  json["simulated"] = engine.simulated;
  json["token_id_prompts"] = engine.token_id_prompts;
  if (engine.token_ids_listed) json["token_ids_listed"] = true;
  json["ignore_eos"] = engine.ignore_eos;
  json["metrics_url"] = engine.metrics_url;
  put_text(json, "metrics_note", engine.metrics_note);
  Json settings = Json::object();
  for (const auto& [key, value] : engine.configuration) {
    settings[key] = {{"value", embedded(value.json)}, {"from", value.from}};
  }
  json["configuration"] = std::move(settings);
  Json counters = Json::array();
  for (const EngineCounter& counter : engine.counters) {
    Json row = {{"metric", name_of(counter.metric)},
                {"family", counter.family},
                {"clock", name_of(counter.clock)},
                {"summed_over", counter.summed_over}};
    if (!counter.where.empty()) row["where"] = counter.where;
    put(row, "significant_digits", counter.significant_digits);
    if (!counter.repeated_over.empty()) row["repeated_over"] = counter.repeated_over;
    counters.push_back(std::move(row));
  }
  json["counters"] = std::move(counters);
  put_requests(json, engine.requests);
  if (!engine.limits.empty()) json["limits"] = engine.limits;
}

void Writer::operator()(const RequestRecord& request) const {
  json["id"] = request.id;
  json["warmup"] = request.warmup;
  json["planned_ns"] = request.planned.ns;
  put(json, "stream_free_ns", request.stream_free);
  put(json, "connecting_ns", request.connecting);
  json["sent_ns"] = request.sent.ns;
  json["outcome"] = name_of(request.outcome);
  put_text(json, "failure", request.failure);
  json["http_status"] = request.http_status;
  put_text(json, "model", request.model);
  json["input_tokens_asked"] = request.input_tokens_asked;
  json["output_tokens_asked"] = request.output_tokens_asked;
  put(json, "prompt_tokens", request.prompt_tokens);
  put(json, "output_tokens", request.output_tokens);
  put(json, "cached_tokens", request.cached_tokens);
  put(json, "reasoning_tokens", request.reasoning_tokens);
  put_text(json, "finish_reason", request.finish_reason);
  put(json, "first_body_ns", request.first_body);
  put(json, "first_choices_ns", request.first_choices);
  put(json, "first_visible_ns", request.first_visible);
  put(json, "finish_ns", request.finish);
  put(json, "usage_ns", request.usage);
  put(json, "done_ns", request.done);
  put(json, "end_ns", request.end);
  json["token_events"] = request.token_events;
  json["token_times_us"] = request.token_times.text();
  json["reused_connection"] = request.reused_connection;
  json["retries"] = request.retries;
  if (request.retry_after) json["retry_after_s"] = request.retry_after->value();
}

Json histogram_json(const TimeHistogram& counts) {
  Json histogram = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) histogram[std::to_string(i)] = counts[i];
  }
  return histogram;
}

void Writer::operator()(const ClientState& state) const {
  json["begin_ns"] = state.span.begin.ns;
  json["end_ns"] = state.span.end.ns;
  json["stamps"] = state.stamps;
  json["reads"] = state.reads;
  json["reads_late"] = state.reads_late;
  json["reads_coalesced"] = state.reads_coalesced;
  json["lag_log2_us"] = histogram_json(state.lag_histogram);
  json["loop_log2_us"] = histogram_json(state.loop_histogram);
  json["cpu_s"] = state.cpu.value();
  put(json, "run_queue_wait_s", state.run_queue_wait);
  json["queue_full_s"] = state.queue_full.value();
  json["in_flight"] = state.in_flight;
  json["connections_opened"] = state.connections_opened;
  put(json, "connections_open", state.connections_open);
  put(json, "descriptors_open", state.descriptors_open);
  put(json, "descriptors_allowed", state.descriptors_allowed);
  put(json, "local_ports", state.local_ports);
  for (const LoadThreadState& thread : state.threads) {
    Json row = {{"cpu_s", thread.cpu.value()}};
    put(row, "run_queue_wait_s", thread.run_queue_wait);
    json["threads"].push_back(std::move(row));
  }
}

}  // namespace

std::string line_of(const Event& event) {
  Json json = {{"event", kind_of(event)}};
  std::visit(Writer{json}, event);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tokenjoule
