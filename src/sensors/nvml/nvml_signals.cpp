#include "sensors/nvml/nvml_signals.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr double kMilli = 1e-3;
constexpr double kNano = 1e-9;
constexpr Seconds kAveraging{1.0};   // nvml.h, nvmlDeviceGetPowerUsage and field 185
constexpr Seconds kSlowPeriod{1.0};  // what is context, not energy

/// A superchip's two counters differ by this at least once it has run for some seconds: its CPU
/// alone draws tens of watts. Reads of one and the same counter differ by a step, 100 ms of power.
constexpr double kScopesDiffer = 0.01;
constexpr double kStepOfCounterMj = 200e3;

struct Found {
  const NvmlGpu& gpu;
  const NvmlValues& probed;

  std::optional<double> value(const NvmlKey& key) const {
    const auto at = probed.find(key);
    return at == probed.end() ? std::nullopt : std::optional(at->second);
  }
  bool has(const NvmlKey& key) const { return value(key).has_value(); }
  bool has_power(const NvmlKey& key) const { return value(key).value_or(0) > 0; }
  /// The first of these that the GPU offers.
  std::optional<NvmlKey> first_of(std::initializer_list<NvmlKey> keys) const {
    const auto at = std::find_if(keys.begin(), keys.end(), [&](auto& key) { return has(key); });
    return at == keys.end() ? std::nullopt : std::optional(*at);
  }
};

NvmlSignal made_of(const NvmlGpu& gpu, std::vector<NvmlKey> keys, Measurand measurand) {
  NvmlSignal made;
  made.signal.sensor = "nvml";
  made.signal.device = gpu.uuid;
  made.signal.measurand = measurand;
  made.signal.driver = gpu.driver;
  for (const NvmlKey& key : keys) {
    made.signal.source += (made.signal.source.empty() ? "" : " + ") + source_of(key);
  }
  made.keys = std::move(keys);
  return made;
}

NvmlSignal energy_signal(const NvmlGpu& gpu, const NvmlKey& key, Boundary boundary) {
  NvmlSignal made = made_of(gpu, {key}, Measurand::energy);
  made.signal.kind = SignalKind::counter;
  made.signal.boundary = boundary;
  made.signal.raw_unit = "mJ";
  made.signal.to_si = kMilli;
  return made;
}

NvmlSignal power_signal(const NvmlGpu& gpu, const NvmlKey& key, Boundary boundary,
                        std::optional<Seconds> averaging) {
  NvmlSignal made = made_of(gpu, {key}, Measurand::power);
  made.signal.boundary = boundary;
  made.signal.raw_unit = "mW";
  made.signal.to_si = kMilli;
  made.signal.averaging = averaging;
  made.zero_is_absent = true;
  return made;
}

void add_power(const Found& found, std::uint32_t scope, std::vector<NvmlSignal>& signals) {
  const Boundary boundary =
      scope == nvml::kScopeModule ? Boundary::gpu_module : Boundary::gpu_board;
  const NvmlKey average = nvml_field(nvml::kPowerAverage, scope);
  const NvmlKey instant = nvml_field(nvml::kPowerInstant, scope);
  if (found.has_power(average)) {
    signals.push_back(power_signal(found.gpu, average, boundary, kAveraging));
  }
  if (found.has_power(instant)) {
    signals.push_back(power_signal(found.gpu, instant, boundary, std::nullopt));
  }
  const NvmlKey usage = nvml_call(NvmlCall::power_usage);
  const bool by_field = found.has_power(average) || found.has_power(instant);
  if (by_field || scope != nvml::kScopeGpu || !found.has_power(usage)) return;
  const bool averages = power_usage_is_average(found.gpu).value_or(false);
  signals.push_back(power_signal(found.gpu, usage, boundary,
                                 averages ? std::optional(kAveraging) : std::nullopt));
}

/// By its name as well: the module's power may be missing, and its counter covers the module all
/// the same.
bool is_superchip(const Found& found) {
  for (const std::string_view name : {"GH200", "GB200", "GB300"}) {
    if (found.gpu.name.find(name) != std::string::npos) return true;
  }
  return found.has_power(nvml_field(nvml::kPowerAverage, nvml::kScopeModule)) ||
         found.has_power(nvml_field(nvml::kPowerInstant, nvml::kScopeModule));
}

void add_superchip_energy(const Found& found, NvmlSignals& signals) {
  const NvmlKey of_gpu = nvml_field(nvml::kEnergy, nvml::kScopeGpu);
  const NvmlKey of_module = nvml_field(nvml::kEnergy, nvml::kScopeModule);
  const auto gpu_mj = found.value(of_gpu);
  const auto module_mj = found.value(of_module);
  if (gpu_mj && module_mj &&
      *module_mj - *gpu_mj > std::max(kScopesDiffer * *module_mj, kStepOfCounterMj)) {
    signals.fast.push_back(energy_signal(found.gpu, of_gpu, Boundary::gpu_board));
    signals.fast.push_back(energy_signal(found.gpu, of_module, Boundary::gpu_module));
    return;
  }
  const auto only = found.first_of(
      {nvml_field(nvml::kTotalEnergy), nvml_call(NvmlCall::total_energy), of_module, of_gpu});
  if (!only) return;
  if (found.gpu.name.find("GH200") != std::string::npos) {
    signals.fast.push_back(energy_signal(found.gpu, *only, Boundary::gpu_module));
    return;
  }
  signals.left_out =
      "its energy counter is not read: whether it covers the GPU or the whole module is not known";
}

void add_energy(const Found& found, NvmlSignals& signals) {
  if (is_superchip(found)) return add_superchip_energy(found, signals);
  const auto key = found.first_of({nvml_field(nvml::kTotalEnergy),
                                   nvml_call(NvmlCall::total_energy), nvml_field(nvml::kEnergy)});
  if (key) signals.fast.push_back(energy_signal(found.gpu, *key, Boundary::gpu_board));
}

struct SlowKind {
  Measurand measurand;
  std::string_view raw_unit;
  double to_si;
  bool zero_is_absent;
};

void add_slow(const Found& found, std::initializer_list<NvmlKey> candidates, const SlowKind& kind,
              NvmlSignals& signals) {
  const auto key = found.first_of(candidates);
  if (!key || (kind.zero_is_absent && !found.has_power(*key))) return;
  NvmlSignal made = made_of(found.gpu, {*key}, kind.measurand);
  made.signal.raw_unit = kind.raw_unit;
  made.signal.to_si = kind.to_si;
  made.signal.period = kSlowPeriod;
  made.zero_is_absent = kind.zero_is_absent;
  signals.slow.push_back(std::move(made));
}

void add_limits(const Found& found, NvmlSignals& signals) {
  add_slow(found, {nvml_field(nvml::kEnforcedLimit), nvml_call(NvmlCall::enforced_limit)},
           {Measurand::power_limit_enforced, "mW", kMilli, true}, signals);
  add_slow(found, {nvml_field(nvml::kDefaultLimit), nvml_call(NvmlCall::default_limit)},
           {Measurand::power_limit_default, "mW", kMilli, true}, signals);
  add_slow(found, {nvml_field(nvml::kMaxLimit), nvml_call(NvmlCall::max_limit)},
           {Measurand::power_limit_max, "mW", kMilli, true}, signals);
  add_slow(found, {nvml_field(nvml::kMinLimit), nvml_call(NvmlCall::min_limit)},
           {Measurand::power_limit_min, "mW", kMilli, true}, signals);
  add_slow(found, {nvml_field(nvml::kRequestedLimit), nvml_call(NvmlCall::requested_limit)},
           {Measurand::power_limit_requested, "mW", kMilli, true}, signals);
}

void add_state(const Found& found, NvmlSignals& signals) {
  add_slow(found, {nvml_call(NvmlCall::temperature)}, {Measurand::temperature, "degC", 1, false},
           signals);
  add_slow(found, {nvml_call(NvmlCall::sm_clock)}, {Measurand::sm_clock, "MHz", 1, false}, signals);
  add_slow(found, {nvml_call(NvmlCall::memory_clock)}, {Measurand::memory_clock, "MHz", 1, false},
           signals);
  add_slow(found, {nvml_call(NvmlCall::utilisation)}, {Measurand::utilisation, "%", 0.01, false},
           signals);
  add_slow(found, {nvml_call(NvmlCall::memory_used)}, {Measurand::memory_used, "B", 1, false},
           signals);
}

void add_time_counter(const Found& found, const std::vector<std::uint32_t>& fields,
                      Measurand measurand, NvmlSignals& signals) {
  std::vector<NvmlKey> keys;
  for (const std::uint32_t field : fields) {
    if (found.has(nvml_field(field))) keys.push_back(nvml_field(field));
  }
  if (keys.empty()) return;
  NvmlSignal made = made_of(found.gpu, std::move(keys), measurand);
  made.signal.kind = SignalKind::counter;
  made.signal.raw_unit = "ns";
  made.signal.to_si = kNano;
  made.signal.period = kSlowPeriod;
  signals.slow.push_back(std::move(made));
}

std::optional<double> value_of(const NvmlSignal& signal, const NvmlValues& values) {
  double sum = 0;
  for (const NvmlKey& key : signal.keys) {
    const auto at = values.find(key);
    if (at == values.end()) return std::nullopt;
    sum += at->second;
  }
  if (signal.zero_is_absent && sum == 0) return std::nullopt;
  return sum;
}

}  // namespace

NvmlSignals signals_of(const NvmlGpu& gpu, const NvmlValues& probed) {
  const Found found{gpu, probed};
  NvmlSignals signals;
  add_energy(found, signals);
  add_power(found, nvml::kScopeGpu, signals.fast);
  if (is_superchip(found)) add_power(found, nvml::kScopeModule, signals.fast);
  add_limits(found, signals);
  add_time_counter(found, slowdown_fields(gpu.driver), Measurand::throttled_time, signals);
  add_time_counter(found, {nvml::kPowerCappedTime}, Measurand::power_capped_time, signals);
  add_state(found, signals);
  return signals;
}

std::vector<Reading> readings_of(const std::vector<NvmlSignal>& signals, const NvmlValues& values) {
  std::vector<Reading> readings;
  for (const NvmlSignal& signal : signals) {
    if (const auto value = value_of(signal, values)) readings.push_back({signal.signal.id, *value});
  }
  return readings;
}

std::string_view nvml_architecture_name(unsigned architecture) {
  switch (architecture) {
    case nvml::kKepler: return "Kepler";
    case nvml::kMaxwell: return "Maxwell";
    case nvml::kPascal: return "Pascal";
    case nvml::kVolta: return "Volta";
    case nvml::kTuring: return "Turing";
    case nvml::kAmpere: return "Ampere";
    case nvml::kAda: return "Ada";
    case nvml::kHopper: return "Hopper";
    case nvml::kBlackwell: return "Blackwell";
    case nvml::kRubin: return "Rubin";
    default: return "";
  }
}

std::optional<bool> power_usage_is_average(const NvmlGpu& gpu) {
  if (!gpu.architecture || nvml_architecture_name(*gpu.architecture).empty()) return std::nullopt;
  if (*gpu.architecture != nvml::kAmpere) return *gpu.architecture > nvml::kAmpere;
  // The name's word, up to a dash: "NVIDIA A100-SXM4-40GB", "NVIDIA A30", not "NVIDIA RTX A3000".
  const auto words = split(gpu.name, ' ');
  return std::none_of(words.begin(), words.end(), [](std::string_view word) {
    const std::string_view chip = word.substr(0, word.find('-'));
    return chip == "A100" || chip == "A100X" || chip == "A800" || chip == "A30" || chip == "A30X";
  });
}

}  // namespace tokenjoule
