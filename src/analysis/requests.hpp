#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/token_counts.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// Requests of the run by outcome; `planned` are also those that were never sent; `in_window`: sum
/// over completed ones of the share of [sent, last token] that lies in the window.
RequestCounts request_counts(const Run& run, const std::vector<AnswerTokens>& answers,
                             std::optional<TimeSpan> window, bool open_loop);

/// Mean number of requests between send and end, over the window.
double mean_in_flight(const Run& run, TimeSpan window);

/// Mean prompt and output length over the completed requests of the run, as counted.
struct MeanLengths {
  std::optional<double> input, output;
};
MeanLengths mean_lengths(const Run& run, const std::vector<AnswerTokens>& answers);

/// Whether a request is one of those that the window asks about: sent in it, with open load planned
/// in it. A server that stands still at the window's end lets what was planned there go out behind
/// it, and would be hidden by the time of the send.
bool asked_in(const RequestRecord& request, TimeSpan window, bool open_loop);

/// Latencies of the requests that were asked in the window and completed, by the keys of
/// docs/metrics.md. Open loop: from the planned send time, so that a stalled client hides nothing.
std::map<std::string, Summary> latencies(const Run& run, const std::vector<AnswerTokens>& answers,
                                         std::optional<TimeSpan> window, bool open_loop);

}  // namespace tokenjoule
