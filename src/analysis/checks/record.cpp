#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/clock_join.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

struct KindCount {
  const char* kind;
  std::size_t kept;
};

/// Compares what the close event counts with what the file has. Requests weigh most: tokens are
/// counted by them.
void check_counts(const Run& run, Gathered& lost) {
  if (!run.close) return;
  const KindCount kinds[] = {{"request", run.requests.size()}, {"sample", run.samples.size()},
                             {"counters", run.scrapes.size()}, {"mark", run.marks.size()},
                             {"loss", run.losses.size()},      {"client", run.client.size()},
                             {"signal", run.signals.size()},   {"device", run.devices.size()}};
  for (const KindCount& kind : kinds) {
    const auto written = run.close->counts.find(kind.kind);
    if (written == run.close->counts.end()) continue;
    const auto kept = static_cast<std::int64_t>(kind.kept);
    if (written->second == kept) continue;
    const bool request = std::string_view(kind.kind) == "request";
    lost.add(request ? Severity::unusable : Severity::care,
             fmt::format("{} {} records were written, the file has {}", written->second, kind.kind,
                         kept));
  }
}

void check_left_out(const Run::LeftOut& left_out, Gathered& lost) {
  if (left_out.repeated_requests > 0) {
    lost.add(Severity::unusable, fmt::format("{} records are of requests that the file has already",
                                             left_out.repeated_requests));
  }
  if (left_out.behind_close > 0) {
    lost.add(Severity::care,
             fmt::format("{} events stand behind the close event", left_out.behind_close));
  }
  if (left_out.broken_lines > 0) {
    lost.add(Severity::care,
             fmt::format("{} lines of the record cannot be read", left_out.broken_lines));
  }
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
  check_counts(run, lost);
  check_left_out(run.left_out, lost);
  lost.append_to(findings);
}

void check_failures(const RequestCounts& requests, std::vector<CheckFinding>& findings) {
  const std::int64_t failed = requests.failed.value_or(0);
  if (failed == 0) return;
  const std::int64_t ended = failed + requests.completed;
  const double share = static_cast<double>(failed) / static_cast<double>(ended);
  Gathered failures("failures", "see requests.failures for what they failed of");
  failures.add(share > thresholds::kFailures ? Severity::care : Severity::note,
               fmt::format("{} of {} requests failed", failed, ended));
  failures.append_to(findings);
}

void check_identity(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered unverified("tls_not_verified",
                      "measure with --cacert FILE instead of --insecure, so that it is proven");
  for (const std::string& server : facts.settings.unverified) {
    unverified.add(Severity::note,
                   fmt::format("{} was not checked to be the server that it says it is", server));
  }
  unverified.append_to(findings);
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
  check_identity(facts, findings);
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
