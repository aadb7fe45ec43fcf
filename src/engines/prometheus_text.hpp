#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

struct PrometheusSample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;  ///< may be NaN or infinite
  std::string line;  ///< as written, for messages

  std::optional<std::string_view> label(std::string_view name) const;
};

struct PrometheusFamily {
  std::string name;
  std::string type;  ///< counter, gauge, histogram, summary, untyped, …
  std::string help;
  std::vector<PrometheusSample> samples;
};

/// A metrics page in Prometheus text 0.0.4, 1.0.0 or OpenMetrics 1.0.
struct PrometheusPage {
  std::vector<PrometheusFamily> families;
  int lines_refused = 0;  ///< lines that could not be read
  std::string first_refused;
  std::set<std::string>
      refused_names;       ///< names that such lines begin with, as far as they have one
  bool truncated = false;  ///< the last line had no end and was dropped

  const PrometheusFamily* family(std::string_view name) const;
  /// All samples of that very name, whatever family they stand in.
  std::vector<const PrometheusSample*> samples_named(std::string_view name) const;
};

/// HTML, JSON and empty bodies are errors; single bad lines are counted.
/// @param content_type decides the dialect; "" = by "# EOF".
Result<PrometheusPage> prometheus_page(std::string_view text, std::string_view content_type = {});

}  // namespace tokenjoule
