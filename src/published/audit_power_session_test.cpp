#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "published/audit_rules.hpp"
#include "published/mlperf_parts.hpp"

namespace tokenjoule {
namespace {

std::vector<AuditFinding> findings_of(const PublishedSet& set, std::string_view code) {
  AuditOptions options;
  options.rules = {audit_rule_named(code)};
  return audit(set, options);
}

// A client of the power measurement whose test ran from 1 000 000 to 1 000 600 s.
PublishedSet powered_run(double clock_gap_s, std::string_view begin, std::string_view end) {
  PublishedSet set;
  set.files = {{"sut/power/client.json", "mlperf"}, {"sut/run_1/mlperf_log_detail.txt", "mlperf"}};
  set.sidecars.push_back({0, kMlperfSession,
                          fmt::format(R"({{"version": "mlcommons/power client v1", "timezone": 0,
           "modules": {{"ptd_client_server.lib.client": "x"}},
           "phases": {{"testing": [[999990, 1], [1000000, 2], [1000600, 3]]}},
           "messages": [{{"cmd": "time", "reply": "999990.0", "cmd_time": {}}}]}})",
                                      999990 - clock_gap_s)});
  const auto line = [](std::string_view key, std::string_view value) {
    return fmt::format(":::MLLOG {{\"key\": \"{}\", \"value\": \"{}\"}}\n", key, value);
  };
  set.sidecars.push_back(
      {1, kMlperfDetailLog, line("power_begin", begin) + line("power_end", end)});
  return set;
}

TEST(Audit, APowerSessionHasOneClockAndItsWindowInItsTest) {
  // 1 000 000 s is 1970-01-12 13:46:40 UTC.
  const std::string_view begin = "01-12-1970 13:47:00.000";
  const std::string_view end = "01-12-1970 13:56:00.000";
  EXPECT_TRUE(findings_of(powered_run(0.1, begin, end), "M10").empty());
  EXPECT_EQ(findings_of(powered_run(0.9, begin, end), "M10").size(), 1U);
  // A whole hour off is a zone, twenty minutes are another run.
  EXPECT_TRUE(
      findings_of(powered_run(0.1, "01-12-1970 14:47:00.000", "01-12-1970 14:56:00.000"), "M10")
          .empty());
  EXPECT_EQ(
      findings_of(powered_run(0.1, "01-12-1970 14:07:00.000", "01-12-1970 14:16:00.000"), "M10")
          .size(),
      1U);
}

}  // namespace
}  // namespace tokenjoule
