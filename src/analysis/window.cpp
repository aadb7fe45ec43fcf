#include "analysis/window.hpp"

#include <algorithm>

#include "analysis/counter_energy.hpp"
#include "analysis/integrated_energy.hpp"
#include "analysis/signal_choice.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

std::optional<MonoTime> end_mark(const Run& run, MonoTime begin) {
  for (const Mark& mark : run.marks) {
    const bool ends =
        mark.phase == Phase::cooldown || mark.phase == Phase::drain || mark.phase == Phase::end;
    if (ends && mark.at >= begin) return mark.at;
  }
  return std::nullopt;
}

/// The last instant whose energy can be told from this signal.
std::optional<MonoTime> covered_until(const SeriesTable& series, const Signal& signal) {
  const Series& readings = series.of(signal.id);
  if (signal.kind == SignalKind::gauge) {
    const PowerCurve curve = power_curve(readings, signal);
    return curve.empty() ? std::nullopt : std::optional(curve.back().at);
  }
  const CounterCurve curve = counter_curve(readings, signal);
  for (auto level = curve.levels.rbegin(); level != curve.levels.rend(); ++level) {
    if (level->step_at) return level->step_at;
  }
  return std::nullopt;
}

/// The latest instant up to `latest`, and not long before it, at which every chosen device is
/// covered.
MonoTime last_covered(const Run& run, const SeriesTable& series, MonoTime latest) {
  MonoTime end = latest;
  for (const Device* device : distinct_devices(run)) {
    std::optional<MonoTime> until;
    for (const Signal& signal : run.signals) {
      const bool energy = signal.measurand == Measurand::energy;
      const bool power = signal.measurand == Measurand::power;
      if (!device->chosen || signal.device != device->id || (!energy && !power)) continue;
      until = std::max(until, covered_until(series, signal));
    }
    if (until && *until >= latest - thresholds::kInterruptedTail) end = std::min(end, *until);
  }
  return end;
}

}  // namespace

MonoTime last_evidence(const Run& run) {
  MonoTime last{0};
  const auto take = [&](MonoTime at) { last = std::max(last, at); };
  if (run.close) take(run.close->at);
  if (!run.samples.empty()) take(run.samples.back().read.end);
  if (!run.scrapes.empty()) take(run.scrapes.back().read.end);
  for (const RequestRecord& request : run.requests) take(request.end.value_or(request.sent));
  for (const Mark& mark : run.marks) take(mark.at);
  for (const Note& note : run.notes) take(note.at);
  for (const ClientState& state : run.client) take(state.span.end);
  return last;
}

bool ran_to_its_end(const Run& run) { return run.close && run.close->reason == "completed"; }

WindowChoice chosen_window(const Run& run, const SeriesTable& series,
                           std::optional<TimeSpan> asked_for) {
  WindowChoice choice;
  if (asked_for) {
    choice.chosen_by = "option";
    choice.span = asked_for;
  } else if (const auto begin = start_of(run, Phase::measure)) {
    const auto end = end_mark(run, *begin);
    choice.cut_short = !end;
    choice.span = TimeSpan{*begin, end ? *end : last_covered(run, series, last_evidence(run))};
  } else {
    choice.reason = "the record has no measuring phase";
    return choice;
  }
  if (choice.span->begin < choice.span->end) return choice;
  choice.span.reset();
  choice.reason = "the window has no length";
  return choice;
}

}  // namespace tokenjoule
