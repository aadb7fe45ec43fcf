#include "record/import/inferencex_validity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tokenjoule {

namespace {

constexpr std::int64_t kGap = 3'000'000'000;
constexpr double kDurationOff = 0.01;
constexpr double kDurationLeast = 0.5;

class Reasons {
 public:
  void add(const std::string& reason) {
    if (std::find(all_.begin(), all_.end(), reason) == all_.end()) all_.push_back(reason);
  }
  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
};

void check_contract(const BenchmarkContract& contract, Reasons& reasons) {
  const bool window = contract.start_unix_s && contract.end_unix_s && contract.duration_s &&
                      *contract.end_unix_s > *contract.start_unix_s && *contract.duration_s > 0;
  if (!window) {
    reasons.add("invalid_benchmark_window");
  } else {
    const double length = *contract.end_unix_s - *contract.start_unix_s;
    const double allowed = std::max(kDurationLeast, kDurationOff * length);
    if (std::abs(*contract.duration_s - length) > allowed)
      reasons.add("benchmark_duration_mismatch");
  }
  if (contract.completed.value_or(0) <= 0) reasons.add("invalid_successful_query_count");
  if (contract.input_tokens.value_or(0) <= 0) reasons.add("invalid_input_token_count");
  if (contract.output_tokens.value_or(0) <= 0) reasons.add("invalid_output_token_count");
}

/// Only rows at the window can change what is integrated over it.
bool near_window(const ValidityQuestion& question, std::int64_t at_ns) {
  const std::int64_t at = at_ns + question.to_load_ns;
  return at >= question.begin_ns - kGap && at <= question.end_ns + kGap;
}

void check_rows(const ValidityQuestion& question, Reasons& reasons) {
  bool no_device = false;
  for (const BadRow& row : question.log->bad_rows) {
    if (row.kind == BadRowKind::time) {
      reasons.add("invalid_timestamp_sample");
    } else if (row.at_ns && near_window(question, *row.at_ns)) {
      if (row.kind == BadRowKind::power) reasons.add("invalid_power_sample");
      no_device = no_device || row.kind == BadRowKind::device;
    }
  }
  if (no_device) reasons.add("gpu_identity_missing");
}

/// Times of each device's readings near the window, on the load's clock, each once.
std::map<std::size_t, std::vector<std::int64_t>> times_of(const ValidityQuestion& question) {
  std::map<std::size_t, std::vector<std::int64_t>> times;
  for (const LoggedRow& row : question.log->rows) {
    if (!near_window(question, row.at_ns)) continue;
    auto& of_device = times[row.device];
    const std::int64_t at = row.at_ns + question.to_load_ns;
    if (of_device.empty() || of_device.back() != at) of_device.push_back(at);
  }
  return times;
}

void check_device(const std::vector<std::int64_t>& times, const ValidityQuestion& question,
                  Reasons& reasons) {
  if (times.size() < 2) {
    reasons.add("insufficient_power_samples");
    return;
  }
  if (times.front() > question.begin_ns || times.back() < question.end_ns) {
    reasons.add("benchmark_window_not_bracketed");
    return;
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    const bool relevant = times[i] > question.begin_ns && times[i - 1] < question.end_ns;
    if (relevant && times[i] - times[i - 1] > kGap) reasons.add("sampling_gap_exceeded");
  }
}

}  // namespace

std::vector<std::string> inferencex_reasons(const ValidityQuestion& question) {
  Reasons reasons;
  if (question.contract) check_contract(*question.contract, reasons);
  if (question.end_ns <= question.begin_ns) {
    reasons.add("invalid_benchmark_window");
    return reasons.take();
  }
  if (question.expected_gpus && *question.expected_gpus <= 0)
    reasons.add("invalid_expected_gpu_count");
  check_rows(question, reasons);
  const auto times = times_of(question);
  if (times.empty()) {
    reasons.add("no_usable_power_samples");
    return reasons.take();
  }
  if (question.expected_gpus && *question.expected_gpus > 0 &&
      static_cast<std::int64_t>(times.size()) != *question.expected_gpus)
    reasons.add("expected_gpu_count_mismatch");
  for (const auto& [device, of_device] : times) check_device(of_device, question, reasons);
  return reasons.take();
}

}  // namespace tokenjoule
