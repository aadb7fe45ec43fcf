#include <map>
#include <string>

#include "published/audit/checks.hpp"
#include "published/mlperf_parts.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kMostClockGap = 0.8;
constexpr double kHour = 3600;
constexpr int kMostHours = 14;  ///< that a zone may be off

/// The folder that holds "run_1/mlperf_log_detail.txt" and "power/client.json" alike.
std::string run_of(const PublishedSet& set, const Sidecar& sidecar) {
  return std::string(folder_of(folder_of(set.files[sidecar.file].name)));
}

/// A stamp without a zone may be off by whole hours: one shift must fit both ends.
bool lies_inside(double begin, double end, double from, double to) {
  for (int hours = -kMostHours; hours <= kMostHours; ++hours) {
    if (begin + hours * kHour >= from && end + hours * kHour <= to) return true;
  }
  return false;
}

void check_window(const Sidecar& detail, const PowerSession& session, AuditReport& report) {
  const LoadgenDetail read = loadgen_detail_in(detail.bytes);
  if (!read.power_begin_s || !read.power_end_s || !session.testing_begin_s ||
      !session.testing_end_s)
    return;
  if (lies_inside(*read.power_begin_s, *read.power_end_s, *session.testing_begin_s,
                  *session.testing_end_s))
    return;
  report.add_on_file(detail.file, warning, "power was averaged outside of the testing phase",
                     {{"begin_s", *read.power_begin_s},
                      {"end_s", *read.power_end_s},
                      {"testing_begin_s", *session.testing_begin_s},
                      {"testing_end_s", *session.testing_end_s}});
}

}  // namespace

void check_power_sessions(const AuditSet& set, AuditReport& report) {
  std::map<std::string, PowerSession> clients;
  for (const Sidecar& sidecar : set.set->sidecars) {
    if (sidecar.kind != kMlperfSession) continue;
    const auto session = power_session_in(sidecar.bytes);
    if (!session || !session->is_client) continue;
    if (session->clock_gap_s.value_or(0) > kMostClockGap)
      report.add_on_file(sidecar.file, warning, "the clocks of both machines are apart",
                         {{"clock_gap_s", *session->clock_gap_s}});
    clients.emplace(run_of(*set.set, sidecar), *session);
  }
  for (const Sidecar& sidecar : set.set->sidecars) {
    if (sidecar.kind != kMlperfDetailLog) continue;
    const auto client = clients.find(run_of(*set.set, sidecar));
    if (client != clients.end()) check_window(sidecar, client->second, report);
  }
}

}  // namespace tokenjoule
