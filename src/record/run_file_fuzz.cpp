#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/event_json.hpp"
#include "record/run_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  (void)tokenjoule::run_in(text, "fuzzed");
  // What reads as an event is written again to a line that reads as the same event.
  const auto event = tokenjoule::event_in(text);
  if (!event || !*event) return 0;
  const std::string line = tokenjoule::line_of(**event);
  const auto again = tokenjoule::event_in(line);
  if (!again || !*again || tokenjoule::line_of(**again) != line) __builtin_trap();
  return 0;
}
