#include "sim/fake_nvml/script.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

namespace tokenjoule {

namespace {

constexpr double kAveragingS = 1.0;

std::string_view without_spaces(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = without_spaces(text); !text.empty(); text = without_spaces(text)) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "A:B" as two numbers.
std::optional<StepCurve::Point> pair_of(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto first = number_of(word.substr(0, colon));
  const auto second = number_of(word.substr(colon + 1));
  if (!first || !second) return std::nullopt;
  return StepCurve::Point{*first, *second};
}

bool set_curve(StepCurve& curve, std::string_view text) {
  curve.points.clear();
  if (const auto constant = number_of(text)) {
    curve.points.push_back({0, *constant});
    return true;
  }
  for (const std::string_view word : words_of(text)) {
    const auto point = pair_of(word);
    if (!point || (!curve.points.empty() && point->at_s < curve.points.back().at_s)) return false;
    curve.points.push_back(*point);
  }
  return !curve.points.empty();
}

template <std::size_t Length>
bool set_text(char (&field)[Length], std::string_view text) {
  if (text.size() >= Length) return false;
  std::memset(field, 0, Length);
  std::memcpy(field, text.data(), text.size());
  return true;
}

template <typename Number>
bool set_number(Number& field, std::string_view text, double factor = 1) {
  const auto number = number_of(text);
  if (number) field = static_cast<Number>(*number * factor);
  return number.has_value();
}

bool set_flags(FakeGpu& gpu, std::string_view text) {
  static const std::map<std::string_view, std::uint64_t> kNames = {
      {"counter", kFakeCounter},
      {"power", kFakePower},
      {"average", kFakeAverage},
      {"power_fields", kFakePowerFields},
      {"module", kFakeModule},
      {"module_counter", kFakeModuleCounter},
      {"scoped_counter", kFakeScopedCounter},
      {"persistence", kFakePersistence},
      {"virtual_gpu", kFakeVirtualGpu},
      {"long_processes", kFakeLongProcesses}};
  gpu.flags = 0;
  for (const std::string_view word : words_of(text)) {
    const auto flag = kNames.find(word);
    if (flag == kNames.end()) return false;
    gpu.flags |= flag->second;
  }
  return true;
}

/// "1234:1048576 77:0": pid and bytes of memory.
bool set_processes(FakeGpu& gpu, std::string_view text) {
  gpu.process_count = 0;
  for (const std::string_view word : words_of(text)) {
    const auto pair = pair_of(word);
    if (!pair || gpu.process_count == kFakeProcesses) return false;
    gpu.processes[gpu.process_count++] = {.pid = static_cast<std::uint32_t>(pair->at_s),
                                          .memory_bytes = static_cast<std::uint64_t>(pair->value)};
  }
  return true;
}

using Setter = std::function<bool(ScriptedGpu&, std::string_view)>;

template <typename Number>
Setter number_setter(Number FakeGpu::*member, double factor = 1) {
  return [=](ScriptedGpu& gpu, std::string_view text) {
    return set_number(gpu.fixed.*member, text, factor);
  };
}
Setter number_setter(double ScriptedGpu::*member) {
  return [=](ScriptedGpu& gpu, std::string_view text) { return set_number(gpu.*member, text); };
}
Setter time_setter(std::optional<double> ScriptedGpu::*member) {
  return [=](ScriptedGpu& gpu, std::string_view text) {
    gpu.*member = number_of(text);
    return (gpu.*member).has_value();
  };
}
Setter curve_setter(StepCurve ScriptedGpu::*member) {
  return [=](ScriptedGpu& gpu, std::string_view text) { return set_curve(gpu.*member, text); };
}

using GpuRef = ScriptedGpu&;
using Text = std::string_view;

const std::map<std::string_view, Setter>& gpu_setters() {
  constexpr double kMilliwatts = 1000;
  static const std::map<std::string_view, Setter> setters = {
      {"uuid", [](GpuRef gpu, Text text) { return set_text(gpu.fixed.uuid, text); }},
      {"name", [](GpuRef gpu, Text text) { return set_text(gpu.fixed.name, text); }},
      {"bus_id", [](GpuRef gpu, Text text) { return set_text(gpu.fixed.bus_id, text); }},
      {"flags", [](GpuRef gpu, Text text) { return set_flags(gpu.fixed, text); }},
      {"processes", [](GpuRef gpu, Text text) { return set_processes(gpu.fixed, text); }},
      {"architecture", number_setter(&FakeGpu::architecture)},
      {"open_result", number_setter(&FakeGpu::open_result)},
      {"result", number_setter(&FakeGpu::result)},
      {"limit_requested", number_setter(&FakeGpu::limit_requested_mw, kMilliwatts)},
      {"limit_default", number_setter(&FakeGpu::limit_default_mw, kMilliwatts)},
      {"limit_min", number_setter(&FakeGpu::limit_min_mw, kMilliwatts)},
      {"limit_max", number_setter(&FakeGpu::limit_max_mw, kMilliwatts)},
      {"module_limit", number_setter(&FakeGpu::module_limit_mw, kMilliwatts)},
      {"temperature", number_setter(&FakeGpu::temperature_c)},
      {"sm_clock", number_setter(&FakeGpu::sm_clock_mhz)},
      {"memory_clock", number_setter(&FakeGpu::memory_clock_mhz)},
      {"utilisation", number_setter(&FakeGpu::utilisation_percent)},
      {"memory_total", number_setter(&FakeGpu::memory_total_bytes)},
      {"memory_used", number_setter(&FakeGpu::memory_used_bytes)},
      {"power_capped_ns", number_setter(&FakeGpu::power_capped_ns)},
      {"sw_thermal_ns", number_setter(&FakeGpu::sw_thermal_ns)},
      {"hw_thermal_ns", number_setter(&FakeGpu::hw_thermal_ns)},
      {"power_brake_ns", number_setter(&FakeGpu::power_brake_ns)},
      {"mig_instances", number_setter(&FakeGpu::mig_instances)},
      {"module_energy_mj", number_setter(&FakeGpu::module_energy_mj)},
      {"start_mj", number_setter(&ScriptedGpu::start_mj)},
      {"counter_step", number_setter(&ScriptedGpu::counter_step_s)},
      {"power_step", number_setter(&ScriptedGpu::power_step_s)},
      {"reset_at", time_setter(&ScriptedGpu::reset_at_s)},
      {"freeze_at", time_setter(&ScriptedGpu::freeze_at_s)},
      {"result_at", time_setter(&ScriptedGpu::result_at_s)},
      {"block_ms", number_setter(&ScriptedGpu::block_ms)},
      {"block_from", number_setter(&ScriptedGpu::block_from_s)},
      {"block_gate",
       [](GpuRef gpu, Text text) {
         gpu.block_gate = text;
         return !text.empty();
       }},
      {"power", curve_setter(&ScriptedGpu::power)},
      {"module_power", curve_setter(&ScriptedGpu::module_power)},
      {"limit_enforced", curve_setter(&ScriptedGpu::limit_enforced)}};
  return setters;
}

bool set_global(FakeScript& script, std::string_view key, std::string_view text) {
  if (key == "driver") {
    script.driver_version = text;
  } else if (key == "clock_file") {
    script.clock_file = text;
  } else if (key == "init_result") {
    return set_number(script.init_result, text);
  } else {
    return false;
  }
  return true;
}

/// One line: nothing, a comment, "[gpu]" or "key = value".
bool take_line(FakeScript& script, std::string_view line) {
  line = without_spaces(line.substr(0, line.find('#')));
  if (line.empty()) return true;
  if (line == "[gpu]") {
    script.gpus.emplace_back();
    return true;
  }
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = without_spaces(line.substr(0, equals));
  const std::string_view text = without_spaces(line.substr(equals + 1));
  if (script.gpus.empty()) return set_global(script, key, text);
  const auto setter = gpu_setters().find(key);
  return setter != gpu_setters().end() && setter->second(script.gpus.back(), text);
}

/// The last time on the grid of `step_s` that is not behind `at_s`.
double grid_time(double at_s, double step_s) {
  return step_s > 0 ? std::floor(at_s / step_s + 1e-9) * step_s : at_s;
}

std::uint64_t counter_mj(const ScriptedGpu& gpu, const StepCurve& power, double at_s) {
  if (gpu.freeze_at_s) at_s = std::min(at_s, *gpu.freeze_at_s);
  const double tick_s = grid_time(at_s, gpu.counter_step_s);
  double mj = gpu.start_mj + 1000 * power.integral_to(tick_s);
  if (gpu.reset_at_s && at_s >= *gpu.reset_at_s) {
    mj = 1000 * (power.integral_to(std::max(tick_s, *gpu.reset_at_s)) -
                 power.integral_to(*gpu.reset_at_s));
  }
  return static_cast<std::uint64_t>(mj + 0.5);
}

std::uint32_t milliwatts(double watts) { return static_cast<std::uint32_t>(watts * 1000 + 0.5); }

std::uint32_t mean_mw(const StepCurve& power, double tick_s) {
  return milliwatts((power.integral_to(tick_s) - power.integral_to(tick_s - kAveragingS)) /
                    kAveragingS);
}

}  // namespace

double StepCurve::value_at(double at_s) const {
  double value = points.empty() ? 0 : points.front().value;
  for (const Point& point : points) {
    if (point.at_s <= at_s) value = point.value;
  }
  return value;
}

double StepCurve::integral_to(double at_s) const {
  if (points.empty()) return 0;
  if (at_s < 0) return at_s * points.front().value;
  double sum = 0, from_s = 0, value = points.front().value;
  for (const Point& point : points) {
    if (point.at_s >= at_s) break;
    if (point.at_s > from_s) {
      sum += value * (point.at_s - from_s);
      from_s = point.at_s;
    }
    value = point.value;
  }
  return sum + value * (at_s - from_s);
}

Result<FakeScript> fake_script_in(std::string_view text) {
  FakeScript script;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!take_line(script, line)) {
      return failure(ErrorKind::usage,
                     "line " + std::to_string(number) + " of the script: " + std::string(line),
                     "see src/sim/fake_nvml/README.md for what a script may hold");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return script;
}

FakeGpu gpu_at(const ScriptedGpu& scripted, double at_s) {
  FakeGpu gpu = scripted.fixed;
  const double tick_s = grid_time(at_s, scripted.power_step_s);
  gpu.energy_mj = counter_mj(scripted, scripted.power, at_s);
  gpu.module_energy_mj += counter_mj(scripted, scripted.module_power, at_s);
  gpu.instant_mw = milliwatts(scripted.power.value_at(tick_s));
  gpu.average_mw = mean_mw(scripted.power, tick_s);
  gpu.module_instant_mw = milliwatts(scripted.module_power.value_at(tick_s));
  gpu.module_average_mw = mean_mw(scripted.module_power, tick_s);
  gpu.limit_enforced_mw = milliwatts(scripted.limit_enforced.value_at(at_s));
  if (scripted.result_at_s && at_s < *scripted.result_at_s) gpu.result = 0;
  return gpu;
}

}  // namespace tokenjoule
