#include "sensors/nvml/nvml_reader.hpp"

#include "devices/nvml_error.hpp"

namespace tokenjoule {

namespace {

void note_error(NvmlRead& read, Error error) {
  const bool lost = error.kind == ErrorKind::unavailable;
  if (!lost && error.kind != ErrorKind::retry) return;
  if (!read.error || (lost && read.error->kind != ErrorKind::unavailable)) {
    read.error = std::move(error);
  }
}

bool is_lost(const NvmlRead& read) {
  return read.error && read.error->kind == ErrorKind::unavailable;
}

void read_fields(const Nvml& nvml, nvml::Device device, const std::vector<NvmlKey>& keys,
                 NvmlRead& read) {
  std::vector<nvml::FieldValue> batch;
  for (const NvmlKey& key : keys) {
    if (key.call == NvmlCall::field) batch.push_back({.field = key.field, .scope = key.scope});
  }
  if (batch.empty()) return;
  if (auto status = nvml.field_values(device, batch); !status) {
    return note_error(read, std::move(status).error());
  }
  for (const nvml::FieldValue& answer : batch) {
    if (const auto number = number_in(answer)) {
      read.values[nvml_field(answer.field, answer.scope)] = *number;
    } else if (answer.result != nvml::kSuccess) {
      note_error(read,
                 nvml_error(answer.result, source_of(nvml_field(answer.field, answer.scope))));
    }
  }
}

template <typename Number>
Result<double> as_number(Result<Number> result) {
  return result.map([](Number number) { return static_cast<double>(number); });
}

Result<double> read_call(const Nvml& nvml, nvml::Device device, NvmlCall call) {
  switch (call) {
    case NvmlCall::total_energy: return as_number(nvml.total_energy_mj(device));
    case NvmlCall::power_usage: return as_number(nvml.power_usage_mw(device));
    case NvmlCall::enforced_limit: return as_number(nvml.enforced_limit_mw(device));
    case NvmlCall::default_limit: return as_number(nvml.default_limit_mw(device));
    case NvmlCall::requested_limit: return as_number(nvml.requested_limit_mw(device));
    case NvmlCall::max_limit:
      return nvml.limit_range(device).map(
          [](auto range) { return static_cast<double>(range.max_mw); });
    case NvmlCall::min_limit:
      return nvml.limit_range(device).map(
          [](auto range) { return static_cast<double>(range.min_mw); });
    case NvmlCall::temperature: return as_number(nvml.temperature_c(device));
    case NvmlCall::sm_clock: return as_number(nvml.clock_mhz(device, nvml::kSmClock));
    case NvmlCall::memory_clock: return as_number(nvml.clock_mhz(device, nvml::kMemoryClock));
    case NvmlCall::utilisation: return as_number(nvml.utilisation_percent(device));
    case NvmlCall::memory_used: return as_number(nvml.memory_used_bytes(device));
    case NvmlCall::field: break;
  }
  return failure(ErrorKind::internal, "a field is read in the batch");
}

}  // namespace

NvmlRead read_nvml(const Nvml& nvml, nvml::Device device, const std::vector<NvmlKey>& keys) {
  NvmlRead read;
  read_fields(nvml, device, keys, read);
  for (const NvmlKey& key : keys) {
    if (key.call == NvmlCall::field) continue;
    if (is_lost(read)) break;
    if (auto number = read_call(nvml, device, key.call)) {
      read.values[key] = *number;
    } else {
      note_error(read, std::move(number).error());
    }
  }
  return read;
}

Result<double> read_nvml_value(const Nvml& nvml, nvml::Device device, const NvmlKey& key) {
  if (key.call != NvmlCall::field) return read_call(nvml, device, key.call);
  nvml::FieldValue field{.field = key.field, .scope = key.scope};
  TRY_DO(nvml.field_values(device, {&field, 1}));
  if (field.result != nvml::kSuccess) return unexpected(nvml_error(field.result, source_of(key)));
  const auto number = number_in(field);
  if (!number) return failure(ErrorKind::missing, source_of(key) + ": no number of a known type");
  return *number;
}

}  // namespace tokenjoule
