#pragma once

#include <string>

#include "app/measure_options.hpp"
#include "load/engine_probe.hpp"

namespace tokenjoule {

/// Refuses a load whose longest request is longer than the engine says that it takes (prompt and
/// answer together, `max_model_len`): a usage error. Of lengths without an upper end the mean
/// counts. What engines add on top (a chat template) is not known here and not counted. Where the
/// engine states nothing, or the data set decides the lengths, nothing is refused. Of several
/// servers the shortest context counts, and the error names its server.
Status check_context(const MeasureOptions& options, const ProbedEngine& engine);

/// How many requests of a data set are longer than the engine takes, in words; "" for none, and
/// where it is not known.
std::string too_long_words(const MeasureOptions& options, const RequestPool& pool,
                           const ProbedEngine& engine);

}  // namespace tokenjoule
