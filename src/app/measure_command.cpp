#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/measure_point.hpp"
#include "app/measure_setup.hpp"
#include "app/outputs.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

namespace fs = std::filesystem;

/// Folder of one point: the output folder itself, or a part of it where several are measured.
fs::path folder_of(const MeasureOptions& options, const fs::path& out, std::int64_t concurrency) {
  return options.concurrency.size() == 1 ? out : out / fmt::format("c{}", concurrency);
}

std::string default_folder() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("tokenjoule-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
}

/// Measures one point and judges it. Also where it failed on the way, the record is judged.
Result<Report> measured(const PointQuestion& question, OpenSensors sensors, SystemClock& clock,
                        const std::stop_token& stop) {
  TRY_DO(measure_point(question, std::move(sensors), clock, stop));
  TRY(Report report, judged(question.record, {}));
  TRY_DO(write_results(report, question.record.parent_path()));
  return report;
}

int exit_code_of_points(const std::vector<Report>& reports, bool interrupted) {
  if (interrupted) return kExitInterrupted;
  int code = kExitUsable;
  for (const Report& report : reports) code = std::max(code, exit_code_of(report));
  return code;
}

Result<std::vector<Report>> measure_points(const MeasureOptions& options,
                                           const ProbeQuestion& probe, const ProbedEngine& engine,
                                           OpenSensors sensors, SystemClock& clock,
                                           const fs::path& out, const std::stop_token& stop) {
  std::vector<Report> reports;
  for (const std::int64_t concurrency : options.concurrency) {
    if (stop.stop_requested()) break;
    const fs::path folder = folder_of(options, out, concurrency);
    if (folder != out) TRY_DO(make_new_folder(folder));
    if (!reports.empty()) {
      TRY(sensors, open_sensors(options, clock));
    }
    const PointQuestion question{options, probe, engine, concurrency, folder / "run.jsonl"};
    auto report = measured(question, std::move(sensors), clock, stop);
    if (!report) return unexpected(std::move(report).error().in(fmt::format("c={}", concurrency)));
    reports.push_back(std::move(*report));
  }
  return reports;
}

Result<int> run_measure(const ParsedOptions& parsed) {
  TRY(const MeasureOptions options, measure_options_from(parsed));
  InterruptWatcher interrupts;
  SystemClock clock;
  TRY(const ProbeQuestion probe, probe_question_of(options));
  TRY(const ProbedEngine engine, reach_engine(options, probe));
  TRY(OpenSensors sensors, open_sensors(options, clock));
  if (options.check_only) {
    fmt::print("{}", plan_text(options, engine, sensors));
    return kExitUsable;
  }
  const fs::path out = options.out.value_or(default_folder());
  TRY_DO(make_new_folder(out));
  TRY(const auto reports,
      measure_points(options, probe, engine, std::move(sensors), clock, out, interrupts.token()));
  if (reports.size() > 1) TRY_DO(write_points(reports, out));
  if (!reports.empty()) fmt::print("{}", printed(reports, options.format));
  fmt::print(stderr, "files: {}\n", out.string());
  return exit_code_of_points(reports, interrupts.signal() != 0);
}

}  // namespace

CommandSpec measure_command() {
  return {
      "measure",
      "energy per token of an engine under a known load",
      "tokenjoule measure --url URL [options]",
      measure_option_specs(),
      {"tokenjoule measure --url http://127.0.0.1:8000 --all-gpus -c 64",
       "tokenjoule measure -u http://127.0.0.1:8000 --gpus 0,1 -c 8,64,256 --isl 1024 --osl 1024",
       "tokenjoule measure -u http://gpu7:8000 --sensor dcgm:url=http://gpu7:9400/metrics "
       "--all-gpus --check"},
      0,
      run_measure};
}

}  // namespace tokenjoule
