#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"

namespace tokenjoule {

enum class OptionKind { flag, value, values };  ///< values: may be repeated

/// One option of a command, as help shows it and the parser takes it.
struct OptionSpec {
  std::string names;     ///< "--concurrency,-c": the first is the canonical one
  std::string argument;  ///< "N[,N…]" for help; "" for a flag
  std::string help;      ///< what it changes, in what unit, its default
  OptionKind kind = OptionKind::value;
  std::string aliases;  ///< accepted silently: "--max-concurrency,--streams"
  std::string group;    ///< heading in help
};

/// An option that takes one value, has no aliases, and stands under that heading.
OptionSpec value_option(std::string names, std::string argument, std::string help,
                        std::string group);

/// What was given: option values by canonical name without dashes, and the rest in order.
class ParsedOptions {
 public:
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  bool flag(const std::string& name) const { return has(name); }
  /// The value given, the last one if repeated.
  std::optional<std::string> text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  /// The value as a number; an error names the option, what came and the range.
  Result<std::optional<double>> number(const std::string& name, double low, double high) const;
  Result<std::optional<std::int64_t>> integer(const std::string& name, std::int64_t low,
                                              std::int64_t high) const;
  Result<std::optional<Seconds>> duration(const std::string& name) const;
  const std::vector<std::string>& positionals() const { return positionals_; }
  /// The words behind "--", of a command that takes one to run; else empty.
  const std::vector<std::string>& command() const { return command_; }

  void set(const std::string& name, std::vector<std::string> values) {
    values_[name] = std::move(values);
  }
  void set_positionals(std::vector<std::string> values) { positionals_ = std::move(values); }
  void set_command(std::vector<std::string> words) { command_ = std::move(words); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> positionals_;
  std::vector<std::string> command_;
};

struct CommandSpec {
  std::string name;
  std::string summary;  ///< one line
  std::string usage;    ///< "tokenjoule analyze RUN [options]"
  std::vector<OptionSpec> options;
  std::vector<std::string> examples;  ///< each runs as it stands
  int max_positionals = 0;
  /// Does the work; figures to stdout, all else to stderr. Gives the exit code.
  Result<int> (*run)(const ParsedOptions& options) = nullptr;
  /// What stands behind "--" is a command to run, and none of it an option of ours.
  bool takes_command = false;
};

/// The words that are for us: those before "--".
std::vector<std::string> own_words(const std::vector<std::string>& arguments);

/// Parses what stands behind the command's name. Unknown options are a usage error with a
/// suggestion.
Result<ParsedOptions> parse_options(const CommandSpec& command,
                                    const std::vector<std::string>& arguments);

std::string help_of(const CommandSpec& command);
std::string help_of(const std::vector<CommandSpec>& commands);

/// Values of an option written "a,b,c", blanks trimmed, empty ones left out.
std::vector<std::string> comma_list(std::string_view text);

}  // namespace tokenjoule
