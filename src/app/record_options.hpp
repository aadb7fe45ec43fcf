#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure_options.hpp"

namespace tokenjoule {

/// All that `tokenjoule record` can be told.
struct RecordOptions : MeterOptions, OutputOptions {
  std::optional<Seconds> duration;   ///< absent: around the command, else until a signal
  std::vector<std::string> command;  ///< the program and its arguments; empty: none
  Seconds idle{0};                   ///< recorded before the window, 0: not
  std::vector<Url> metrics;          ///< pages of the engine that is loaded; empty: none is read
  std::optional<std::string> dialect;
  HttpHeaders headers;  ///< for these pages; never recorded
  std::vector<std::pair<std::string, std::string>> engine_config;  ///< stated by the user
};

std::vector<OptionSpec> record_option_specs();
Result<RecordOptions> record_options_from(const ParsedOptions& parsed);

/// What goes into the record: the options as understood, without secrets. Of a command its program
/// alone: an argument may be a key.
std::string record_configuration_json(const RecordOptions& options);

}  // namespace tokenjoule
