#include "record/import/inferencex_validity.hpp"

#include <gtest/gtest.h>

#include "record/import/test_files.hpp"

namespace tokenjoule {
namespace {

using Reasons = std::vector<std::string>;

/// One reading a second of each of two GPUs, from 5 s before the window to 5 s behind it.
PowerLog sound_log() {
  PowerLog log;
  log.devices.resize(2);
  for (std::int64_t second = -5; second <= 65; ++second) {
    for (std::size_t device = 0; device < 2; ++device)
      log.rows.push_back({kSampleBegin + second * kOneSecond, device, {{Measurand::power, 400}}});
  }
  return log;
}

BenchmarkContract sound_contract() {
  BenchmarkContract contract;
  contract.start_unix_s = 1.79e9;
  contract.end_unix_s = 1.79e9 + 60;
  contract.duration_s = 60.4;
  contract.completed = 640;
  contract.input_tokens = 590227;
  contract.output_tokens = 589961;
  return contract;
}

Reasons reasons_for(const PowerLog& log, const BenchmarkContract& contract = sound_contract(),
                    std::optional<std::int64_t> gpus = 2) {
  return inferencex_reasons(
      {&log, 0, kSampleBegin, kSampleBegin + 60 * kOneSecond, contract, gpus});
}

/// Takes the rows out for which `drop` says so.
template <typename Drop>
PowerLog without(Drop drop) {
  PowerLog log = sound_log();
  std::erase_if(log.rows, [&](const LoggedRow& row) {
    return drop((row.at_ns - kSampleBegin) / kOneSecond, row.device);
  });
  return log;
}

TEST(InferencexReasons, ASoundLogHasNone) { EXPECT_EQ(reasons_for(sound_log()), Reasons{}); }

TEST(InferencexReasons, TheWindowMustBeBracketedForEachGpu) {
  EXPECT_EQ(reasons_for(without([](auto second, auto gpu) { return gpu == 1 && second >= 60; })),
            Reasons{"benchmark_window_not_bracketed"});
  EXPECT_EQ(reasons_for(without([](auto second, auto) { return second <= 0; })),
            Reasons{"benchmark_window_not_bracketed"});
}

TEST(InferencexReasons, AGapAboveThreeSecondsIsTooLong) {
  EXPECT_EQ(reasons_for(without([](auto second, auto) { return second == 30 || second == 31; })),
            Reasons{})
      << "3 s from 29 to 32";
  EXPECT_EQ(reasons_for(without([](auto second, auto) { return second >= 30 && second <= 32; })),
            Reasons{"sampling_gap_exceeded"});
}

TEST(InferencexReasons, OneReadingIsTooFew) {
  EXPECT_EQ(reasons_for(without([](auto second, auto gpu) { return gpu == 0 && second != 30; })),
            Reasons{"insufficient_power_samples"});
}

TEST(InferencexReasons, CountsGpus) {
  EXPECT_EQ(reasons_for(sound_log(), sound_contract(), 8), Reasons{"expected_gpu_count_mismatch"});
  EXPECT_EQ(reasons_for(sound_log(), sound_contract(), std::nullopt), Reasons{});
  EXPECT_EQ(reasons_for(sound_log(), sound_contract(), 0), Reasons{"invalid_expected_gpu_count"});
}

TEST(InferencexReasons, BadRowsCountNearTheWindowOnly) {
  PowerLog log = sound_log();
  log.bad_rows = {{BadRowKind::power, kSampleBegin - 10 * kOneSecond}};
  EXPECT_EQ(reasons_for(log), Reasons{});
  log.bad_rows = {{BadRowKind::power, kSampleBegin + 10 * kOneSecond},
                  {BadRowKind::device, kSampleBegin},
                  {BadRowKind::time, std::nullopt}};
  EXPECT_EQ(reasons_for(log),
            (Reasons{"invalid_power_sample", "invalid_timestamp_sample", "gpu_identity_missing"}));
}

TEST(InferencexReasons, NothingNearTheWindowIsNoUsableSample) {
  EXPECT_EQ(reasons_for(without([](auto, auto) { return true; })),
            Reasons{"no_usable_power_samples"});
}

TEST(InferencexReasons, TheBenchmarkItselfIsChecked) {
  BenchmarkContract contract = sound_contract();
  contract.duration_s = 61;  // more than max(0.5 s, 0.6 s) off
  contract.completed = 0;
  contract.input_tokens.reset();
  contract.output_tokens = -1;
  EXPECT_EQ(reasons_for(sound_log(), contract),
            (Reasons{"benchmark_duration_mismatch", "invalid_successful_query_count",
                     "invalid_input_token_count", "invalid_output_token_count"}));
  contract = sound_contract();
  contract.end_unix_s.reset();
  EXPECT_EQ(reasons_for(sound_log(), contract), Reasons{"invalid_benchmark_window"});
}

TEST(InferencexReasons, TimeZonesAreTakenAccountOf) {
  PowerLog log = sound_log();
  for (LoggedRow& row : log.rows) row.at_ns += 7200 * kOneSecond;
  EXPECT_EQ(inferencex_reasons({&log, -7200 * kOneSecond, kSampleBegin,
                                kSampleBegin + 60 * kOneSecond, sound_contract(), 2}),
            Reasons{});
}

}  // namespace
}  // namespace tokenjoule
