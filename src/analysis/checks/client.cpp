#include <fmt/core.h>

#include "analysis/checks/checks.hpp"
#include "analysis/thresholds.hpp"

namespace tokenjoule {

namespace {

/// The requests that were never sent waited longest of all, and no latency has them.
void check_cap(const Facts& facts, std::vector<CheckFinding>& findings) {
  Gathered capped("concurrency_capped", "allow more streams (-c), or take a lower rate");
  if (const auto wait = facts.client.stream_wait_p99; wait && *wait > thresholds::kStreamWait) {
    capped.add(Severity::note,
               fmt::format("one request in a hundred waited {:.3g} s or longer for a free stream: "
                           "the cap, not the rate, decided the load",
                           wait->value()));
  }
  const auto unsent = static_cast<double>(facts.requests.never_sent.value_or(0));
  const auto planned = static_cast<double>(facts.requests.planned.value_or(0));
  if (unsent > thresholds::kNeverSent * planned) {
    capped.add(Severity::note,
               fmt::format("{:.0f} of {:.0f} planned requests were never sent, since no stream was "
                           "free until the load ended: they are in no latency",
                           unsent, planned));
  }
  capped.append_to(findings);
}

}  // namespace

void check_client(const Facts& facts, std::vector<CheckFinding>& findings) {
  const ClientQuality& client = facts.client;
  Gathered limited(
      "client_limited",
      "give the load client more or faster CPU cores (--load-threads N uses N of them), "
      "or run it on another machine; tokenjoule selftest shows what one holds");
  const double late = client.late_share.value_or(0);
  if (late > thresholds::kLateReads) {
    limited.add(late > thresholds::kLateReadsSpoil ? Severity::unusable : Severity::care,
                fmt::format("{:.1f} % of the reads came more than 5 ms late", 100 * late));
  }
  if (const double share = client.coalesced_share.value_or(0);
      share > thresholds::kCoalescedReads) {
    limited.add(Severity::care, fmt::format("{:.2f} % of the reads held several events while "
                                            "lagging",
                                            100 * share));
  }
  if (const auto p99 = client.send_lateness_p99; p99 && *p99 > thresholds::kSendLateness) {
    limited.add(Severity::care, fmt::format("one request in a hundred was sent {:.1f} ms late or "
                                            "later",
                                            1000 * p99->value()));
  }
  if (const double share = client.queue_full_share.value_or(0); share > thresholds::kQueueFull) {
    limited.add(Severity::care,
                fmt::format("the client could not read for {:.2f} % of the window", 100 * share));
  }
  for (const char* lacking : {"no_port", "no_descriptor"}) {
    const auto failed = facts.requests.failures.find(lacking);
    if (failed == facts.requests.failures.end()) continue;
    limited.add(Severity::care, fmt::format("{} requests failed as {}", failed->second, lacking));
  }
  limited.append_to(findings);
  check_cap(facts, findings);
}

}  // namespace tokenjoule
