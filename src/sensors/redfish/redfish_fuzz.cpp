#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sensors/redfish/redfish_meters.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  // The controller's every page is that one: links may lead anywhere, also in a circle.
  const auto page_at = [&](const std::string&) { return JsonDocument::parse(std::string(text)); };
  for (const auto source : {RedfishWish::Source::best, RedfishWish::Source::supplies}) {
    RedfishWish wish;
    wish.host = "bmc";
    wish.source = source;
    const auto node = redfish_node(page_at, wish);
    const auto page = page_at("");
    if (!node || !page) continue;
    for (const RedfishMeter& meter : node->meters) {
      const auto value = redfish_value(page->root(), meter);
      if (value && !(std::isfinite(*value) && *value >= 0)) __builtin_trap();
    }
  }
  return 0;
}
