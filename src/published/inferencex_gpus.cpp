#include <cmath>

#include "published/inferencex_row.hpp"

namespace tokenjoule {

namespace {

constexpr double kWholeWithin = 0.01;  ///< how far a derived number of GPUs may be from a whole one

/// Tensor, pipeline and prefill-context parallelism multiply GPUs; expert and decode-context
/// parallelism run on the same ones (InferenceX utils/process_result.py).
std::optional<double> gpus_of(const PublishedLayout& layout) {
  if (!layout.tensor) return std::nullopt;
  return *layout.tensor * layout.pipeline.value_or(1) * layout.prefill_context.value_or(1);
}

/// Of November 2025: `tp` is the number of all GPUs, and the parts are not told apart. The three
/// throughputs tell: total = (in * P + out * D) / N with P + D = N. Only a whole number counts.
void split_by_throughput(PublishedResult& row, double all) {
  row.prefill.gpus.reset();
  row.decode.gpus.reset();
  const auto& [total, input, output] = row.per_gpu;
  if (!total || !input || !output || *input == *output) return;
  const double prefill = all * (*total - *output) / (*input - *output);
  const double whole = std::round(prefill);
  if (std::abs(prefill - whole) > kWholeWithin || whole < 1 || whole >= all) return;
  row.prefill.gpus = whole;
  row.decode.gpus = all - whole;
}

/// Input and output rates per GPU add up to the total: then both were divided by all GPUs.
bool divided_by_all(const PublishedThroughput& rates) {
  return rates.total && rates.input && rates.output &&
         std::abs(*rates.input + *rates.output - *rates.total) <= 1e-6 * *rates.total;
}

}  // namespace

std::optional<double> inferencex_gpus(PublishedResult& row, bool has_role_keys) {
  if (!row.disaggregated.value_or(false)) {
    if (row.whole.tensor) return gpus_of(row.whole);
    if (!row.multinode.value_or(false)) {
      // Of the interface's rows: both parts name the same server. Its own counts of GPUs multiply
      // tensor by expert parallelism, which is wrong; they stay as published.
      row.whole = row.decode;
      row.whole.gpus.reset();
      return gpus_of(row.decode);
    }
    if (!row.prefill.gpus) return std::nullopt;
    return *row.prefill.gpus + row.decode.gpus.value_or(0);
  }
  const bool first_schema = has_role_keys ? !row.multinode.value_or(false) &&
                                                row.prefill.gpus == row.decode.gpus &&
                                                row.prefill.gpus == row.prefill.tensor &&
                                                row.prefill.workers.value_or(0) == 0
                                          : row.whole.tensor.has_value();
  if (first_schema) {
    const auto all = has_role_keys ? row.prefill.gpus : row.whole.tensor;
    const bool stated = !has_role_keys && row.prefill.gpus && row.decode.gpus &&
                        *row.prefill.gpus + *row.decode.gpus == *all;
    if (all && !stated && !divided_by_all(row.per_gpu)) split_by_throughput(row, *all);
    return all;
  }
  if (!row.prefill.gpus || !row.decode.gpus) return std::nullopt;
  return *row.prefill.gpus + *row.decode.gpus;
}

}  // namespace tokenjoule
