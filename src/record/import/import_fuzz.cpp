#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/import/imported_run.hpp"
#include "record/import/logs.hpp"
#include "record/run_reader.hpp"

namespace {

/// A power log that covers most loads that a fuzzer finds.
tokenjoule::PowerLog steady_log(std::int64_t begin) {
  tokenjoule::PowerLog log;
  log.devices = {{"gpu-0", "", "0"}};
  for (std::int64_t second = -10; second <= 100; ++second) {
    const double watts = second > 0 && second <= 60 ? 400 : 100;
    log.rows.push_back(
        {begin + second * 1'000'000'000, 0, {{tokenjoule::Measurand::power, watts}}});
  }
  return log;
}

}  // namespace

/// Every reader takes any bytes; what it makes of them can be joined or is refused, and what is
/// joined is a run file that can be read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  (void)log_format_of(text);
  ReadOptions options;
  options.columns = {{"time", "t"}, {"watts", "w"}};
  options.boundary = Boundary::node_ac;
  for (const LogFormat& format : log_formats()) {
    if (format.read_power != nullptr) {
      (void)format.read_power(text, options);
      continue;
    }
    const auto load = format.read_load(text, options);
    if (!load) continue;
    const std::int64_t begin = load->begin_ns.value_or(0);
    if (begin < 0 || begin > 4'000'000'000'000'000'000) continue;
    const auto events = imported_run(*load, {steady_log(begin)}, {}, {});
    if (events && !run_in(run_file_text(*events), "fuzzed")) __builtin_trap();
  }
  return 0;
}
