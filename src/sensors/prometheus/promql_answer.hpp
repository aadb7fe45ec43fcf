#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

using PromqlLabels = std::map<std::string, std::string>;

struct PromqlSample {
  double unix_s = 0;  ///< the sample's stamp, in Prometheus's own clock
  double value = 0;
};

struct PromqlSeries {
  PromqlLabels labels;                ///< without the metric's name
  std::vector<PromqlSample> samples;  ///< in time order; NaN and infinite ones are left out
};

struct PromqlAnswer {
  std::vector<PromqlSeries> series;
  std::vector<std::string> warnings;
};

/// The body of /api/v1/query (Prometheus HTTP API): a vector, a matrix or a scalar. Errors:
/// `usage` where Prometheus refuses the query (bad_data), `retry` for its other errors and for what
/// is no such answer.
Result<PromqlAnswer> promql_answer_in(std::string_view body);

/// "/api/v1/query?query=…" with the expression made fit for a URL.
std::string promql_path(std::string_view expression);

/// A name for a series: "gpu=0,instance=n7:9400"; "" without labels.
std::string text_of(const PromqlLabels& labels);

/// A function of PromQL that guesses beyond its samples or differs over a range of its own (rate,
/// increase, irate, delta, idelta, deriv, predict_linear), where the expression calls one; else "".
std::string extrapolating_function_in(std::string_view expression);

/// RFC 4648.
std::string base64_of(std::string_view bytes);

}  // namespace tokenjoule
