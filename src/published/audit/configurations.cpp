#include <string_view>
#include <tuple>
#include <unordered_map>

#include "published/audit/audit_row.hpp"

namespace tokenjoule {

namespace {

/// What makes two rows rows of one configuration, whatever their load and day.
auto configuration_of(const PublishedResult& row) {
  const auto layout = [](const PublishedLayout& part) {
    return std::make_tuple(part.gpus, part.tensor, part.pipeline, part.expert, part.prefill_context,
                           part.decode_context, part.workers, part.dp_attention);
  };
  return std::make_tuple(row.source, row.model, row.hardware, row.framework, row.precision,
                         row.speculation, row.scenario, row.nominal_input_len,
                         row.nominal_output_len, row.disaggregated, row.gpus, layout(row.whole),
                         layout(row.prefill), layout(row.decode));
}

using Configuration = decltype(configuration_of(PublishedResult()));

void mix(std::size_t& seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15U + (seed << 6U) + (seed >> 2U);
}

struct ConfigurationHash {
  std::size_t operator()(const Configuration& key) const {
    std::size_t seed = 0;
    const auto text = [&](std::string_view value) {
      mix(seed, std::hash<std::string_view>()(value));
    };
    const auto number = [&](Number value) { mix(seed, std::hash<double>()(value.value_or(-1))); };
    for (const auto value :
         {std::get<1>(key), std::get<2>(key), std::get<3>(key), std::get<4>(key), std::get<6>(key)})
      text(value);
    for (const auto& value : {std::get<7>(key), std::get<8>(key), std::get<10>(key)}) number(value);
    return seed;
  }
};

}  // namespace

std::size_t number_configurations(std::vector<AuditRow>& rows) {
  std::unordered_map<Configuration, std::uint32_t, ConfigurationHash> numbers;
  for (AuditRow& row : rows) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    row.configuration = numbers.try_emplace(configuration_of(*row), next).first->second;
  }
  return numbers.size();
}

}  // namespace tokenjoule
