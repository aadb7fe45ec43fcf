#include "gpu_values.hpp"

#include <algorithm>
#include <map>

#include "sensors/nvml/nvml_reader.hpp"

namespace tokenjoule {

namespace {

struct ValueKind {
  std::string_view what;
  std::string_view unit;
};

ValueKind kind_of_field(std::uint32_t field) {
  switch (field) {
    case nvml::kPowerCappedTime: return {"time held back by the power limit", "ns"};
    case nvml::kThermalPolicyTime: return {"time of thermal slowdown", "ns"};
    case nvml::kTotalEnergy:
    case nvml::kEnergy: return {"energy", "mJ"};
    case nvml::kPowerAverage: return {"power, mean over 1 s", "mW"};
    case nvml::kPowerInstant: return {"power, instantaneous", "mW"};
    case nvml::kMinLimit: return {"lowest power limit", "mW"};
    case nvml::kMaxLimit: return {"highest power limit", "mW"};
    case nvml::kDefaultLimit: return {"default power limit", "mW"};
    case nvml::kEnforcedLimit: return {"enforced power limit", "mW"};
    case nvml::kRequestedLimit: return {"requested power limit", "mW"};
    default: return {"time of thermal or brake slowdown", "ns"};  // see slowdown_fields
  }
}

ValueKind kind_of(const NvmlKey& key) {
  switch (key.call) {
    case NvmlCall::field: return kind_of_field(key.field);
    case NvmlCall::total_energy: return {"energy", "mJ"};
    case NvmlCall::power_usage: return {"power", "mW"};
    case NvmlCall::enforced_limit: return {"enforced power limit", "mW"};
    case NvmlCall::default_limit: return {"default power limit", "mW"};
    case NvmlCall::max_limit: return {"highest power limit", "mW"};
    case NvmlCall::min_limit: return {"lowest power limit", "mW"};
    case NvmlCall::requested_limit: return {"requested power limit", "mW"};
    case NvmlCall::temperature: return {"temperature", "degC"};
    case NvmlCall::sm_clock: return {"SM clock", "MHz"};
    case NvmlCall::memory_clock: return {"memory clock", "MHz"};
    case NvmlCall::utilisation: return {"utilisation", "%"};
    case NvmlCall::memory_used: return {"memory used", "B"};
  }
  return {};
}

std::vector<NvmlKey> fast_fields_of(const OpenedGpu& gpu) {
  std::vector<NvmlKey> fields;
  for (const NvmlSignal& signal : gpu.signals.fast) {
    for (const NvmlKey& key : signal.keys) {
      if (key.call == NvmlCall::field) fields.push_back(key);
    }
  }
  return fields;
}

/// Times reads and sorts them by what was read.
class Stopwatch {
 public:
  explicit Stopwatch(Clock& clock) : clock_(clock) {}

  /// `read` tells whether it got something: what a GPU does not offer is refused without being
  /// read, and says nothing about the cost.
  template <typename Read>
  void time(const std::string& source, Read read) {
    const MonoTime before = clock_.now();
    const bool got = read();
    const Nanoseconds took = clock_.now() - before;
    if (got) costs_[source].push_back(1e-3 * static_cast<double>(took.count));
  }

  std::vector<ReadCost> costs() && {
    std::vector<ReadCost> sorted;
    for (auto& [source, us] : costs_) {
      std::sort(us.begin(), us.end());
      sorted.push_back({source, std::move(us)});
    }
    return sorted;
  }

 private:
  Clock& clock_;
  std::map<std::string, std::vector<double>> costs_;
};

constexpr const char* kWholePoll = "one poll: all fields of energy and power in one call";

void time_gpu(const Nvml& nvml, const OpenedGpu& gpu, const std::vector<NvmlKey>& keys,
              Stopwatch& stopwatch) {
  for (const NvmlKey& key : keys) {
    stopwatch.time(source_of(key),
                   [&] { return read_nvml_value(nvml, gpu.handle, key).has_value(); });
  }
  const auto fields = fast_fields_of(gpu);
  if (fields.empty()) return;
  stopwatch.time(kWholePoll, [&] { return !read_nvml(nvml, gpu.handle, fields).values.empty(); });
}

}  // namespace

std::vector<GpuValue> values_of(const Nvml& nvml, const OpenedGpu& gpu, const std::string& driver) {
  std::vector<GpuValue> values;
  for (const NvmlKey& key : keys_to_probe(driver)) {
    const ValueKind kind = kind_of(key);
    GpuValue value{source_of(key), kind.what, kind.unit, std::nullopt, "ok"};
    if (const auto number = read_nvml_value(nvml, gpu.handle, key)) {
      value.raw = *number;
    } else {
      value.status = number.error().message;
    }
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<ReadCost> read_costs(const Nvml& nvml, const std::vector<OpenedGpu>& gpus,
                                 const std::string& driver, Seconds length, Clock& clock) {
  // Two values come by one function; it need not be timed twice.
  std::vector<NvmlKey> keys;
  for (const NvmlKey& key : keys_to_probe(driver)) {
    if (key.call != NvmlCall::min_limit) keys.push_back(key);
  }
  Stopwatch stopwatch(clock);
  const MonoTime end = clock.now() + to_nanoseconds(length);
  do {
    for (const OpenedGpu& gpu : gpus) time_gpu(nvml, gpu, keys, stopwatch);
  } while (clock.now() < end);
  return std::move(stopwatch).costs();
}

}  // namespace tokenjoule
