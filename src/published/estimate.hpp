#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "published/footing.hpp"
#include "published/length_fit.hpp"

namespace tokenjoule {

/// A published row that an estimate rests on.
struct EstimateRow {
  std::uint32_t row = 0;  ///< index in PublishedSet::rows
  LengthEnergy published;
};

/// Energy of a query of lengths that nobody published, from the rows of one configuration (all but
/// lengths and day the same) at several lengths.
struct Estimate {
  EnergyKind from = EnergyKind::provisioned;  ///< kind of the rows; the estimate itself is modelled
  PooledText basis;
  bool nominal = true;  ///< lengths asked for; else lengths really used
  std::vector<EstimateRow> rows;
  std::size_t older = 0;  ///< rows of the same lengths from earlier days, set aside
  LengthFit fit;
  double wh = 0;         ///< of the query asked about
  bool outside = false;  ///< the rows would do, but do not enclose the lengths asked about
};

struct Estimates {
  std::vector<Estimate> found;                 ///< kind by kind, the least energy first
  std::map<std::string, std::size_t> refused;  ///< why, and how many configurations
  std::set<std::string> outside;               ///< those of `refused` that are about the span
};

/// An estimate for each configuration whose rows allow it, from the figures of a footing.
Estimates estimates_of(const PublishedSet& set, const Footing& footing,
                       const QueryLengths& lengths);

/// A table for people, with the rows of each of the first `most` estimates.
std::string estimates_text(const PublishedSet& set, const Estimates& estimates,
                           const QueryLengths& lengths, std::size_t most);
/// All of them; docs/published.md says what the members are.
std::string estimates_json(const PublishedSet& set, const Estimates& estimates,
                           const QueryLengths& lengths, std::string_view tool_version);

/// "dsr1, h200 * 8, sglang, fp8, concurrency 64": what the rows of an estimate have in common.
std::string configuration_words(const PublishedResult& row);

}  // namespace tokenjoule
