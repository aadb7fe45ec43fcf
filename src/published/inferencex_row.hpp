#pragma once

#include <string>
#include <string_view>

#include "base/json_rows.hpp"
#include "model/published.hpp"
#include "published/published_set.hpp"

namespace tokenjoule {

/// A row on its way in, with what decides how it is to be understood.
struct InferencexRow {
  PublishedResult result;
  bool has_metrics = false;    ///< a row of the interface or of another harness
  bool has_role_keys = false;  ///< prefill_tp …: schema of December 2025 and later
  bool agentic = false;
};

/// Puts one member of a record where it belongs; what no field holds goes to `unknown`.
/// `path` as JsonScalar gives it ("metrics.mean_ttft").
void put_inferencex_member(const JsonScalar& member, PublishedSet& set, InferencexRow& row);

/// Settles what a record says only in part: GPU names, GPU counts by the layout's rules, throughput
/// of all GPUs, flags. `file_name` helps a raw result that names neither GPU nor their number.
void settle_inferencex_row(std::string_view file_name, PublishedSet& set, InferencexRow& row);

/// Number of GPUs of the row by the rules of its schema; nullopt: it cannot be known from here.
std::optional<double> inferencex_gpus(PublishedResult& row, bool has_role_keys);

/// "cluster:h200-dgxc_03" is an "h200", "h200-nvl_01" an "h200-nvl": the GPU that a runner's label
/// begins with.
std::string gpu_of_runner(std::string_view runner);

/// The short name that InferenceX gives a model: "deepseek-ai/DeepSeek-R1-0528" is "dsr1". A model
/// that it has none for keeps the last part of its path, in lower case.
std::string short_model_name(std::string_view path);

}  // namespace tokenjoule
