#include <algorithm>

#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/measure_setup.hpp"
#include "app/output.hpp"
#include "app/outputs.hpp"
#include "app/record_options.hpp"
#include "app/record_run.hpp"
#include "io/file.hpp"
#include "io/foreground_process.hpp"
#include "load/metrics_probe.hpp"

namespace tokenjoule {

namespace {

namespace fs = std::filesystem;

Result<std::optional<ProbedEngine>> engine_behind(const RecordOptions& options) {
  if (options.metrics.empty()) return std::optional<ProbedEngine>();
  TRY(ProbedEngine engine, probe_metrics({.pages = options.metrics,
                                          .headers = options.headers,
                                          .tls = options.tls,
                                          .dialect = options.dialect}));
  add_stated_settings(engine.info, options.engine_config);
  return std::optional(std::move(engine));
}

std::string plan_of(const RecordOptions& options, const std::optional<ProbedEngine>& engine,
                    const OpenSensors& sensors) {
  std::string text =
      engine
          ? fmt::format("engine     {}, read at {}\n", engine->info.kind, engine->info.metrics_url)
          : std::string("engine     none: energy without tokens (--server-metrics URL)\n");
  text += meters_text(sensors);
  text += !options.command.empty() ? std::string("window     from start to end of the command\n")
          : options.duration       ? fmt::format("window     {} s\n", options.duration->value())
                                   : std::string("window     until Ctrl-C\n");
  return text + "Nothing was recorded (--check).\n";
}

/// A command has the standard output to itself.
void show(const std::string& text, const RecordOptions& options) {
  if (options.command.empty()) {
    put_out(text);
  } else {
    put_error(text);
  }
}

/// The command's own code where there is one.
int exit_code_for(const RecordOutcome& outcome, const Report& report) {
  if (outcome.command_code) return *outcome.command_code;
  return outcome.interrupted ? static_cast<int>(kExitInterrupted) : exit_code_of(report);
}

Result<int> judge(const RecordOutcome& outcome, const RecordOptions& options, const fs::path& out) {
  const auto report = judged(out / "run.jsonl", {});
  if (!report) {
    TRY_DO(outcome.status);
    return unexpected(report.error());
  }
  TRY_DO(write_results(*report, out));
  show(printed({*report}, options.format), options);
  put_error(fmt::format("files: {}\n", out.string()));
  TRY_DO(outcome.status);
  return exit_code_for(outcome, *report);
}

Result<int> run_record(const ParsedOptions& parsed) {
  TRY(const RecordOptions options, record_options_from(parsed));
  const bool around = !options.command.empty();
  if (around) TRY_DO(check_program(options.command.front()));
  InterruptWatcher interrupts(around ? InterruptWatcher::Signals::of_command
                                     : InterruptWatcher::Signals::that_end);
  SystemClock clock;
  TRY(const std::optional<ProbedEngine> engine, engine_behind(options));
  TRY(OpenSensors sensors, open_sensors(options, options.metrics, clock));
  TRY_DO(check_boundary(options, sensors));
  if (options.check_only) {
    put_out(plan_of(options, engine, sensors));
    return kExitUsable;
  }
  const fs::path out = options.out.value_or(default_folder());
  TRY_DO(make_new_folder(out));
  const RecordQuestion question{options, engine, out / "run.jsonl"};
  const RecordOutcome outcome = record_run(question, std::move(sensors), clock, interrupts);
  auto code = judge(outcome, options, out);
  if (code || outcome.command_code.value_or(0) == 0) return code;
  // The command failed, too, and its code is what the caller waits for.
  put_error(line_for(code.error()));
  return *outcome.command_code;
}

}  // namespace

CommandSpec record_command() {
  return {"record",
          "meters only, while others drive the load: for a time, until Ctrl-C, or around a command",
          "tokenjoule record [options] [-- COMMAND …]",
          record_option_specs(),
          {"tokenjoule record --all-gpus --duration 5m",
           "tokenjoule record --all-gpus --server-metrics http://127.0.0.1:8000/metrics",
           "tokenjoule record --all-gpus --idle 10 -- vllm bench serve --model m"},
          1,
          run_record,
          true};
}

}  // namespace tokenjoule
