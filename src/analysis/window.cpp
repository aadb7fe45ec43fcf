#include "analysis/window.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "analysis/counter_energy.hpp"
#include "analysis/integrated_energy.hpp"
#include "analysis/signal_choice.hpp"
#include "analysis/thresholds.hpp"
#include "model/request_ids.hpp"

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

/// Up to when each request sent has its record, of those of one kind that are numbered from
/// `first` in the order of their sending: the first that lacks it was sent no earlier than the one
/// before it.
/// @param open_end whether one more may have been under way than the last that is recorded.
MonoTime recorded_until(const Run& run, bool warmup, std::uint64_t first, bool open_end) {
  std::map<std::uint64_t, MonoTime> begins;
  for (const RequestRecord& request : run.requests) {
    if (request.warmup == warmup) {
      begins[request.id - first] = request.connecting.value_or(request.sent);
    }
  }
  MonoTime until{0};
  std::uint64_t next = 0;
  for (const auto& [number, begin] : begins) {
    if (number >= kTurnStride) return MonoTime{0};  // how many turns there were is not told
    if (number != next++) return until;
    until = begin;
  }
  return open_end ? until : MonoTime{INT64_MAX};
}

/// A record that was cut off lacks the requests under way then, and with them tokens that the
/// energy was spent on: before this instant none is lacking.
MonoTime tokens_told_until(const Run& run) {
  if (run.requests.empty()) return MonoTime{INT64_MAX};  // not our load
  return std::min(recorded_until(run, false, 0, true),
                  recorded_until(run, true, kFirstWarmupId, false));
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
    const MonoTime told = end ? *end : tokens_told_until(run);
    choice.span = TimeSpan{
        *begin, end ? *end : std::min(told, last_covered(run, series, last_evidence(run)))};
    if (told <= *begin) {
      choice.span.reset();
      choice.reason = "the record was cut off while the first requests of its window ran";
      return choice;
    }
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
