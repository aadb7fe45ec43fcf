#include <algorithm>

#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/context_fit.hpp"
#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/measure_data.hpp"
#include "app/measure_point.hpp"
#include "app/measure_setup.hpp"
#include "app/output.hpp"
#include "app/outputs.hpp"
#include "io/file.hpp"
#include "load/descriptor_limit.hpp"

namespace tokenjoule {

namespace {

namespace fs = std::filesystem;

/// Folder of one point: the output folder itself, or a part of it where several are measured.
fs::path folder_of(const MeasureOptions& options, const fs::path& out, const LoadPoint& point) {
  return options.points.size() == 1 ? out : out / point.name();
}

int exit_code_of_points(const std::vector<Report>& reports, bool interrupted) {
  if (interrupted) return kExitInterrupted;
  int code = kExitUsable;
  for (const Report& report : reports) code = std::max(code, exit_code_of(report));
  return code;
}

/// Points measured so far, and what ended the series before its time.
struct Points {
  std::vector<Report> reports;
  Status status;
};

/// Measures one point and judges what its record holds, also where it failed on the way.
Status add_point(Points& points, const PointQuestion& question, OpenSensors sensors,
                 SystemClock& clock, const std::stop_token& stop) {
  const Status measured = measure_point(question, std::move(sensors), clock, stop);
  const auto report = judged(question.record, {});
  if (!report) return measured ? unexpected(report.error()) : measured;
  points.reports.push_back(*report);
  const Status written = write_results(*report, question.record.parent_path());
  return measured ? written : measured;
}

Points measure_points(const PointQuestion& common, OpenSensors sensors, SystemClock& clock,
                      const fs::path& out, const std::stop_token& stop) {
  const MeasureOptions& options = common.options;
  Points points;
  for (const LoadPoint& point : options.points) {
    if (stop.stop_requested()) break;
    const fs::path folder = folder_of(options, out, point);
    if (folder != out) points.status = make_new_folder(folder);
    if (points.status && &point != &options.points.front()) {
      auto opened = open_sensors(options, engine_urls(options), clock);
      if (opened) sensors = std::move(*opened);
      if (!opened) points.status = unexpected(std::move(opened).error());
    }
    if (!points.status) break;
    PointQuestion question = common;
    question.point = point;
    question.record = folder / "run.jsonl";
    points.status = add_point(points, question, std::move(sensors), clock, stop);
    if (!points.status) break;
  }
  return points;
}

/// Refuses before anything is asked or written what could not be begun later.
Status allow_streams(const MeasureOptions& options) {
  std::int64_t most = 0;
  for (const LoadPoint& point : options.points) most = std::max(most, point.concurrency);
  return allow_descriptors(static_cast<std::uint64_t>(most));
}

/// As long as a server asks that refuses to answer for now. False: interrupted.
bool wait_for_server(Seconds wait, Clock& clock, const std::stop_token& stop) {
  put_error(fmt::format("the server asks to wait {:.0f} s (Retry-After); waiting\n", wait.value()));
  return clock.sleep_until(clock.now() + to_nanoseconds(wait), stop);
}

/// An engine that fails to answer while the user ends the program is no fault of the engine's.
Result<ProbedEngine> reach_unless_interrupted(const MeasureOptions& options,
                                              const ProbeQuestion& question,
                                              const InterruptWatcher& interrupts) {
  auto engine = reach_engine(options, question);
  const bool interrupted = interrupts.signal() != 0;
  if (engine || !interrupted || engine.error().kind == ErrorKind::interrupted) return engine;
  return failure(ErrorKind::interrupted,
                 "interrupted before the load began; up to then: " + engine.error().message);
}

Result<int> run_measure(const ParsedOptions& parsed) {
  TRY(MeasureOptions options, measure_options_from(parsed));
  TRY_DO(allow_streams(options));
  InterruptWatcher interrupts;
  SystemClock clock;
  TRY(ProbeQuestion probe, probe_question_of(options));
  probe.wait = [&](Seconds wait) { return wait_for_server(wait, clock, interrupts.token()); };
  TRY(const ProbedEngine engine, reach_unless_interrupted(options, probe, interrupts));
  TRY_DO(check_context(options, engine));
  TRY(const auto pool, data_set_for(options, probe, engine));
  if (pool) put_error(too_long_words(options, *pool, engine));
  TRY(OpenSensors sensors, open_sensors(options, engine_urls(options), clock));
  TRY_DO(check_boundary(options, sensors));
  if (options.check_only) {
    put_out(plan_text(options, engine, sensors));
    return kExitUsable;
  }
  const fs::path out = options.out.value_or(default_folder());
  TRY_DO(make_new_folder(out));
  const PointQuestion common{options, probe, engine, {}, pool ? &*pool : nullptr, {}};
  const Points points = measure_points(common, std::move(sensors), clock, out, interrupts.token());
  const auto& reports = points.reports;
  const Status joined = reports.size() > 1 ? write_points(reports, out) : Status();
  if (!reports.empty()) put_out(printed(reports, options.format));
  std::error_code kept;  // a folder with something in it stays
  put_error(fs::remove(out, kept) ? "nothing was measured, and no file was written\n"
                                  : fmt::format("files: {}\n", out.string()));
  TRY_DO(points.status);
  TRY_DO(joined);
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
