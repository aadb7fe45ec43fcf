#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "model/token_times.hpp"
#include "record/event_fields.hpp"
#include "record/event_json.hpp"

namespace tokenjoule {

namespace {

Result<Event> header_in(const JsonView& json) {
  RunHeader header;
  TRY(const std::string schema, json["schema"].need_string());
  constexpr std::string_view kFamily = "tokenjoule.run/";
  const auto number = starts_with(schema, kFamily)
                          ? integer_in(std::string_view(schema).substr(kFamily.size()))
                          : std::nullopt;
  if (!number || *number < 1) return bad_field(json["schema"], "is no schema of a run file");
  if (*number > 1) {
    return bad_field(json["schema"], fmt::format("is {}, newer than this program", quoted(schema)));
  }
  header.schema = static_cast<int>(*number);
  header.tool_version = text_or_empty(json["tool_version"]);
  header.run_id = text_or_empty(json["run_id"]);
  header.started = WallTime{json["started_unix_ns"].integer().value_or(0)};
  header.seed = static_cast<std::uint64_t>(json["seed"].integer().value_or(0));
  header.prompt_nonce = text_or_empty(json["prompt_nonce"]);
  header.configuration_json = json["configuration"].text();
  header.host_json = json["host"].text();
  return header;
}

Result<Event> device_in(const JsonView& json) {
  Device device;
  TRY(device.id, json["id"].need_string());
  TRY(device.kind, need_word(json["kind"], device_kind_named));
  device.name = text_or_empty(json["name"]);
  device.label = text_or_empty(json["label"]);
  device.group = text_or_empty(json["group"]);
  device.chosen = json["chosen"].boolean().value_or(true);
  device.chosen_by = text_or_empty(json["chosen_by"]);
  device.simulated = json["simulated"].boolean().value_or(false);
  for (std::size_t i = 0; i < json["facts"].size(); ++i) {
    device.facts[std::string(json["facts"].key(i))] = text_or_empty(json["facts"].member(i));
  }
  return device;
}

Result<std::uint32_t> need_signal_id(const JsonView& view) {
  TRY(const std::int64_t id, view.need_integer());
  if (id < 0 || id > UINT32_MAX) return bad_field(view, "is no signal number");
  return static_cast<std::uint32_t>(id);
}

Result<std::optional<Calibration>> calibration_in(const JsonView& json) {
  if (!json.present()) return std::optional<Calibration>();
  Calibration calibration;
  TRY_DO(positive(json, {"gain"}));
  TRY_DO(no_negative(json, {"half_width_relative"}));
  TRY(calibration.gain, json["gain"].need_number());
  TRY(calibration.half_width, json["half_width_relative"].need_number());
  calibration.certificate = text_or_empty(json["certificate"]);
  calibration.date = text_or_empty(json["date"]);
  return std::optional(std::move(calibration));
}

Result<Event> signal_in(const JsonView& json) {
  Signal signal;
  TRY(signal.id, need_signal_id(json["id"]));
  TRY(signal.device, json["device"].need_string());
  TRY(signal.measurand, need_word(json["measurand"], measurand_named));
  TRY(const std::string kind, json["kind"].need_string());
  if (kind != "counter" && kind != "gauge")
    return bad_field(json["kind"], "is neither counter nor gauge");
  signal.kind = kind == "counter" ? SignalKind::counter : SignalKind::gauge;
  TRY(signal.boundary, need_word(json["boundary"], boundary_named));
  TRY(signal.to_si, json["to_si"].need_number());
  TRY_DO(positive(json, {"to_si", "period_s", "modulus"}));
  TRY_DO(no_negative(json, {"averaging_s"}));
  signal.sensor = text_or_empty(json["sensor"]);
  signal.source = text_or_empty(json["source"]);
  signal.raw_unit = text_or_empty(json["raw_unit"]);
  signal.modelled = json["modelled"].boolean().value_or(false);
  signal.period = seconds_in(json["period_s"]);
  signal.averaging = seconds_in(json["averaging_s"]);
  signal.modulus = json["modulus"].number();
  signal.driver = text_or_empty(json["driver"]);
  if (const JsonView accuracy = json["accuracy"]; accuracy.present()) {
    TRY(signal.accuracy.half_width_relative, accuracy["half_width_relative"].need_number());
    TRY_DO(no_negative(accuracy, {"half_width_relative"}));
    signal.accuracy.distribution = text_or_empty(accuracy["distribution"]);
    signal.accuracy.basis = text_or_empty(accuracy["basis"]);
    signal.accuracy.source = text_or_empty(accuracy["source"]);
  }
  TRY(signal.calibration, calibration_in(json["calibration"]));
  return signal;
}

std::vector<std::string> texts_in(const JsonView& json) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < json.size(); ++i) texts.push_back(text_or_empty(json[i]));
  return texts;
}

Result<EngineCounter> counter_in(const JsonView& json) {
  EngineCounter counter;
  TRY(counter.metric, need_word(json["metric"], engine_metric_named));
  TRY(counter.clock, need_word(json["clock"], counter_clock_named));
  counter.family = text_or_empty(json["family"]);
  counter.summed_over = texts_in(json["summed_over"]);
  counter.repeated_over = texts_in(json["repeated_over"]);
  for (std::size_t i = 0; i < json["where"].size(); ++i) {
    counter.where[std::string(json["where"].key(i))] = text_or_empty(json["where"].member(i));
  }
  if (const auto digits = json["significant_digits"].integer()) {
    counter.significant_digits = static_cast<int>(*digits);
  }
  return counter;
}

RequestFamilies families_in(const JsonView& json) {
  RequestFamilies families;
  families.finished = text_or_empty(json["finished"]);
  families.finished_label = text_or_empty(json["finished_label"]);
  families.repeated_over = texts_in(json["repeated_over"]);
  for (std::size_t i = 0; i < json["lengths"].size(); ++i) {
    const auto length = request_length_named(json["lengths"].key(i));
    if (length) families.lengths[*length] = text_or_empty(json["lengths"].member(i));
  }
  return families;
}

Result<Event> engine_in(const JsonView& json) {
  EngineInfo engine;
  TRY(engine.kind, json["kind"].need_string());
  engine.version = text_or_empty(json["version"]);
  engine.url = text_or_empty(json["url"]);
  engine.model = text_or_empty(json["model"]);
  engine.endpoint = text_or_empty(json["endpoint"]);
  engine.simulated = json["simulated"].boolean().value_or(false);
  engine.token_id_prompts = json["token_id_prompts"].boolean().value_or(false);
  engine.token_ids_listed = json["token_ids_listed"].boolean().value_or(false);
  engine.ignore_eos = json["ignore_eos"].boolean().value_or(false);
  engine.metrics_url = text_or_empty(json["metrics_url"]);
  engine.metrics_note = text_or_empty(json["metrics_note"]);
  const JsonView settings = json["configuration"];
  for (std::size_t i = 0; i < settings.size(); ++i) {
    engine.configuration[std::string(settings.key(i))] = {
        settings.member(i)["value"].text(), text_or_empty(settings.member(i)["from"])};
  }
  for (std::size_t i = 0; i < json["counters"].size(); ++i) {
    // A counter of a newer version is left out; the rest of the engine stays.
    if (auto counter = counter_in(json["counters"][i]))
      engine.counters.push_back(std::move(*counter));
  }
  engine.requests = families_in(json["requests"]);
  engine.limits = texts_in(json["limits"]);
  return engine;
}

Result<Event> sample_in(const JsonView& json) {
  Sample sample;
  TRY(sample.read, need_span(json));
  const JsonView values = json["values"];
  if (!values.is(JsonNode::Type::array)) return bad_field(values, "is no list");
  for (std::size_t i = 0; i < values.size(); ++i) {
    Reading reading;
    TRY(reading.signal, need_signal_id(values[i][0]));
    TRY(reading.raw, values[i][1].need_number());
    sample.readings.push_back(reading);
  }
  return sample;
}

Result<Event> request_in(const JsonView& json) {
  RequestRecord request;
  TRY_DO(no_negative(
      json, {"prompt_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
             "input_tokens_asked", "output_tokens_asked", "token_events", "retry_after_s"}));
  TRY(const std::int64_t id, json["id"].need_integer());
  request.id = static_cast<std::uint64_t>(id);
  TRY(request.sent, need_instant(json["sent_ns"]));
  request.planned = instant(json["planned_ns"]).value_or(request.sent);
  request.stream_free = instant(json["stream_free_ns"]);
  request.connecting = instant(json["connecting_ns"]);
  TRY(request.outcome, need_word(json["outcome"], outcome_named));
  request.warmup = json["warmup"].boolean().value_or(false);
  request.failure = text_or_empty(json["failure"]);
  request.http_status = static_cast<int>(json["http_status"].integer().value_or(0));
  request.model = text_or_empty(json["model"]);
  request.input_tokens_asked = json["input_tokens_asked"].integer().value_or(0);
  request.output_tokens_asked = json["output_tokens_asked"].integer().value_or(0);
  request.prompt_tokens = json["prompt_tokens"].integer();
  request.output_tokens = json["output_tokens"].integer();
  request.cached_tokens = json["cached_tokens"].integer();
  request.reasoning_tokens = json["reasoning_tokens"].integer();
  request.finish_reason = text_or_empty(json["finish_reason"]);
  request.first_body = instant(json["first_body_ns"]);
  request.first_choices = instant(json["first_choices_ns"]);
  request.first_visible = instant(json["first_visible_ns"]);
  request.finish = instant(json["finish_ns"]);
  request.usage = instant(json["usage_ns"]);
  request.done = instant(json["done_ns"]);
  request.end = instant(json["end_ns"]);
  auto times = TokenTimes::in(json["token_times_us"].string().value_or(""));
  if (!times) return bad_field(json["token_times_us"], "cannot be read");
  request.token_times = std::move(*times);
  request.token_events = json["token_events"].integer().value_or(0);
  request.reused_connection = json["reused_connection"].boolean().value_or(false);
  request.retries = static_cast<int>(json["retries"].integer().value_or(0));
  if (const auto wait = json["retry_after_s"].number()) request.retry_after = Seconds(*wait);
  return request;
}

Result<LengthHistogram> lengths_in(const JsonView& json) {
  LengthHistogram histogram;
  TRY_DO(no_negative(json, {"count", "sum"}));
  TRY(histogram.count, json["count"].need_number());
  TRY(histogram.sum, json["sum"].need_number());
  const JsonView buckets = json["buckets"];
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    TRY(const double bound, buckets[i][0].need_number());
    TRY(const double count, buckets[i][1].need_number());
    histogram.buckets.emplace_back(bound, count);
  }
  return histogram;
}

Result<Event> scrape_in(const JsonView& json) {
  CounterScrape scrape;
  TRY(scrape.read, need_span(json));
  const JsonView values = json["values"];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto metric = engine_metric_named(values.key(i));
    const auto value = values.member(i).number();
    if (metric && value) scrape.values[*metric] = *value;
  }
  scrape.note = text_or_empty(json["note"]);
  for (std::size_t i = 0; i < json["finished"].size(); ++i) {
    TRY(const double count, json["finished"].member(i).need_number());
    scrape.finished[std::string(json["finished"].key(i))] = count;
  }
  for (std::size_t i = 0; i < json["lengths"].size(); ++i) {
    const auto length = request_length_named(json["lengths"].key(i));
    if (!length) continue;
    TRY(scrape.lengths[*length], lengths_in(json["lengths"].member(i)));
  }
  return scrape;
}

Result<Event> mark_in(const JsonView& json) {
  Mark mark;
  TRY(mark.at, need_instant(json["at_ns"]));
  TRY(mark.phase, need_word(json["phase"], phase_named));
  return mark;
}

Result<Event> note_in(const JsonView& json) {
  TRY(const MonoTime at, need_instant(json["at_ns"]));
  return Note{at, text_or_empty(json["text"])};
}

Result<Event> anchor_in(const JsonView& json) {
  TRY(const TimeSpan steady, need_span(json));
  TRY(const std::int64_t unix_ns, json["unix_ns"].need_integer());
  if (unix_ns < 0) return bad_field(json["unix_ns"], "lies before 1970");
  return ClockAnchor{steady, WallTime{unix_ns}};
}

Result<Event> loss_in(const JsonView& json) {
  Loss loss;
  TRY(loss.span, need_span(json));
  TRY(loss.what, json["what"].need_string());
  loss.source = text_or_empty(json["source"]);
  loss.count = json["count"].integer().value_or(1);
  loss.reason = text_or_empty(json["reason"]);
  return loss;
}

Result<TimeHistogram> histogram_in(const JsonView& json) {
  TimeHistogram counts{};
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto bucket = integer_in(json.key(i));
    if (!bucket || *bucket < 0 || *bucket >= static_cast<std::int64_t>(counts.size())) {
      return bad_field(json, "has a bucket that is no number from 0 to 31");
    }
    counts[static_cast<std::size_t>(*bucket)] = json.member(i).integer().value_or(0);
  }
  return counts;
}

Result<Event> client_in(const JsonView& json) {
  ClientState state;
  TRY(state.span, need_span(json));
  state.stamps = text_or_empty(json["stamps"]);
  state.reads = json["reads"].integer().value_or(0);
  state.reads_late = json["reads_late"].integer().value_or(0);
  state.reads_coalesced = json["reads_coalesced"].integer().value_or(0);
  TRY(state.lag_histogram, histogram_in(json["lag_log2_us"]));
  TRY(state.loop_histogram, histogram_in(json["loop_log2_us"]));
  state.cpu = seconds_in(json["cpu_s"]).value_or(Seconds());
  state.run_queue_wait = seconds_in(json["run_queue_wait_s"]);
  state.queue_full = seconds_in(json["queue_full_s"]).value_or(Seconds());
  state.in_flight = json["in_flight"].integer().value_or(0);
  state.connections_opened = json["connections_opened"].integer().value_or(0);
  state.connections_open = json["connections_open"].integer();
  state.descriptors_open = json["descriptors_open"].integer();
  state.descriptors_allowed = json["descriptors_allowed"].integer();
  state.local_ports = json["local_ports"].integer();
  const JsonView threads = json["threads"];
  for (std::size_t i = 0; i < threads.size(); ++i) {
    state.threads.push_back({seconds_in(threads[i]["cpu_s"]).value_or(Seconds()),
                             seconds_in(threads[i]["run_queue_wait_s"])});
  }
  return state;
}

Result<Event> close_in(const JsonView& json) {
  RunClose close;
  TRY(close.at, need_instant(json["at_ns"]));
  close.reason = text_or_empty(json["reason"]);
  const JsonView counts = json["counts"];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    close.counts[std::string(counts.key(i))] = counts.member(i).integer().value_or(0);
  }
  return close;
}

struct KindReader {
  std::string_view kind;
  Result<Event> (*read)(const JsonView&);
};

constexpr KindReader kReaders[] = {
    {"sample", sample_in}, {"request", request_in}, {"counters", scrape_in}, {"client", client_in},
    {"header", header_in}, {"device", device_in},   {"signal", signal_in},   {"engine", engine_in},
    {"mark", mark_in},     {"note", note_in},       {"anchor", anchor_in},   {"loss", loss_in},
    {"close", close_in},
};

}  // namespace

Result<std::optional<Event>> event_in(std::string_view line) {
  TRY(const JsonDocument document, JsonDocument::parse(line));
  TRY(const std::string kind, document.root()["event"].need_string());
  for (const KindReader& reader : kReaders) {
    if (reader.kind != kind) continue;
    TRY(Event event, reader.read(document.root()));
    return event;
  }
  return std::optional<Event>();
}

}  // namespace tokenjoule
