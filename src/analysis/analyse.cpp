#include "analysis/analyse.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/checks/checks.hpp"
#include "analysis/client_quality.hpp"
#include "analysis/clock_join.hpp"
#include "analysis/engine_counters.hpp"
#include "analysis/engine_requests.hpp"
#include "analysis/facts.hpp"
#include "analysis/figures.hpp"
#include "analysis/full_run.hpp"
#include "analysis/goodput.hpp"
#include "analysis/peer_definitions.hpp"
#include "analysis/provenance.hpp"
#include "analysis/requests.hpp"
#include "analysis/verdict.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// UUIDs that only simulated GPUs carry, through whatever sensor they were read.
constexpr std::string_view kSimulatedGpu = "GPU-51d0";

bool is_simulated(const Run& run) {
  if (run.engine && run.engine->simulated) return true;
  return std::any_of(run.devices.begin(), run.devices.end(), [](const Device& device) {
    return device.simulated || starts_with(device.id, kSimulatedGpu);
  });
}

/// Whether all that is read at `inner` lies inside what is read at `outer`.
bool holds(const Run& run, Boundary outer, Boundary inner) {
  if (contains(outer, inner)) return true;
  const auto outer_devices = counted_devices(run, outer).counted;
  const auto inner_devices = counted_devices(run, inner).counted;
  return std::all_of(inner_devices.begin(), inner_devices.end(), [&](const CountedDevice& part) {
    const Scope inside = scope_of(run, *part.front(), inner);
    return std::any_of(outer_devices.begin(), outer_devices.end(), [&](const CountedDevice& whole) {
      return containment_of(scope_of(run, *whole.front(), outer), inside) == Containment::contains;
    });
  });
}

/// Of the boundaries that lie in no other that is read, one that has the GPUs in it.
Boundary widest_of(const Run& run, const std::vector<Boundary>& read) {
  std::optional<Boundary> widest;
  bool has_gpus = false;
  for (const Boundary boundary : read) {
    const bool inside = std::any_of(read.begin(), read.end(), [&](Boundary other) {
      return other != boundary && holds(run, other, boundary);
    });
    const bool gpus = is_gpu_boundary(boundary) || contains(boundary, Boundary::gpu_board);
    if (inside || (has_gpus && !gpus)) continue;
    widest = boundary;
    has_gpus = gpus;
  }
  return widest.value_or(read.back());
}

/// The boundary asked for; else gpu_board where it is read, else the widest that is.
std::optional<Boundary> headline_of(const Run& run, const Question& question) {
  if (question.headline) return question.headline;
  const auto read = boundaries_read(run);
  if (read.empty()) return std::nullopt;
  const bool board = std::find(read.begin(), read.end(), Boundary::gpu_board) != read.end();
  return board ? Boundary::gpu_board : widest_of(run, read);
}

void measure_boundaries(Facts& facts, TimeSpan window) {
  for (const Boundary boundary : boundaries_read(facts.run)) {
    facts.boundaries.push_back(measured_boundary(facts.run, facts.series, boundary, window));
    BoundaryMeasure& measure = facts.boundaries.back();
    facts.idle_splits[boundary] = split_idle(measure, facts.series, facts.idle, window);
  }
}

Facts facts_of(const Run& run, const Question& question) {
  Facts facts{run, SeriesTable(run), settings_of(run.header), {}};
  facts.window = chosen_window(run, facts.series, question.window);
  facts.headline = headline_of(run, question);
  facts.idle = idle_phase(run);
  const auto& window = facts.window.span;
  if (window) measure_boundaries(facts, *window);
  facts.tokens = token_facts(run, window, facts.settings);
  if (window && !facts.settings.service_level.empty() && !run.requests.empty()) {
    facts.tokens.client.counts.output_good = good_tokens_in(
        run, facts.tokens.answers, *window, facts.settings.service_level, facts.settings.open_loop);
  }
  facts.requests = request_counts(run, facts.tokens.answers, window, facts.settings.open_loop);
  if (const auto finished = window ? finished_by_engine(run, *window) : std::nullopt) {
    facts.requests.in_window = *finished;
    facts.requests.completed = std::llround(*finished);
    facts.requests.planned = facts.requests.failed = facts.requests.cancelled = std::nullopt;
  }
  facts.client = client_quality(run, window);
  return facts;
}

void report_provenance(Report& report, const Facts& facts, const Question& question) {
  const Run& run = facts.run;
  report.result_id = question.result_id;
  report.tool_version =
      question.tool_version.empty() ? run.header.tool_version : question.tool_version;
  report.strict = question.strict;
  report.simulated = is_simulated(run);
  report.engine = run.engine;
  report.configuration_json = run.header.configuration_json;
  report.host_json = run.header.host_json;
  report.seed = run.header.seed;
  report.prompt_nonce = run.header.prompt_nonce;
  report.interrupted = !ran_to_its_end(run);
  report.record_file = run.file_name;
  report.record_sha256 = run.sha256;
  report.included = included_in(facts);
  report.excluded = excluded_from(facts);
  report.instruments = instruments_of(facts);
}

void report_window(Report& report, const Facts& facts) {
  const auto& span = facts.window.span;
  report.window_reason = facts.window.reason;
  if (!span) return;
  report.window = Window{*span, wall_time_at(facts.run.anchors, span->begin),
                         wall_time_at(facts.run.anchors, span->end), facts.window.chosen_by};
  report.engine_state = engine_state_in(facts.run, *span);
  report.engine_requests = engine_requests_in(facts.run, *span);
  report.other_gpus = other_gpus(facts.run, facts.series, *span);
}

/// Idle power of the headline's devices together; absent as soon as one of them is unknown.
std::optional<Watts> idle_watts(const BoundaryMeasure& measure) {
  std::optional<Watts> sum;
  for (const DeviceMeasure& device : measure.devices) {
    if (!device.line.idle_power) return std::nullopt;
    sum = sum.value_or(Watts()) + *device.line.idle_power;
  }
  return sum;
}

IdleReport idle_report(const Facts& facts) {
  IdleReport report;
  if (!facts.run.engine) report.state = "as_found";
  report.reason = facts.idle.reason;
  if (!facts.idle.span) return report;
  report.duration = to_seconds(facts.idle.span->length());
  const BoundaryMeasure* measure = facts.headline ? facts.at(*facts.headline) : nullptr;
  if (facts.idle.engine_busy) {
    report.reason = "requests were running";
  } else if (measure == nullptr) {
    report.reason = "no energy was measured";
  } else if (!facts.idle_splits.at(*facts.headline).flat) {
    report.reason = "power was not steady";
  } else {
    report.watts = idle_watts(*measure);
    if (!report.watts) report.reason = "too few readings in the idle phase";
  }
  return report;
}

FigureInputs figure_inputs(const Facts& facts) {
  FigureInputs inputs;
  inputs.tokens = &facts.tokens.client.counts;
  inputs.token_start_bound = facts.tokens.client.start_bound;
  inputs.token_end_bound = facts.tokens.client.end_bound;
  inputs.queries = facts.requests.in_window;
  inputs.no_energy_reason = "no energy was measured";
  const auto& window = facts.window.span;
  if (!window) return inputs;
  inputs.duration = to_seconds(window->length());
  if (facts.run.requests.empty()) return inputs;
  inputs.in_flight = mean_in_flight(facts.run, *window);
  if (facts.settings.service_level.empty()) return inputs;
  inputs.goodput = goodput_in(facts.run, facts.tokens.answers, *window,
                              facts.settings.service_level, facts.settings.open_loop);
  return inputs;
}

void report_figures(Report& report, const Facts& facts) {
  FigureInputs inputs = figure_inputs(facts);
  if (report.engine_requests) inputs.queries_by_engine = report.engine_requests->completed;
  report.figures = figures_of(inputs);
  for (const BoundaryMeasure& measure : facts.boundaries) {
    const Boundary boundary = measure.energy.boundary;
    inputs.energy = &measure.energy;
    inputs.no_energy_reason = spoilt_by(report.verdict, boundary, report.strict);
    report.figures_by_boundary[boundary] = figures_of(inputs);
    if (boundary != facts.headline) continue;
    report.figures = report.figures_by_boundary[boundary];
    report.modelled =
        std::any_of(measure.devices.begin(), measure.devices.end(),
                    [](const DeviceMeasure& device) { return device.line.method == "modelled"; });
  }
}

void report_full_run(Report& report, const Facts& facts) {
  const bool measured = facts.headline && facts.at(*facts.headline) != nullptr;
  const auto boundary = measured ? facts.headline : std::nullopt;
  std::string spoilt =
      measured ? spoilt_by(report.verdict, *boundary, report.strict) : std::string();
  // What was under way had a part of the energy, and no record has its tokens.
  if (spoilt.empty() && facts.window.cut_short) spoilt = "the record was cut off under load";
  report.full_run = full_run_of(facts.run, facts.series, facts.tokens, boundary, spoilt);
  if (facts.settings.harness.empty()) return;
  report.harness_name = facts.settings.harness;
  report.harness = harness_run_of(facts.run, facts.series, facts.tokens, boundary, spoilt);
}

}  // namespace

Report analyse(const Run& run, const Question& question) {
  const Facts facts = facts_of(run, question);
  Report report;
  report_provenance(report, facts, question);
  report_window(report, facts);
  report.boundary = facts.headline;
  report.verdict = verdict_of(all_findings(facts), facts.headline, question.strict);
  const MeanLengths lengths = mean_lengths(run, facts.tokens.answers);
  report.input_len_mean = lengths.input;
  report.output_len_mean = lengths.output;
  report.requests = facts.requests;
  report.tokens = facts.tokens.client.counts;
  for (const BoundaryMeasure& measure : facts.boundaries) report.energy.push_back(measure.energy);
  report.idle = idle_report(facts);
  report.latency =
      latencies(run, facts.tokens.answers, facts.window.span, facts.settings.open_loop);
  if (question.definitions) {
    report.counted_as = counted_by(*question.definitions, run, facts.tokens.answers);
  }
  report.client = facts.client;
  report.client.limited =
      std::any_of(report.verdict.reasons.begin(), report.verdict.reasons.end(),
                  [](const CheckFinding& finding) { return finding.code == "client_limited"; });
  report_figures(report, facts);
  report_full_run(report, facts);
  return report;
}

}  // namespace tokenjoule
