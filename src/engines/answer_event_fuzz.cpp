// Events one after another: what a reader says that knows the ones before is what a new one says.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/answer_event.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  AnswerEventReader knowing;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
    AnswerEventReader parsing;
    const auto told = knowing.read(line);
    const auto truth = parsing.read(line);
    if (told.has_value() != truth.has_value()) __builtin_trap();
    if (truth && !(**told == **truth)) __builtin_trap();
  }
  return 0;
}
