#include "selftest/client_guard.hpp"

#include <vector>

#include "analysis/checks/checks.hpp"
#include "analysis/client_quality.hpp"

namespace tokenjoule {

std::string why_client_limited(const TurnReading& reading, Seconds window) {
  Run run;
  ClientState state = reading.arrivals.state();
  state.span = {MonoTime{}, mono_at(window)};
  state.cpu = reading.cpu;
  state.run_queue_wait = reading.run_queue_wait;
  state.queue_full = reading.queue_full;
  run.client.push_back(std::move(state));
  Facts facts{run, SeriesTable(run), {}, {}};
  facts.client = client_quality(run, run.client.front().span);
  std::vector<CheckFinding> findings;
  check_client(facts, findings);
  std::string why;
  for (const CheckFinding& finding : findings) {
    if (!why.empty()) why += "; ";
    why += finding.message;
  }
  return why;
}

}  // namespace tokenjoule
