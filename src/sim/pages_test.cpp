#include "sim/pages.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "engines/prometheus_text.hpp"

namespace tokenjoule {
namespace {

PrometheusPage page_of(const std::string& text) {
  auto page = prometheus_page(text, "text/plain; version=0.0.4");
  EXPECT_TRUE(page.has_value());
  EXPECT_EQ(page->lines_refused, 0) << page->first_refused;
  return *std::move(page);
}

double value_of(const PrometheusPage& page, std::string_view name) {
  const auto samples = page.samples_named(name);
  EXPECT_EQ(samples.size(), 1U) << name;
  return samples.empty() ? -1 : samples[0]->value;
}

TEST(Pages, TheEnginesCountersMoveWithEachStep) {
  SimulatorOptions options;
  options.engine.step_jitter = 0;
  Simulation simulation(options);
  simulation.submit({.id = 1, .prompt_tokens = 100, .max_tokens = 3, .ignore_eos = true}, {});
  for (int step = 1; step <= 3; ++step) {
    const auto before = page_of(engine_metrics_page(simulation, {}));
    EXPECT_EQ(value_of(before, "vllm:generation_tokens_total"), step - 1);
    EXPECT_EQ(value_of(before, "vllm:prompt_tokens_total"), step == 1 ? 0 : 100);
    EXPECT_EQ(value_of(before, "vllm:num_requests_running"), 1);
    simulation.end_step(*simulation.step_end());
  }
  const auto after = page_of(engine_metrics_page(simulation, {}));
  EXPECT_EQ(value_of(after, "vllm:num_requests_running"), 0);
  EXPECT_EQ(value_of(after, "vllm:generation_tokens_total"), 3);
  double length_limited = 0;
  for (const auto* sample : after.samples_named("vllm:request_success_total")) {
    if (sample->label("finished_reason") == "length") length_limited = sample->value;
  }
  EXPECT_EQ(length_limited, 1);
}

TEST(Pages, LengthsOfFinishedRequestsStandInCumulativeBuckets) {
  SimulatorOptions options;
  options.engine.max_model_len = 300;
  Simulation simulation(options);
  simulation.submit({.id = 1, .prompt_tokens = 100, .max_tokens = 3, .ignore_eos = true}, {});
  simulation.submit({.id = 2, .prompt_tokens = 7, .max_tokens = 2, .ignore_eos = true}, {});
  while (simulation.step_end()) simulation.end_step(*simulation.step_end());
  const std::string page = engine_metrics_page(simulation, {});
  std::vector<double> prompts;
  const auto parsed = page_of(page);
  for (const auto* sample : parsed.samples_named("vllm:request_prompt_tokens_bucket"))
    prompts.push_back(sample->value);
  // Buckets 1, 2, 5, 10, 20, 50, 100, 200, +Inf for prompts of 7 and 100 tokens.
  EXPECT_EQ(prompts, (std::vector<double>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(value_of(parsed, "vllm:request_prompt_tokens_sum"), 107);
  EXPECT_EQ(value_of(parsed, "vllm:request_generation_tokens_sum"), 5);
  EXPECT_EQ(value_of(parsed, "vllm:request_generation_tokens_count"), 2);
}

TEST(Pages, TheGpuPageIsThatOfTheExporter) {
  SimulatorOptions options;
  options.gpu.engine_gpus = 2;
  const Simulation simulation(options);
  const auto page = page_of(gpu_metrics_page(simulation, mono_at(Seconds(2))));
  const auto* energy = page.family("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION");
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(energy->type, "counter");
  EXPECT_EQ(energy->help, "Total energy consumption since boot (in mJ).");
  ASSERT_EQ(energy->samples.size(), 2U);
  EXPECT_EQ(energy->samples[1].label("gpu"), "1");
  EXPECT_TRUE(starts_with(*energy->samples[0].label("UUID"), "GPU-51d0"));
  EXPECT_EQ(energy->samples[0].label("modelName"), "Simulated GPU");
  for (const char* name : {"DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_POWER_USAGE_INSTANT",
                           "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF"})
    EXPECT_EQ(page.samples_named(name).size(), 2U) << name;
  EXPECT_NEAR(page.samples_named("DCGM_FI_DEV_POWER_USAGE")[0]->value, 80, 2.5);
}

TEST(Pages, WhatIsLostHasNoRows) {
  SimulatorOptions options;
  options.gpu.engine_gpus = 2;
  options.faults.no_counter = true;
  options.faults.losses = {{Seconds(1), std::nullopt, 0}};
  const Simulation simulation(options);
  const auto page = page_of(gpu_metrics_page(simulation, mono_at(Seconds(2))));
  EXPECT_EQ(page.family("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), nullptr);
  ASSERT_EQ(page.samples_named("DCGM_FI_DEV_POWER_USAGE").size(), 1U);
  EXPECT_EQ(page.samples_named("DCGM_FI_DEV_POWER_USAGE")[0]->label("gpu"), "1");
}

}  // namespace
}  // namespace tokenjoule
