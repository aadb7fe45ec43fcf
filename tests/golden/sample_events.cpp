#include "sample_events.hpp"

namespace tokenjoule {

namespace {

TimeSpan span(std::int64_t begin_ms, std::int64_t end_ms) {
  return {MonoTime{begin_ms * 1'000'000}, MonoTime{end_ms * 1'000'000}};
}

RunHeader full_header() {
  RunHeader header;
  header.tool_version = "0.1.0";
  header.run_id = "5f1e0c1a-0000-4000-8000-000000000002";
  header.started = WallTime{1'796'000'000'000'001'000};
  header.configuration_json = R"({"mode":"closed","concurrency":64})";
  header.host_json = R"({"kernel":"6.1.0"})";
  header.prompt_nonce = "00c0ffee";
  return header;
}

Signal full_signal() {
  Signal signal;
  signal.id = 1;
  signal.sensor = "dcgm";
  signal.device = "GPU-1";
  signal.measurand = Measurand::energy;
  signal.kind = SignalKind::counter;
  signal.source = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";
  signal.raw_unit = "mJ";
  signal.to_si = 1e-3;
  signal.period = Seconds(0.1);
  signal.averaging = Seconds(1);
  signal.modulus = 4294967296.0;
  signal.driver = "570.86";
  signal.calibration = Calibration{1.002, 0.002, "C-17", "2026-03-01"};
  return signal;
}

EngineInfo full_engine() {
  EngineInfo engine;
  engine.kind = "vllm";
  engine.version = "0.11.0";
  engine.url = "http://127.0.0.1:8000";
  engine.model = "m";
  engine.endpoint = "/v1/completions";
  engine.token_ids_listed = true;
  engine.metrics_note = "answered 404";
  engine.configuration["max_model_len"] = {"8192", "reported"};
  EngineCounter counter;
  counter.family = "vllm:generation_tokens_total";
  counter.summed_over = {"engine"};
  counter.where = {{"model_name", "m"}};
  counter.significant_digits = 6;
  engine.counters = {counter};
  engine.requests = {"vllm:request_success_total",
                     "finished_reason",
                     {{RequestLength::prompt_tokens, "vllm:request_prompt_tokens"}},
                     {"pid"}};
  return engine;
}

RequestRecord full_request() {
  RequestRecord request;
  request.id = 1;
  request.planned = request.sent = MonoTime{1'000'000};
  request.stream_free = request.planned;
  request.outcome = Outcome::failed;
  request.failure = "timeout";
  request.http_status = 200;
  request.prompt_tokens = request.output_tokens = 128;
  request.cached_tokens = request.reasoning_tokens = 0;
  request.finish_reason = "length";
  request.first_body = request.first_choices = request.first_visible = MonoTime{2'000'000};
  request.finish = request.usage = request.done = request.end = MonoTime{3'000'000};
  return request;
}

ClientState full_client() {
  ClientState state;
  state.span = span(0, 1000);
  state.reads = 10;
  state.lag_histogram[0] = 9;
  state.lag_histogram[31] = 1;
  state.cpu = Seconds(0.2);
  return state;
}

}  // namespace

std::vector<Event> sample_events() {
  Device full_device{"GPU-1", "H100", DeviceKind::gpu, "0", "prefill", true, "--gpus", false};
  full_device.facts = {{"pci_address", "0000:01:00.0"}};
  CounterScrape scrape{span(10, 11), {{EngineMetric::output_tokens, 5}}, "edge"};
  scrape.finished = {{"stop", 3}};
  scrape.lengths[RequestLength::prompt_tokens] = {{{100, 2}, {200, 3}}, 3, 300};
  return {
      full_header(),
      RunHeader{},
      full_device,
      Device{},
      full_signal(),
      Signal{},
      full_engine(),
      EngineInfo{},
      Sample{span(1, 2), {{1, 1234567.0}, {2, 0.1}}},
      Sample{},
      full_request(),
      RequestRecord{},
      scrape,
      CounterScrape{},
      Mark{MonoTime{5}, Phase::measure},
      Mark{},
      Note{MonoTime{5}, "SIGINT"},
      Note{},
      ClockAnchor{span(0, 1), WallTime{1'796'000'000'000'000'000}},
      ClockAnchor{},
      Loss{span(3, 4), "poll", "dcgm", 2, "timeout"},
      Loss{},
      full_client(),
      ClientState{},
      RunClose{MonoTime{9}, "completed", {{"sample", 2}}},
      RunClose{},
  };
}

}  // namespace tokenjoule
