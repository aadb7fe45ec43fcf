#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sensors/exec/exec_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const TimeSpan read{{1'000}, {2'000}};
  ExecLines lines("");
  // In two pieces: a line may be cut anywhere.
  lines.take(text.substr(0, size / 2), read, {read, {1'796'000'000'000'000'000}});
  lines.take(text.substr(size / 2), read, {read, {1'796'000'000'000'000'000}});
  while (lines.has_samples()) (void)lines.take_sample();
  (void)lines.take_losses();
  return 0;
}
