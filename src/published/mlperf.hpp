#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// MLPerf Inference: summaries of results (`summary_results.json` of v4.1 to v6.0 and the shape of
/// v6.1), and what stands beside them: descriptions of systems, loadgen's logs, and the power logs
/// of a measured run. See docs/published.md.
bool recognises_mlperf(std::string_view bytes);
void read_mlperf(const FileContent& content, PublishedSet& into);

/// Joins systems, loadgen's logs and power logs with the rows of the summaries. A run whose summary
/// is not there becomes a row of its own.
void join_mlperf(PublishedSet& set);

}  // namespace tokenjoule
