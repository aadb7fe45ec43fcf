#include "record/run_reader.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/file.hpp"
#include "record/event_json.hpp"
#include "record/run_writer.hpp"

namespace tokenjoule {
namespace {

/// One event of each kind, with every field set to something that is not its default.
std::vector<Event> one_of_each() {
  RunHeader header{.tool_version = "0.1.0",
                   .run_id = "id",
                   .started = {1'796'000'000'123'456'789},
                   .configuration_json = R"({"concurrency":[1,2]})",
                   .host_json = R"({"cpu":"x"})",
                   .seed = 7,
                   .prompt_nonce = "ab12"};
  Device device{.id = "GPU-1",
                .name = "Card",
                .kind = DeviceKind::gpu,
                .label = "0",
                .group = "prefill",
                .chosen = false,
                .chosen_by = "--gpus",
                .simulated = true,
                .facts = {{"architecture", "Hopper"}, {"pci_address", "0000:3b:00.0"}}};
  Signal signal{.id = 3,
                .sensor = "dcgm",
                .device = "GPU-1",
                .measurand = Measurand::energy,
                .kind = SignalKind::counter,
                .boundary = Boundary::gpu_board,
                .source = "FIELD_156",
                .raw_unit = "mJ",
                .to_si = 0.001,
                .modelled = true,
                .period = Seconds(0.1),
                .averaging = Seconds(1),
                .modulus = 65536.0,
                .accuracy = {0.01, "normal", "certificate", "lab"},
                .driver = "590",
                .calibration = Calibration{1.002, 0.002, "C-17", "2026-03-01"}};
  EngineInfo engine{.kind = "vllm",
                    .version = "0.26",
                    .url = "http://h:1",
                    .model = "m",
                    .endpoint = "/v1/completions",
                    .simulated = true,
                    .token_id_prompts = true,
                    .token_ids_listed = true,
                    .ignore_eos = true,
                    .metrics_url = "http://h:1/metrics",
                    .metrics_note = "n"};
  engine.configuration["max_model_len"] = {"8192", "reported"};
  engine.counters.push_back({EngineMetric::output_tokens,
                             "vllm:generation_tokens_total",
                             CounterClock::per_step,
                             {"engine"},
                             {{"source", "local_compute"}},
                             6,
                             {"tp_rank"}});
  engine.requests = {"done_total", "how", {{RequestLength::output_tokens, "len"}}, {"pid"}};
  engine.limits = {"takes text only"};
  RequestRecord request;
  request.id = 5;
  request.warmup = true;
  request.planned = {1};
  request.stream_free = MonoTime{1500};
  request.sent = {2000};
  request.outcome = Outcome::failed;
  request.failure = "reset";
  request.http_status = 200;
  request.model = "adapter";
  request.input_tokens_asked = 10;
  request.output_tokens_asked = 4;
  request.prompt_tokens = 10;
  request.output_tokens = 4;
  request.cached_tokens = 0;
  request.reasoning_tokens = 1;
  request.finish_reason = "length";
  request.first_body = request.first_choices = request.first_visible = MonoTime{3000};
  request.finish = request.usage = request.done = request.end = MonoTime{9000};
  request.token_times = TokenTimes::in("1350 20x3 0~").value();
  request.token_events = 3;
  request.reused_connection = true;
  request.retries = 1;
  CounterScrape scrape{.read = {{1}, {2}}, .note = "edge"};
  scrape.values[EngineMetric::output_tokens] = 1.23457e6;
  scrape.finished = {{"stop", 3}, {"abort", 1}};
  scrape.lengths[RequestLength::output_tokens] = {{{64, 2}, {128.5, 4}}, 4, 300};
  ClientState client;
  client.span = {{0}, {1'000'000'000}};
  client.stamps = "user";
  client.reads = 9;
  client.reads_late = 1;
  client.reads_coalesced = 2;
  client.lag_histogram[5] = 9;
  client.cpu = Seconds(0.1);
  client.run_queue_wait = Seconds(0.2);
  client.loop_histogram[7] = 3;
  client.threads = {{Seconds(0.1), Seconds(0.2)}, {Seconds(0.3), std::nullopt}};
  client.connections_open = 8;
  client.descriptors_open = 20;
  client.descriptors_allowed = 1024;
  client.local_ports = 28232;
  client.queue_full = Seconds(0.3);
  client.in_flight = 4;
  client.connections_opened = 6;
  return {header,
          device,
          signal,
          engine,
          Sample{{{10}, {20}}, {{3, 0.1}, {4, 123456789}}},
          request,
          scrape,
          Mark{{30}, Phase::cooldown},
          Note{{31}, "a \"note\""},
          ClockAnchor{{{1}, {2}}, {99}},
          Loss{{{1}, {2}}, "poll", "dcgm", 2, "late"},
          client,
          RunClose{{40}, "completed", {{"mark", 1}}}};
}

std::string file_of(const std::vector<Event>& events) {
  std::string bytes;
  for (const Event& event : events) bytes += line_of(event) + '\n';
  return bytes;
}

TEST(EventJson, EveryKindReadsBackToTheSameLine) {
  for (const Event& event : one_of_each()) {
    const std::string line = line_of(event);
    const auto read = event_in(line);
    ASSERT_TRUE(read) << line << ": " << read.error().message;
    ASSERT_TRUE(read->has_value()) << line;
    EXPECT_EQ(line_of(**read), line);
  }
}

TEST(RunReader, ReadsAWholeFile) {
  const auto run = run_in(file_of(one_of_each()), "run.jsonl");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->header.seed, 7U);
  EXPECT_EQ(run->samples.at(0).readings.at(0).raw, 0.1);
  EXPECT_EQ(run->requests.at(0).output_tokens, 4);
  EXPECT_TRUE(run->close);
  EXPECT_FALSE(run->left_out.cut_last_line);
  EXPECT_EQ(run->left_out.lines, 13);
}

TEST(RunReader, TakesAFileCutAtEveryLength) {
  const std::string bytes = file_of(one_of_each());
  const auto first_line_end = bytes.find('\n') + 1;
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const std::string_view cut = std::string_view(bytes).substr(0, length);
    const auto run = run_in(cut, "run.jsonl");
    if (length < first_line_end) {
      EXPECT_FALSE(run) << length;
      continue;
    }
    ASSERT_TRUE(run) << length << ": " << run.error().message;
    EXPECT_EQ(run->left_out.cut_last_line, cut.back() != '\n') << length;
    EXPECT_EQ(run->close.has_value(), length == bytes.size()) << length;
    EXPECT_EQ(run->left_out.broken_lines, 0) << length;
  }
}

TEST(RunReader, SkipsAndCountsKindsOfALaterVersion) {
  auto events = one_of_each();
  const std::string bytes = line_of(events[0]) +
                            "\n{\"event\":\"comment\",\"text\":\"by hand\"}\n" +
                            line_of(events[7]) + '\n';
  const auto run = run_in(bytes, "run.jsonl");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->left_out.unknown_kinds, 1);
  EXPECT_EQ(run->marks.size(), 1U);
}

TEST(RunReader, CountsABrokenLineInTheMiddleAndKeepsTheRest) {
  auto events = one_of_each();
  const std::string bytes =
      line_of(events[0]) + "\n{\"event\":\"mark\",\"at\n" + line_of(events[7]) + '\n';
  const auto run = run_in(bytes, "run.jsonl");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->left_out.broken_lines, 1);
  EXPECT_EQ(run->marks.size(), 1U);
}

TEST(RunReader, KeepsTheFirstRecordOfARequestAndCountsTheOthers) {
  const auto events = one_of_each();
  const std::string request = line_of(events[5]) + '\n';
  const auto run = run_in(line_of(events[0]) + '\n' + request + request, "run.jsonl");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->requests.size(), 1U);
  EXPECT_EQ(run->left_out.repeated_requests, 1);
}

TEST(RunReader, CountsARunJoinedWithItselfOnce) {
  const std::string bytes = file_of(one_of_each());
  const auto run = run_in(bytes + bytes, "run.jsonl");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->requests.size(), 1U);
  EXPECT_EQ(run->samples.size(), 1U);
  EXPECT_EQ(run->left_out.broken_lines, 1);  // the second header
  EXPECT_EQ(run->left_out.repeated_requests, 1);
  EXPECT_EQ(run->left_out.behind_close, 11);
}

TEST(EventJson, NamesTheFieldThatCannotBeNegative) {
  const auto refused = [](std::size_t event, const std::string& from, const std::string& to) {
    std::string line = line_of(one_of_each()[event]);
    const auto at = line.find(from);
    if (at == std::string::npos) return "there is no " + from + " in " + line;
    const auto read = event_in(line.replace(at, from.size(), to));
    return read ? "accepted" : read.error().message;
  };
  const auto names = [](const std::string& message, const std::string& field) {
    return message.find(field) != std::string::npos && message.find("must be") != std::string::npos;
  };
  for (const char* field : {"prompt_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
                            "input_tokens_asked", "output_tokens_asked", "token_events"}) {
    const std::string key = std::string("\"") + field + "\":";
    const std::string message = refused(5, key, key + "-");
    EXPECT_TRUE(names(message, field) || field == std::string("cached_tokens")) << message;
  }
  EXPECT_TRUE(names(refused(2, "\"to_si\":0.001", "\"to_si\":-0.001"), "to_si"));
  EXPECT_TRUE(names(refused(2, "\"period_s\":", "\"period_s\":-"), "period_s"));
  EXPECT_TRUE(names(refused(2, "\"averaging_s\":", "\"averaging_s\":-"), "averaging_s"));
  EXPECT_TRUE(names(refused(2, "\"modulus\":65536", "\"modulus\":-65536"), "modulus"));
  EXPECT_TRUE(names(refused(2, "\"half_width_relative\":", "\"half_width_relative\":-"),
                    "half_width_relative"));
}

TEST(RunReader, RefusesWhatIsNoRunFile) {
  for (const char* bytes :
       {"", "hello\n", "{}\n", "{\"event\":\"mark\",\"at_ns\":1,\"phase\":\"idle\"}\n",
        "{\"event\":\"header\",\"schema\":\"tokenjoule.run/2\"}\n",
        "{\"event\":\"header\",\"schema\":\"other/1\"}\n", "\n"}) {
    const auto run = run_in(bytes, "x.jsonl");
    ASSERT_FALSE(run) << bytes;
    EXPECT_NE(run.error().message.find("x.jsonl is no run file"), std::string::npos);
    EXPECT_FALSE(run.error().hint.empty());
  }
}

TEST(RunWriter, WritesWhatTheQueueGotAndACloseEvent) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tokenjoule_writer_" + std::to_string(getpid()));
  ASSERT_TRUE(make_new_folder(folder));
  SystemClock clock;
  EventQueue queue(2);
  auto writer =
      RunWriter::create(folder / "run.jsonl", RunHeader{.tool_version = "t"}, clock, queue);
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_TRUE((*writer)->close("completed"));
  const auto run = read_run(folder);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->close->reason, "completed");
  EXPECT_EQ(run->close->counts.at("header"), 1);
  EXPECT_EQ(run->anchors.size(), 2U);
  EXPECT_FALSE(
      RunWriter::create(folder / "run.jsonl", RunHeader{}, clock, queue));  // never overwritten
  std::filesystem::remove_all(folder);
}

TEST(EventQueue, CountsWhatItRefusesAndNeverBlocks) {
  EventQueue queue(2);
  for (int i = 0; i < 5; ++i) queue.push(Mark{{i}, Phase::idle});
  EXPECT_EQ(queue.take().size(), 2U);
  EXPECT_EQ(queue.take_refused().at("mark"), 3);
  EXPECT_TRUE(queue.take_refused().empty());
}

}  // namespace
}  // namespace tokenjoule
