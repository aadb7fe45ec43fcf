#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "load/engine_probe.hpp"

namespace tokenjoule {

/// What to read of an engine that others load.
struct MetricsQuestion {
  std::vector<Url> pages;  ///< its metrics pages, whose counters are added up; at least one
  HttpHeaders headers;     ///< sent, never shown
  TlsOptions tls;
  std::optional<std::string> dialect;  ///< absent: found out
  Seconds timeout{3.0};
};

/// Tells an engine by its metrics page, and by a few pages beside it where they answer; sends no
/// request to the model. A page without a path is looked for where the engine keeps it. Errors, of
/// kind missing or usage: a page that cannot be read, an engine that cannot be told or is not the
/// same behind each page, no counter of a known meaning.
Result<ProbedEngine> probe_metrics(const MetricsQuestion& question);

}  // namespace tokenjoule
