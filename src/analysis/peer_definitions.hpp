#pragma once

#include <vector>

#include "analysis/token_counts.hpp"
#include "model/report.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// The run as that tool would have printed it, had it sent the same requests and seen the same
/// events: which stamps it takes, which requests it counts, what it divides by. Requests of the
/// warm-up are left out, as they would be. Output tokens are those of usage; a tool that counts
/// them by its own tokenizer may print others. Definitions and their sources: docs/methods.md, M39.
PeerView counted_by(PeerTool tool, const Run& run, const std::vector<AnswerTokens>& answers);

}  // namespace tokenjoule
