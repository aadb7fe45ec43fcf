#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sensors/prometheus/promql_answer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  const std::string_view body(reinterpret_cast<const char*>(bytes), size);
  (void)promql_path(body);
  (void)extrapolating_function_in(body);
  const auto answer = promql_answer_in(body);
  if (!answer) return 0;
  for (const PromqlSeries& series : answer->series) {
    (void)text_of(series.labels);
    double last = -HUGE_VAL;
    for (const PromqlSample& sample : series.samples) {
      // In time order, and nothing that is no number.
      if (!std::isfinite(sample.value) || !(sample.unix_s >= last)) __builtin_trap();
      last = sample.unix_s;
    }
  }
  return 0;
}
