#include "sim/fake_amd_smi/library/fake_state.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string_view>

namespace tokenjoule {

namespace {

std::string_view without_spaces(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <typename Number>
bool set(Number& field, std::string_view text) {
  const bool hex = text.substr(0, 2) == "0x";
  if (hex) text.remove_prefix(2);
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), field, hex ? 16 : 10);
  return code == std::errc() && end == text.data() + text.size();
}
bool set(float& field, std::string_view text) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), field);
  return code == std::errc() && end == text.data() + text.size();
}
bool set(std::string& field, std::string_view text) {
  field = text;
  return true;
}
template <typename Number>
bool set(std::optional<Number>& field, std::string_view text) {
  return set(field.emplace(), text);
}

/// "0000:c1:00.0".
bool set_bdf(FakeAmdGpu& gpu, std::string_view text) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4) {
    return false;
  }
  gpu.bdf = std::uint64_t{domain} << 16 | bus << 8 | device << 3 | function;
  return true;
}

using Setter = std::function<bool(FakeAmdGpu&, std::string_view)>;

template <typename Member>
Setter setter(Member FakeAmdGpu::*member) {
  return [=](FakeAmdGpu& gpu, std::string_view text) { return set(gpu.*member, text); };
}

const std::map<std::string_view, Setter>& gpu_setters() {
  static const std::map<std::string_view, Setter> setters = {
      {"bdf", set_bdf},
      {"name", setter(&FakeAmdGpu::name)},
      {"pci_device", setter(&FakeAmdGpu::pci_device)},
      {"result", setter(&FakeAmdGpu::result)},
      {"energy_counts", setter(&FakeAmdGpu::energy_counts)},
      {"resolution_uj", setter(&FakeAmdGpu::resolution_uj)},
      {"current_w", setter(&FakeAmdGpu::current_w)},
      {"average_w", setter(&FakeAmdGpu::average_w)},
      {"cap_w", setter(&FakeAmdGpu::cap_w)},
      {"default_cap_w", setter(&FakeAmdGpu::default_cap_w)},
      {"max_cap_w", setter(&FakeAmdGpu::max_cap_w)},
      {"junction_c", setter(&FakeAmdGpu::junction_c)},
      {"edge_c", setter(&FakeAmdGpu::edge_c)},
      {"graphics_mhz", setter(&FakeAmdGpu::graphics_mhz)},
      {"memory_mhz", setter(&FakeAmdGpu::memory_mhz)},
      {"utilisation_percent", setter(&FakeAmdGpu::utilisation_percent)},
      {"memory_used_bytes", setter(&FakeAmdGpu::memory_used_bytes)}};
  return setters;
}

bool set_of_all(FakeAmdSmi& smi, std::string_view key, std::string_view value) {
  if (key == "init_result") return set(smi.init_result, value);
  if (key == "stated_version") return set(smi.stated_version, value);
  if (key == "extra_bytes") return set(smi.extra_bytes, value);
  if (key == "written_bytes") return set(smi.written_bytes, value);
  return false;
}

bool take_line(FakeAmdSmi& smi, std::string_view line) {
  line = without_spaces(line.substr(0, line.find('#')));
  if (line.empty()) return true;
  if (line == "[gpu]") {
    smi.gpus.emplace_back();
    return true;
  }
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  const auto key = without_spaces(line.substr(0, equals));
  const auto value = without_spaces(line.substr(equals + 1));
  if (smi.gpus.empty()) return set_of_all(smi, key, value);
  const auto setter = gpu_setters().find(key);
  return setter != gpu_setters().end() && setter->second(smi.gpus.back(), value);
}

}  // namespace

FakeAmdSmi fake_amd_smi() {
  FakeAmdSmi smi;
  const char* const path = std::getenv(kFakeAmdSmiVariable);
  if (path == nullptr) return smi;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!take_line(smi, line)) std::cerr << "fake AMD SMI: not understood: " << line << '\n';
  }
  return smi;
}

}  // namespace tokenjoule
