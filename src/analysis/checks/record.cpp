#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/clock_join.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

/// Request records that the close event counts and the file does not have.
std::int64_t records_gone(const Run& run) {
  if (!run.close) return 0;
  const auto written = run.close->counts.find("request");
  if (written == run.close->counts.end()) return 0;
  return written->second - static_cast<std::int64_t>(run.requests.size());
}

/// A record that was lost before the window began was of an answer that ended before it.
void check_losses(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered lost("records_lost", "write to a faster disk, and read the messages of the run");
  const Run& run = facts.run;
  for (const Loss& loss : run.losses) {
    const bool before = facts.window.span && loss.span.end < facts.window.span->begin;
    if (loss.what != "request_record" || before) continue;
    lost.add(Severity::unusable,
             fmt::format("{} request records were lost: {}", loss.count, loss.reason));
  }
  if (const std::int64_t gone = records_gone(run); gone > 0) {
    lost.add(Severity::unusable, fmt::format("{} request records that were written are not in the "
                                             "file",
                                             gone));
  }
  if (run.left_out.broken_lines > 0) {
    lost.add(Severity::care,
             fmt::format("{} lines of the record cannot be read", run.left_out.broken_lines));
  }
  lost.append_to(findings);
}

void check_failures(const RequestCounts& requests, std::vector<CheckFinding>& findings) {
  if (requests.failed == 0) return;
  const std::int64_t ended = requests.failed + requests.completed;
  const double share = static_cast<double>(requests.failed) / static_cast<double>(ended);
  Gathered failures("failures", "see requests.failures for what they failed of");
  failures.add(share > thresholds::kFailures ? Severity::care : Severity::note,
               fmt::format("{} of {} requests failed", requests.failed, ended));
  failures.append_to(findings);
}

void check_end(const Facts& facts, std::vector<CheckFinding>& findings) {
  if (ran_to_its_end(facts.run)) return;
  Gathered interrupted("interrupted", "measure again, to the end");
  interrupted.add(Severity::care, !facts.run.close ? std::string("the record has no close event")
                                                   : fmt::format("the run ended early: {}",
                                                                 facts.run.close->reason.empty()
                                                                     ? "no reason is given"
                                                                     : facts.run.close->reason));
  interrupted.append_to(findings);
}

}  // namespace

void check_record(const Facts& facts, std::vector<CheckFinding>& findings) {
  check_losses(facts, findings);
  check_failures(facts.requests, findings);
  check_end(facts, findings);
  if (!facts.window.span) return;
  const Seconds length = to_seconds(facts.window.span->length());
  if (length < thresholds::kWindowShort) {
    Gathered brief("window_too_short", "measure for longer: --duration");
    brief.add(Severity::care, fmt::format("the window is {:.2f} s long", length.value()));
    brief.append_to(findings);
  }
  const Nanoseconds step = clock_step_in(facts.run.anchors, *facts.window.span);
  if (step <= thresholds::kClockStep) return;
  Gathered stepped("clock_step", "let the clock be slewed, not set, while measuring");
  stepped.add(Severity::care,
              fmt::format("the wall clock moved by {:.1f} ms against the steady one",
                          1000 * to_seconds(step).value()));
  stepped.append_to(findings);
}

}  // namespace tokenjoule
