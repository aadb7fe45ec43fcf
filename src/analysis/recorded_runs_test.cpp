#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "analysis/test_run.hpp"
#include "base/json_view.hpp"
#include "io/file.hpp"
#include "record/run_reader.hpp"

namespace tokenjoule {
namespace {

const std::string kFolder = TOKENJOULE_SOURCE_DIR "/tests/runs/";

/// A report under the paths of result.json, as far as the runs' expected figures need it.
struct FlatReport {
  std::map<std::string, std::optional<double>> numbers;
  std::map<std::string, std::string> texts;

  void put(const std::string& path, std::optional<double> value) { numbers[path] = value; }
  template <int E, int T, int C>
  void put(const std::string& path, const std::optional<Quantity<E, T, C>>& value) {
    numbers[path] = value ? std::optional(value->value()) : std::nullopt;
  }
};

void put_energy(FlatReport& flat, const BoundaryEnergy& energy, const std::string& path) {
  flat.texts[path + "boundary"] = name_of(energy.boundary);
  flat.texts[path + "method"] = energy.method;
  flat.put(path + "joules", energy.joules);
  flat.put(path + "systematic_bound_joules", energy.systematic_bound);
  flat.put(path + "idle_joules", energy.idle_joules);
  flat.put(path + "active_joules", energy.active_joules);
  for (std::size_t i = 0; i < energy.devices.size(); ++i) {
    const DeviceEnergy& device = energy.devices[i];
    const std::string at = path + "devices/" + std::to_string(i) + "/";
    flat.put(at + "joules", device.joules);
    flat.put(at + "counter_joules", device.counter_joules);
    flat.put(at + "integrated_joules", device.integrated_joules);
    flat.put(at + "step_s", device.step);
    flat.put(at + "max_gap_s", device.max_gap);
  }
}

void put_window(FlatReport& flat, const Report& report) {
  if (!report.window) return;
  flat.put("/window/duration_s", to_seconds(report.window->span.length()).value());
  const auto unix_s = [](const std::optional<WallTime>& wall) {
    return wall ? std::optional(static_cast<double>(wall->unix_ns) * 1e-9) : std::nullopt;
  };
  flat.put("/window/start_unix_s", unix_s(report.window->start_wall));
  flat.put("/window/end_unix_s", unix_s(report.window->end_wall));
}

void put_counts(FlatReport& flat, const Report& report) {
  flat.put("/tokens/output", report.tokens.output);
  flat.put("/tokens/output_by_failed", report.tokens.output_by_failed);
  flat.put("/tokens/prompt_submitted", report.tokens.prompt_submitted);
  flat.texts["/tokens/source"] = report.tokens.source;
  flat.put("/requests/completed", static_cast<double>(report.requests.completed));
  flat.put("/requests/failed", static_cast<double>(report.requests.failed.value()));
  flat.put("/requests/in_window", report.requests.in_window);
  flat.put("/idle/watts", report.idle.watts);
  flat.put("/idle/duration_s", report.idle.duration);
  flat.put("/full_run/joules", report.full_run.joules);
  flat.put("/full_run/duration_s", report.full_run.duration);
  flat.put("/full_run/output_tokens", report.full_run.output_tokens);
}

FlatReport flattened(const Report& report) {
  FlatReport flat;
  flat.texts["/verdict/status"] = name_of(report.verdict.status);
  for (std::size_t i = 0; i < report.verdict.reasons.size(); ++i) {
    flat.texts["/verdict/reasons/" + std::to_string(i) + "/code"] = report.verdict.reasons[i].code;
  }
  for (std::size_t i = 0; i < report.energy.size(); ++i) {
    put_energy(flat, report.energy[i], "/energy/" + std::to_string(i) + "/");
  }
  for (std::size_t i = 0; i < report.other_gpus.size(); ++i) {
    flat.put("/other_gpus/" + std::to_string(i) + "/joules", report.other_gpus[i].joules);
  }
  put_window(flat, report);
  put_counts(flat, report);
  for (const auto& [key, figure] : report.figures) {
    flat.put("/figures/" + key + "/value", figure.value);
    flat.put("/figures/" + key + "/systematic_bound", figure.systematic_bound);
  }
  for (const auto& [key, summary] : report.latency) {
    flat.put("/figures/" + key + "/p50", summary.p50);
  }
  return flat;
}

void expect_at(const FlatReport& flat, const std::string& path, const JsonView& expected) {
  if (const auto text = expected.string()) {
    ASSERT_EQ(flat.texts.count(path), 1u) << path;
    EXPECT_EQ(flat.texts.at(path), *text) << path;
    return;
  }
  ASSERT_EQ(flat.numbers.count(path), 1u) << path;
  const auto value = flat.numbers.at(path);
  const auto number = expected.number();
  ASSERT_EQ(value.has_value(), number.has_value()) << path;
  // Unix times as doubles hold about a quarter of a microsecond.
  if (!number) return;
  EXPECT_NEAR(*value, *number, std::max(1e-9 * std::abs(*number), 1e-9)) << path;
}

TEST(RecordedRuns, HaveTheFiguresWorkedOutByHand) {
  const auto bytes = file_bytes(kFolder + "expected.json");
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto document = JsonDocument::parse(*bytes);
  ASSERT_TRUE(document) << document.error().message;
  const JsonView files = document->root();
  ASSERT_EQ(files.size(), 14u);
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(std::string(files.key(i)));
    const auto run = read_run(kFolder + std::string(files.key(i)));
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->left_out.broken_lines, 0);
    EXPECT_GT(run->left_out.unknown_kinds, 0);  // the comments that show the arithmetic
    const FlatReport flat = flattened(analyse(*run, {}));
    const JsonView expected = files.member(i);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expect_at(flat, std::string(expected.key(k)), expected.member(k));
    }
  }
}

}  // namespace
}  // namespace tokenjoule
