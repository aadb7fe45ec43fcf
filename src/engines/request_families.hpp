#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engines/prometheus_text.hpp"
#include "model/engine.hpp"

namespace tokenjoule {

/// Where the page tells of finished requests: how they ended (the counter of finished requests
/// where a label splits it) and how long they were. What the page lacks is left empty.
/// @param counters those found on the page, with their meaning.
RequestFamilies request_families_on(const PrometheusPage& page,
                                    const std::vector<EngineCounter>& counters);

/// Requests finished since the engine's start, by the label's value. Empty where none is told, or
/// the page contradicts itself.
std::map<std::string, double> finished_on(const PrometheusPage& page,
                                          const RequestFamilies& families);

/// The histograms as they stand, those of several engines on one page added up. One that is not
/// whole (no "+Inf", no sum, counts that fall) is left out.
std::map<RequestLength, LengthHistogram> lengths_on(const PrometheusPage& page,
                                                    const RequestFamilies& families);

/// Those of several pages as one; where the bounds differ there is none.
std::optional<LengthHistogram> joined(const LengthHistogram& a, const LengthHistogram& b);

}  // namespace tokenjoule
