#include "sample_reports.hpp"

#include <limits>
#include <utility>

namespace tokenjoule {

namespace {

Figure figure(double value, double bound, std::string unit, std::string numerator,
              std::string denominator) {
  Figure made;
  made.value = value;
  made.systematic_bound = bound;
  made.unit = std::move(unit);
  made.numerator = std::move(numerator);
  made.denominator = std::move(denominator);
  made.interval_reason = "one run gives no interval";
  return made;
}

Figure rate(double value, std::string unit) {
  Figure made;
  made.value = value;
  made.unit = std::move(unit);
  made.numerator = "tokens.output";
  made.denominator = "window.duration";
  made.interval_reason = "one run gives no interval";
  return made;
}

Figure unknown(std::string unit, std::string reason) {
  Figure made;
  made.unit = std::move(unit);
  made.reason = std::move(reason);
  made.numerator = "energy.gpu_board";
  made.interval_reason = "there is no value";
  return made;
}

Summary seconds(double p50, std::int64_t n) {
  Summary made;
  made.n = n;
  made.mean = p50 * 1.03125;
  made.p5 = p50 * 0.5;
  made.p50 = p50;
  made.p90 = p50 * 1.25;
  made.p95 = p50 * 1.5;
  made.p99 = p50 * 2;
  return made;
}

DeviceEnergy simulated_gpu(std::string index, double joules) {
  DeviceEnergy gpu;
  gpu.id = "GPU-51d0000" + index;
  gpu.name = "Simulated H100 SXM";
  gpu.label = std::move(index);
  gpu.instrument = "dcgm:" + gpu.id;
  gpu.group = "prefill";
  gpu.method = "counter";
  gpu.joules = gpu.counter_joules = Joules(joules);
  gpu.integrated_joules = Joules(joules * 0.998);
  gpu.edge_bound = Joules(12.5);
  gpu.gain_bound = Joules(joules * 0.05);
  gpu.mean_power = Watts(joules / 60);
  gpu.idle_power = Watts(82.1);
  gpu.active_joules = Joules(joules - 82.1 * 60);
  gpu.step = Seconds(0.1);
  gpu.max_gap = Seconds(0.11);
  gpu.limits_before = {Watts(700), Watts(700), Watts(700), Watts(200), Watts(700)};
  gpu.limits_after = gpu.limits_before;
  gpu.share_of_limit = joules / 60 / 700;
  gpu.throttled = Seconds(0);
  gpu.temperature_mean_c = 61.0;
  gpu.sm_clock_mean_mhz = 1710;
  gpu.memory_clock_mean_mhz = 2619;
  gpu.utilisation_mean = 0.98;
  gpu.memory_used_mean_bytes = 7.2e10;
  gpu.simulated = true;
  return gpu;
}

void put_engine(Report& report) {
  EngineInfo engine;
  engine.kind = "vllm";
  engine.version = "0.11.0";
  engine.url = "http://127.0.0.1:8000";
  engine.endpoint = "/v1/completions";
  engine.model = "example/model-8b";
  engine.token_id_prompts = engine.ignore_eos = true;
  engine.metrics_url = "http://127.0.0.1:8000/metrics";
  engine.configuration["max_model_len"] = {"8192", "reported"};
  engine.configuration["tensor_parallel"] = {"2", "stated"};
  engine.configuration["weight_format"] = {"\"fp8\"", "stated"};
  engine.counters.push_back({EngineMetric::output_tokens,
                             "vllm:generation_tokens_total",
                             CounterClock::per_step,
                             {"engine"},
                             {},
                             std::nullopt});
  report.engine = engine;
  report.engine_state = {61.25, 0.125, 0.0, 0.5};
}

void put_counts(Report& report) {
  report.requests = {636, 640, 3, 1, std::nullopt, 512.4375, {{"http_503", 1}, {"timeout", 2}}};
  TokenCounts& tokens = report.tokens;
  tokens.output = 472123;
  tokens.output_by_failed = 311;
  tokens.output_by_cancelled = 42;
  tokens.output_good = 471770;
  tokens.edge_bound_output = 64;
  tokens.prompt_submitted = tokens.prompt_computed = 471000;
  tokens.prompt_cached = 0;
  tokens.source = "usage";
  tokens.engine_counter_output = 472101;
  tokens.engine_counter_output_run = 590102;
  tokens.client_output_run = 590000;
  tokens.text_events_run = 590000;
}

void put_energy(Report& report) {
  BoundaryEnergy boards;
  boards.method = "counter";
  boards.devices = {simulated_gpu("0", 17500.25), simulated_gpu("1", 17710.25)};
  boards.joules = Joules(35210.5);
  boards.systematic_bound = Joules(1785.525);
  boards.components = {
      {"sensor gain", 1760.525, "rectangular", true, "5 % assumed"},
      {"counter step at the window's edges", 25, "rectangular", false, "step of 0.1 s"}};
  boards.idle_joules = Joules(9852);
  boards.active_joules = Joules(25358.5);
  boards.groups = {{"prefill", Joules(35210.5)}};
  report.energy = {boards};
  report.idle.duration = Seconds(10);
  report.idle.watts = Watts(164.2);
  for (const DeviceEnergy& gpu : boards.devices) {
    Instrument instrument;
    instrument.id = gpu.instrument;
    instrument.kind = "energy counter";
    instrument.model = gpu.name;
    instrument.driver = "570.86";
    instrument.quantity = "energy";
    instrument.source = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";
    instrument.step = gpu.step;
    report.instruments.push_back(instrument);
  }
}

void put_figures(Report& report) {
  Figures& figures = report.figures;
  const std::string energy = "energy.gpu_board";
  figures["joules_per_output_token"] =
      figure(0.07457908, 0.00379202, "J/token", energy, "tokens.output");
  figures["joules_per_output_token"].components = {
      {"sensor gain", 0.00372895, "rectangular", true, "5 % assumed"}};
  figures["joules_per_total_token"] =
      figure(0.0373340, 0.0018984, "J/token", energy, "tokens.prompt_submitted + tokens.output");
  figures["watt_hours_per_query"] =
      figure(0.0190867, 0.00096787, "Wh", energy, "requests.in_window");
  figures["watt_hours_per_million_output_tokens"] =
      figure(20.7164, 1.05334, "Wh/Mtoken", energy, "tokens.output");
  figures["output_tokens_per_second"] = rate(7868.71, "token/s");
  figures["output_tokens_per_second_per_user"] = rate(122.95, "token/s");
  figures["mean_watts"] = figure(586.8417, 29.7587, "W", energy, "window.duration");
  report.figures_by_boundary[Boundary::gpu_board] = figures;
  report.latency["ttft_seconds"] = seconds(0.1875, 636);
  report.latency["tpot_seconds"] = seconds(0.0078125, 636);
  report.latency["itl_seconds"] = seconds(0.00775, 470000);
  report.latency["e2e_latency_seconds"] = seconds(7.25, 636);
  report.latency["interactivity_tokens_per_second"] = seconds(128, 636);
  report.latency["interactivity_tokens_per_second"].unit = "token/s";
  report.counted_as =
      PeerView{PeerTool::vllm,
               "requests that completed",
               {{"TTFT", "first chunk with choices - sent", "ttft_seconds", seconds(0.171, 640)},
                {"Output token throughput",
                 "output tokens / duration",
                 "output_tokens_per_second",
                 {},
                 6704.5,
                 "token/s"},
                {"Total token throughput",
                 "(prompt + output tokens) / duration",
                 "",
                 {},
                 {},
                 "token/s",
                 "a prompt's tokens are not known"}}};
  report.full_run.duration = Seconds(88);
  report.full_run.joules = Joules(41000);
  report.full_run.output_tokens = 590000;
  report.full_run.prompt_tokens = 588000;
  report.full_run.requests = 636;
  report.full_run.figures["joules_per_output_token"] =
      figure(0.0694915, 0.00352, "J/token", energy, "full_run.output_tokens");
}

void put_client(Report& report) {
  ClientQuality& client = report.client;
  client.stamps = "kernel";
  client.lag_p50 = Seconds(0.00004);
  client.lag_p99 = Seconds(0.0004);
  client.lag_max = Seconds(0.0021);
  client.send_lateness_p50 = Seconds(0.00002);
  client.send_lateness_p99 = Seconds(0.0003);
  client.send_lateness_max = Seconds(0.0009);
  client.coalesced_share = 0.001;
  client.late_share = client.queue_full_share = 0;
  client.cpu_share = 0.21;
  client.run_queue_wait = Seconds(0.25);
  client.connections_opened = 64;
  client.retries = 1;
}

Report with_identity(Report report) {
  report.result_id = "5f1e0c1a-0000-5000-8000-000000000001";
  report.tool_version = "0.1.0";
  report.seed = 1;
  report.prompt_nonce = "00c0ffee00c0ffee";
  report.configuration_json =
      R"({"command":"measure","mode":"closed","concurrency":64,"duration_s":60.0,)"
      R"("dataset":"random","ignore_eos":true,"label":"nightly"})";
  report.host_json = R"({"kernel":"6.1.0","cpu":"Example CPU"})";
  report.record_file = "run.jsonl";
  report.record_sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  Window window;
  window.span = {mono_at(Seconds(12)), mono_at(Seconds(72))};
  window.start_wall = WallTime{1'796'000'012'000'001'000};
  window.end_wall = WallTime{1'796'000'072'000'001'000};
  report.window = window;
  return report;
}

}  // namespace

Report simulated_report() {
  Report report = with_identity({});
  report.simulated = true;
  report.verdict.status = VerdictStatus::care;
  report.verdict.reasons = {
      {"failures", Severity::care, "4 of 640 requests did not complete (2 timeout, 1 http_503)",
       "look at the server's log; energy is charged to all of them", std::nullopt},
      {"limit_below_catalogue", Severity::note, "the driver's maximum of 600 W is below 700 W", "",
       Boundary::gpu_board}};
  report.boundary = Boundary::gpu_board;
  report.included = {"2 x GPU board incl. memory"};
  report.excluded = {{"cpu_package", "permission"}, {"cooling", "outside"}};
  report.input_len_mean = 921.25;
  report.output_len_mean = 922.75;
  put_engine(report);
  report.engine->simulated = true;
  put_counts(report);
  put_energy(report);
  put_figures(report);
  put_client(report);
  return report;
}

Report unusable_report() {
  Report report = with_identity({});
  report.verdict.status = VerdictStatus::unusable;
  report.verdict.reasons = {
      {"no_tokens", Severity::unusable, "the engine sent no token in the window",
       "ask the engine by hand: curl http://127.0.0.1:8000/v1/models", std::nullopt}};
  report.interrupted = true;
  report.boundary = Boundary::gpu_board;
  report.included = {"1 x GPU board incl. memory"};
  put_engine(report);
  report.engine->version = "";
  report.engine->metrics_url = "";
  report.engine->metrics_note = "/metrics answered 404";
  report.engine_state = {};
  report.requests = {0, 12, 12, 0, std::nullopt, 0, {{"reset", 12}}};
  report.tokens.reason = "no token came";
  BoundaryEnergy boards;
  boards.reason = "device_lost: no reading after 20.0 s";
  DeviceEnergy gpu;
  gpu.id = "GPU-12345678";
  boards.devices = {gpu};
  report.energy = {boards};
  report.idle.reason = "not_idle: 3 requests were running";
  report.figures["joules_per_output_token"] = unknown("J/token", "not usable: no_tokens");
  report.figures["watt_hours_per_query"] = unknown("Wh", "not usable: no_tokens");
  report.figures["output_tokens_per_second"] = unknown("token/s", "no token came");
  report.latency["ttft_seconds"].reason = "no request completed";
  report.full_run.reason = "no request completed";
  return report;
}

Report modelled_report() {
  Report report = with_identity({});
  report.modelled = true;
  report.strict = true;
  report.boundary = Boundary::cpu_package;
  report.included = {"1 x CPU package, from its CPU time"};
  report.excluded = {{"gpu_board", "there is none"}};
  put_engine(report);
  report.engine->kind = "llamacpp";
  put_counts(report);
  report.tokens.engine_counter_output = 472130;
  BoundaryEnergy package;
  package.boundary = Boundary::cpu_package;
  package.method = "modelled";
  package.joules = Joules(3000);
  package.systematic_bound = Joules(1500);
  package.components = {{"model of the power", 1500, "rectangular", true, "half of the figure"}};
  DeviceEnergy cpu;
  cpu.id = "cpu0";
  cpu.name = "Example CPU";
  cpu.instrument = "cpu_time:cpu0";
  cpu.method = "modelled";
  cpu.joules = Joules(3000);
  cpu.mean_power = Watts(50);
  package.devices = {cpu};
  report.energy = {package};
  report.idle.reason = "no idle phase";
  Instrument instrument;
  instrument.id = cpu.instrument;
  instrument.kind = "modelled power";
  instrument.quantity = "power";
  instrument.source = "/proc/stat";
  instrument.accuracy = {0.5, "rectangular", "class", "half of the figure"};
  report.instruments = {instrument};
  report.figures["joules_per_output_token"] =
      figure(0.00635427, 0.00317713, "J/token", "energy.cpu_package", "tokens.output");
  report.figures["output_tokens_per_second"] = rate(7868.71, "token/s");
  report.figures["an_added_figure"] = rate(1.5, "1");
  report.figures_by_boundary[Boundary::cpu_package] = report.figures;
  report.latency["ttft_seconds"] = seconds(0.25, 636);
  report.full_run.reason = "the load was stopped before it ended";
  put_client(report);
  report.client.limited = true;
  report.client.stamps = "user";
  return report;
}

Report hostile_report() {
  const std::string text =
      "=cmd|'/c calc'!A0 | a\"b,c;d`e</td><script>alert(1)</script> &amp; *x* [l](http://x)\r\n"
      "# h\x1b[31mred\x1b[0m\x07 \xFF\xC3(\xE2\x80\xAEgpj.exe\xE2\x80\xA8" +
      std::string(1, '\0') + "-";
  Report report = simulated_report();
  report.result_id = report.tool_version = report.prompt_nonce = text;
  report.record_file = text;
  report.configuration_json = "{\"mode\": " + text;
  report.host_json = std::string(200, '[') + std::string(200, ']');
  report.verdict.reasons[0] = {text, Severity::care, text, text, std::nullopt};
  report.included = {text};
  report.excluded = {{text, text}};
  EngineInfo& engine = *report.engine;
  engine.kind = engine.version = engine.url = engine.endpoint = engine.model = text;
  engine.metrics_url = "";
  engine.metrics_note = text;
  engine.configuration[text] = {text, text};
  engine.counters[0].family = text;
  report.requests.failures = {{text, 1}};
  for (DeviceEnergy& gpu : report.energy[0].devices) {
    gpu.id = gpu.name = gpu.label = gpu.instrument = gpu.group = text;
    gpu.temperature_mean_c = std::numeric_limits<double>::quiet_NaN();
  }
  report.energy[0].groups = {{text, Joules(1)}};
  report.energy[0].components[0] = {text, std::numeric_limits<double>::infinity(), text, true,
                                    text};
  report.other_gpus = report.energy[0].devices;
  report.instruments[0] = {
      text, text, text, text, "power", text, {}, {}, {0.05, "rectangular", "vendor", text}};
  report.figures[text] = figure(std::numeric_limits<double>::infinity(), -1, text, text, text);
  report.latency[text] = Summary{};
  report.latency[text].unit = report.latency[text].reason = text;
  report.counted_as = PeerView{PeerTool::sglang, text, {{text, text, text, Summary{}}}};
  return report;
}

std::vector<SampleReport> sample_reports() {
  return {{"simulated", simulated_report()},
          {"unusable", unusable_report()},
          {"modelled", modelled_report()},
          {"hostile", hostile_report()},
          {"empty", Report{}}};
}

}  // namespace tokenjoule
