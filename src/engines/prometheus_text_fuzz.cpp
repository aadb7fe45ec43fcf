#include "engines/prometheus_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto page = tokenjoule::prometheus_page(text);
  if (page) (void)page->samples_named("a_total");
  return 0;
}
