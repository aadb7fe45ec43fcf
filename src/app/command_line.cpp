#include "app/command_line.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

std::string canonical_name(const OptionSpec& option) {
  const std::string first = option.names.substr(0, option.names.find(','));
  return first.substr(first.find_first_not_of('-'));
}

std::vector<std::string> all_names(const CommandSpec& command) {
  std::vector<std::string> names = {"--help"};
  for (const OptionSpec& option : command.options) {
    for (const auto& list : {option.names, option.aliases}) {
      for (const auto& name : comma_list(list)) names.push_back(name);
    }
  }
  return names;
}

Error bad_value(const std::string& name, const std::string& text, const std::string& wanted) {
  return {ErrorKind::usage, fmt::format("--{} \"{}\" is no {}", name, quoted(text), wanted),
          fmt::format("give --{} {}", name, wanted)};
}

Error usage_error(const CommandSpec& command, const std::vector<std::string>& arguments,
                  const std::string& message) {
  for (const std::string& argument : arguments) {
    if (!starts_with(argument, "-")) continue;
    const std::string word = argument.substr(0, argument.find('='));
    const auto names = all_names(command);
    const bool known = std::find(names.begin(), names.end(), word) != names.end();
    // "-c8" is -c with its value.
    const bool short_with_value =
        word.size() > 2 && word[1] != '-' &&
        std::find(names.begin(), names.end(), word.substr(0, 2)) != names.end();
    if (known || short_with_value || number_in(word)) continue;
    return {ErrorKind::usage,
            fmt::format("unknown option {}{}", quoted(word), did_you_mean(word, names)),
            fmt::format("see tokenjoule {} --help", command.name)};
  }
  return {ErrorKind::usage, message, fmt::format("see tokenjoule {} --help", command.name)};
}

/// CLI11's parser with our options; help is ours, so its own is taken out.
struct Parser {
  CLI::App app;
  std::map<std::string, std::vector<std::string>> values;
  std::vector<std::string> positionals;

  explicit Parser(const CommandSpec& command) {
    app.set_help_flag();
    for (const OptionSpec& option : command.options) {
      const std::string name = canonical_name(option);
      const std::string names =
          option.aliases.empty() ? option.names : option.names + "," + option.aliases;
      if (option.kind == OptionKind::flag) {
        app.add_flag_function(names, [this, name](std::int64_t count) {
          if (count > 0) values[name] = {"true"};
        });
      } else {
        app.add_option(names, values[name])->allow_extra_args(false)->take_all();
      }
    }
    if (command.max_positionals > 0)
      app.add_option("arguments", positionals)->expected(0, command.max_positionals);
  }
};

}  // namespace

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> items;
  for (const auto item : split(text, ',')) {
    if (const auto bare = trimmed(item); !bare.empty()) items.emplace_back(bare);
  }
  return items;
}

OptionSpec value_option(std::string names, std::string argument, std::string help,
                        std::string group) {
  return {std::move(names), std::move(argument), std::move(help), OptionKind::value, "",
          std::move(group)};
}

std::optional<std::string> ParsedOptions::text(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() || at->second.empty() ? std::nullopt
                                                   : std::optional(at->second.back());
}

std::vector<std::string> ParsedOptions::texts(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::vector<std::string>() : at->second;
}

Result<std::optional<double>> ParsedOptions::number(const std::string& name, double low,
                                                    double high) const {
  const auto given = text(name);
  if (!given) return std::optional<double>();
  const auto value = number_in(*given);
  if (!value || *value < low || *value > high) {
    return unexpected(bad_value(name, *given, fmt::format("number from {} to {}", low, high)));
  }
  return value;
}

Result<std::optional<std::int64_t>> ParsedOptions::integer(const std::string& name,
                                                           std::int64_t low,
                                                           std::int64_t high) const {
  const auto given = text(name);
  if (!given) return std::optional<std::int64_t>();
  const auto value = integer_in(*given);
  if (!value || *value < low || *value > high) {
    return unexpected(
        bad_value(name, *given, fmt::format("whole number from {} to {}", low, high)));
  }
  return value;
}

Result<std::optional<Seconds>> ParsedOptions::duration(const std::string& name) const {
  const auto given = text(name);
  if (!given) return std::optional<Seconds>();
  auto span = duration_in(*given);
  if (!span) return unexpected(std::move(span).error().in("--" + name));
  return *span;
}

std::vector<std::string> own_words(const std::vector<std::string>& arguments) {
  return {arguments.begin(), std::find(arguments.begin(), arguments.end(), "--")};
}

namespace {

/// An error where an option with one value was given twice: which of both counts would be a guess.
Status each_once(const ParsedOptions& parsed, const std::vector<OptionSpec>& options) {
  for (const OptionSpec& option : options) {
    const std::string name = canonical_name(option);
    const auto values = parsed.texts(name);
    if (option.kind != OptionKind::value || values.size() < 2) continue;
    return failure(ErrorKind::usage,
                   fmt::format("--{} is given twice: \"{}\" and \"{}\"", name, quoted(values[0]),
                               quoted(values[1])),
                   "give it once");
  }
  return {};
}

}  // namespace

Result<ParsedOptions> parse_options(const CommandSpec& command,
                                    const std::vector<std::string>& words) {
  Parser parser(command);
  const auto arguments = command.takes_command ? own_words(words) : words;
  std::vector<std::string> reversed(arguments.rbegin(),
                                    arguments.rend());  // CLI11 takes them from the back
  try {
    parser.app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return unexpected(usage_error(command, arguments, quoted(error.what(), 300)));
  }
  ParsedOptions parsed;
  for (auto& [name, values] : parser.values) {
    if (!values.empty()) parsed.set(name, std::move(values));
  }
  parsed.set_positionals(std::move(parser.positionals));
  if (arguments.size() < words.size()) {
    parsed.set_command(
        {words.begin() + static_cast<std::ptrdiff_t>(arguments.size()) + 1, words.end()});
  }
  TRY_DO(each_once(parsed, command.options));
  return parsed;
}

namespace {

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (const auto word : split(text, ' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string option_lines(const OptionSpec& option) {
  constexpr std::size_t kIndent = 30;
  std::string names = "  ";
  for (const auto& name : comma_list(option.names)) names += (names.size() > 2 ? ", " : "") + name;
  if (!option.argument.empty()) names += ' ' + option.argument;
  std::string lines = names.size() < kIndent - 1 ? fmt::format("{:<{}}", names, kIndent)
                                                 : names + '\n' + std::string(kIndent, ' ');
  return lines + wrapped(option.help, kIndent, 100) + '\n';
}

}  // namespace

std::string help_of(const CommandSpec& command) {
  std::string help = fmt::format("{}\n\nUsage: {}\n", command.summary, command.usage);
  std::string group;
  for (const OptionSpec& option : command.options) {
    if (option.group != group) help += fmt::format("\n{}:\n", option.group);
    group = option.group;
    help += option_lines(option);
  }
  if (!command.examples.empty()) help += "\nExamples:\n";
  for (const auto& example : command.examples) help += "  " + example + '\n';
  return help;
}

std::string help_of(const std::vector<CommandSpec>& commands) {
  std::string help =
      "tokenjoule: how much energy LLM inference takes, per token and per query\n\n"
      "Usage: tokenjoule COMMAND [options]\n\nCommands:\n";
  for (const CommandSpec& command : commands)
    help += fmt::format("  {:<12}{}\n", command.name, command.summary);
  help +=
      "\nSee tokenjoule COMMAND --help. Exit codes: 0 usable or to be used with care; 1 a fault of "
      "ours; "
      "2 command line;\n3 something needed is missing; 4 measured, but not usable; 130 "
      "interrupted, what was "
      "measured is saved.\n";
  return help;
}

}  // namespace tokenjoule
