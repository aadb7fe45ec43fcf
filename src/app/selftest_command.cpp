#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "base/text.hpp"
#include "selftest/selftest.hpp"

namespace tokenjoule {

namespace {

using K = OptionKind;

std::vector<OptionSpec> selftest_options() {
  return {
      {"--streams,-c", "N[,N…]",
       "streams at a time, one load after another (default: 256,1024,4096,10000)", K::value,
       "--concurrency", "Load"},
      {"--rate", "R",
       "events per second of each stream (default: 50, and fewer above 2048 streams so that "
       "all together make 100 000)",
       K::value, "", "Load"},
      {"--seconds", "TIME", "length of the window of each reader (default: 5s)", K::value,
       "--duration", "Load"},
      {"--quick", "", "windows of 1 s: a look, no measurement", K::flag, "", "Load"},
      {"--stall", "TIME/PERIOD",
       "stop the client's load thread so long in each period, to see its guard at work", K::value,
       "", "Load"},
      {"--format", "table|json", "what is printed (default: table)", K::value, "", "Output"},
  };
}

Status take_loads(SelfTestOptions& options, const ParsedOptions& parsed) {
  TRY(const auto rate, parsed.number("rate", 0.1, 10'000));
  const std::string list = parsed.text("streams").value_or("256,1024,4096,10000");
  for (const std::string& item : comma_list(list)) {
    const auto streams = integer_in(item);
    if (!streams || *streams < 1 || *streams > 100'000) {
      return failure(ErrorKind::usage,
                     fmt::format("--streams \"{}\" is no number from 1 to 100000", quoted(item)),
                     "write --streams 1024 or --streams 256,4096");
    }
    const int count = static_cast<int>(*streams);
    for (const SelfTestLoad& load : options.loads) {
      if (load.streams != count) continue;
      return failure(ErrorKind::usage, fmt::format("--streams names {} twice", count),
                     "name each number of streams once");
    }
    options.loads.push_back({count, rate.value_or(default_rate(count))});
  }
  if (!options.loads.empty()) return {};
  return failure(ErrorKind::usage, "--streams names no number", "write --streams 1024");
}

Result<Stall> stall_in(const std::string& text) {
  const auto wrong =
      failure(ErrorKind::usage, fmt::format("--stall \"{}\" is no TIME/PERIOD", quoted(text)),
              "write --stall 5ms/100ms, the first below the second");
  const auto slash = text.find('/');
  if (slash == std::string::npos) return wrong;
  const auto length = duration_in(text.substr(0, slash));
  const auto period = duration_in(text.substr(slash + 1));
  if (!length || !period || *length <= Seconds() || *length >= *period) return wrong;
  return Stall{to_nanoseconds(*length), to_nanoseconds(*period)};
}

Result<SelfTestOptions> selftest_options_from(const ParsedOptions& parsed) {
  SelfTestOptions options;
  TRY_DO(take_loads(options, parsed));
  TRY(const auto seconds, parsed.duration("seconds"));
  if (seconds && parsed.flag("quick")) {
    return failure(ErrorKind::usage, "both --seconds and --quick were given", "give one of them");
  }
  if (seconds && (*seconds < Seconds(0.5) || *seconds > Seconds(3600))) {
    return failure(ErrorKind::usage, "--seconds lies outside 0.5s to 1h", "give --seconds 5s");
  }
  options.window = parsed.flag("quick") ? Seconds(1) : seconds.value_or(Seconds(5));
  if (const auto text = parsed.text("stall")) {
    TRY(options.stall, stall_in(*text));
  }
  return options;
}

Result<bool> wants_json(const ParsedOptions& parsed) {
  const std::string format = parsed.text("format").value_or("table");
  if (format == "json" || format == "table") return format == "json";
  const std::string formats[] = {"table", "json"};
  return failure(
      ErrorKind::usage,
      fmt::format("--format {} is none{}", quoted(format), did_you_mean(format, formats)),
      "say table or json");
}

Result<int> run_selftest_command(const ParsedOptions& parsed) {
  TRY(const SelfTestOptions options, selftest_options_from(parsed));
  TRY(const bool json, wants_json(parsed));
  TRY(const SelfTestResult result, run_selftest(options, [](const std::string& what) {
        put_error(fmt::format("selftest: {}\n", what));
      }));
  put_out(json ? selftest_json(result) : selftest_table(result));
  for (const std::string& warning : warnings_of(result)) {
    put_error(fmt::format("warning: {}\n", warning));
  }
  return kExitUsable;
}

}  // namespace

CommandSpec selftest_command() {
  return {"selftest",
          "what this machine's load client can hold: events/s, CPU, stamp errors, memory",
          "tokenjoule selftest [--streams N,…] [--quick] [options]",
          selftest_options(),
          {"tokenjoule selftest", "tokenjoule selftest --streams 1024 --stall 20ms/200ms",
           "tokenjoule selftest --quick --format json"},
          0,
          run_selftest_command};
}

}  // namespace tokenjoule
