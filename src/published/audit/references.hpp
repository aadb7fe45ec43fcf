#pragma once

#include <optional>
#include <string_view>

namespace tokenjoule {

/// What a GPU can do at most, as the publication that is audited lists it.
struct GpuReference {
  std::string_view gpu;
  double limit_w = 0;                 ///< of the board
  std::optional<double> bytes_per_s;  ///< of its memory
  std::optional<double> fp4_flops;    ///< dense
  std::optional<double> fp8_flops;
  std::optional<double> bf16_flops;

  /// Dense peak at "fp4", "fp8" and so on; nullopt: not known.
  std::optional<double> flops_at(std::string_view precision) const;
};

/// By InferenceX's name ("b200") or within an accelerator's full name; nullptr: none.
const GpuReference* gpu_reference(std::string_view gpu);

struct ModelReference {
  std::string_view model;  ///< InferenceX's short name
  double active_parameters = 0;
};
const ModelReference* model_reference(std::string_view model);

/// Bytes of a weight at "fp4", "int4", "fp8", "bf16"; nullopt: not known.
std::optional<double> bytes_of_weight(std::string_view precision);

/// Runs whose publisher says that something was wrong with them.
struct KnownIssue {
  std::string_view run;  ///< number of the run, in its link
  std::string_view gpu;
  std::string_view framework;
  std::string_view speculation;
  std::string_view what;
};
/// nullptr: none is known of this run.
const KnownIssue* known_issue(std::string_view url, std::string_view gpu,
                              std::string_view framework, std::string_view speculation);

/// Limits of an MLPerf benchmark (inference_rules.adoc of mlcommons/inference_policies,
/// 2026-07-23).
struct MlperfLimits {
  std::string_view model;                   ///< without its accuracy target: "llama2-70b"
  double most_tokens = 0;                   ///< of an answer
  std::optional<double> least_mean_tokens;  ///< of all answers: 90 % of the reference's
  std::optional<double> server_ttft_s;
  std::optional<double> server_tpot_s;
  std::optional<double> interactive_ttft_s;
  std::optional<double> interactive_tpot_s;
};
const MlperfLimits* mlperf_limits(std::string_view model);

}  // namespace tokenjoule
