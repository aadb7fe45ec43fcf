#pragma once

#include <optional>

#include "app/measure_options.hpp"
#include "load/engine_probe.hpp"
#include "load/load_options.hpp"

namespace tokenjoule {

/// Reads the data set that the options name, if they do, and settles what depends on it: a data set
/// with times, and no rate given, is replayed by them. Counts its texts by the engine where that is
/// possible. Errors: the file, or options that do not go with it.
Result<std::optional<RequestPool>> data_set_for(MeasureOptions& options,
                                                const ProbeQuestion& question,
                                                const ProbedEngine& engine);

/// Where requests of a point come from, and when, put into `load`. The pool must outlive the load.
void add_data(LoadOptions& load, const MeasureOptions& options, const LoadPoint& point,
              const RequestPool* pool);

}  // namespace tokenjoule
