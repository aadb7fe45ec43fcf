#include "published/audit/references.hpp"

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr double kTera = 1e12;

/// InferenceX-app, packages/constants/src/gpu-keys.ts and packages/app/src/lib/gpu-specs.ts, state
/// of 2026-08 (dense FLOPS).
constexpr GpuReference kGpus[] = {
    {"h100", 700, 3.35 * kTera, {}, 1979 * kTera, 989 * kTera},
    {"h200", 700, 4.8 * kTera, {}, 1979 * kTera, 989 * kTera},
    {"b200", 1000, 8 * kTera, 9000 * kTera, 4500 * kTera, 2250 * kTera},
    {"b300", 1200, 8 * kTera, 13500 * kTera, 4500 * kTera, 2250 * kTera},
    {"gb200", 1200, 8 * kTera, 10000 * kTera, 5000 * kTera, 2500 * kTera},
    {"gb300", 1400, 8 * kTera, 15000 * kTera, 5000 * kTera, 2500 * kTera},
    {"mi300x", 750, 5.3 * kTera, {}, 2615 * kTera, 1307 * kTera},
    {"mi325x", 1000, 6 * kTera, {}, 2615 * kTera, 1307 * kTera},
    {"mi355x", 1400, 8 * kTera, 10066 * kTera, 5033 * kTera, 2516 * kTera},
    {"rtx6000pro", 600, {}, {}, {}, {}},
};

/// DeepSeek-R1 and gpt-oss-120b as their model cards state them.
constexpr ModelReference kModels[] = {{"dsr1", 37e9}, {"gptoss120b", 5.1e9}};

/// InferenceX-app, lib/known-issues.ts.
constexpr KnownIssue kIssues[] = {
    {"21726915223", "gb300", "dynamo-trt", "mtp", "wrong answers (NVIDIA/srt-slurm#51)"},
    {"21785935852", "gb300", "dynamo-trt", "mtp", "wrong answers (NVIDIA/srt-slurm#51)"},
    {"23052579053", "mi355x", "mori-sglang", "mtp", "wrong answers (sgl-project/sglang#27194)"},
    {"25471873049", "mi355x", "mori-sglang", "mtp", "wrong answers (sgl-project/sglang#27194)"},
    {"26714221123", "mi355x", "mori-sglang", "mtp", "wrong answers (sgl-project/sglang#27194)"},
};

constexpr double kLlama2Reference = 294.45;  ///< tokens of an answer, OpenOrca

constexpr MlperfLimits kMlperf[] = {
    {"llama2-70b", 1024, 0.9 * kLlama2Reference, 2.0, 0.2, 0.45, 0.04},
    {"llama3.1-8b", 128, {}, 2.0, 0.1, 0.5, 0.03},
    {"llama3.1-405b", 20'000, {}, 6.0, 0.175, 4.5, 0.08},
    {"deepseek-r1", 20'000, {}, 2.0, 0.08, 1.5, 0.015},
    {"gpt-oss-120b", 10'000, {}, 3.0, 0.08, 2.0, 0.02},
};

struct WeightSize {
  std::string_view precision;
  double bytes;
};
constexpr WeightSize kWeights[] = {{"fp4", 0.5}, {"nvfp4", 0.5}, {"mxfp4", 0.5}, {"int4", 0.5},
                                   {"fp8", 1.0}, {"int8", 1.0},  {"bf16", 2.0},  {"fp16", 2.0}};

}  // namespace

std::optional<double> GpuReference::flops_at(std::string_view precision) const {
  const auto bytes = bytes_of_weight(precision);
  if (!bytes) return std::nullopt;
  if (*bytes == 0.5) return fp4_flops;
  return *bytes == 1.0 ? fp8_flops : bf16_flops;
}

const GpuReference* gpu_reference(std::string_view gpu) {
  for (const GpuReference& known : kGpus) {
    if (known.gpu == gpu) return &known;
  }
  return nullptr;
}

const ModelReference* model_reference(std::string_view model) {
  for (const ModelReference& known : kModels) {
    if (known.model == model) return &known;
  }
  return nullptr;
}

std::optional<double> bytes_of_weight(std::string_view precision) {
  for (const WeightSize& known : kWeights) {
    if (known.precision == precision) return known.bytes;
  }
  return std::nullopt;
}

const KnownIssue* known_issue(std::string_view url, std::string_view gpu,
                              std::string_view framework, std::string_view speculation) {
  for (const KnownIssue& issue : kIssues) {
    if (issue.gpu == gpu && issue.framework == framework && issue.speculation == speculation &&
        url.find(issue.run) != std::string_view::npos)
      return &issue;
  }
  return nullptr;
}

const MlperfLimits* mlperf_limits(std::string_view model) {
  for (const std::string_view ending : {"-edge", "-99.9", "-99"}) {
    if (ends_with(model, ending)) model.remove_suffix(ending.size());
  }
  for (const MlperfLimits& known : kMlperf) {
    if (known.model == model) return &known;
  }
  return nullptr;
}

}  // namespace tokenjoule
