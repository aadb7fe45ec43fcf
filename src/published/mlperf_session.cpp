#include <algorithm>
#include <cmath>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "published/mlperf_logs.hpp"

namespace tokenjoule {

namespace {

/// Each "time" asks the other machine for its clock: the gap between the answer and the own clock.
std::optional<double> largest_gap(const JsonView& messages) {
  std::optional<double> largest;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i]["cmd"].string() != "time") continue;
    const auto there = number_in(messages[i]["reply"].string().value_or(""));
    const auto here = messages[i]["cmd_time"].number();
    if (there && here) largest = std::max(largest.value_or(0), std::abs(*there - *here));
  }
  return largest;
}

}  // namespace

bool is_power_session(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 16 * 1024);
  return starts_with(trimmed(head.substr(0, 64)), "{") &&
         head.find("\"mlcommons/power client v") != std::string_view::npos &&
         head.find("\"timezone\"") != std::string_view::npos;
}

Result<PowerSession> power_session_in(std::string_view bytes) {
  TRY(const auto document, JsonDocument::parse(bytes));
  const JsonView root = document.root();
  PowerSession session;
  session.zone_s = root["timezone"].number().value_or(0);
  // Only the client knows the configuration of the meter and asks for the other's clock.
  session.is_client = root["modules"]["ptd_client_server.lib.client"].present();
  const JsonView testing = root["phases"]["testing"];
  session.testing_begin_s = testing[1][0].number();
  session.testing_end_s = testing[2][0].number();
  if (session.is_client) session.clock_gap_s = largest_gap(root["messages"]);
  return session;
}

}  // namespace tokenjoule
