#include "app/program.hpp"

#include <cstdio>
#include <exception>

#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "app/version.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

int fail(const Error& error) {
  put_error(line_for(error));
  return exit_code_of(error);
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  for (const auto& argument : own_words(arguments)) {
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

int run_command(const CommandSpec& command, const std::vector<std::string>& arguments) {
  if (asks_for_help(arguments)) {
    put_out(help_of(command));
    return kExitUsable;
  }
  const auto parsed = parse_options(command, arguments);
  if (!parsed) return fail(parsed.error());
  const auto code = command.run(*parsed);
  return code ? *code : fail(code.error());
}

int run_words(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    put_error(help_of(commands()));
    return kExitUsage;
  }
  const std::string& name = arguments.front();
  if (name == "--version" || name == "-V") {
    put_out(fmt::format("tokenjoule {}\n", version()));
    return kExitUsable;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    put_out(help_of(commands()));
    return kExitUsable;
  }
  std::vector<std::string> names;
  for (const CommandSpec& command : commands()) {
    if (command.name == name) return run_command(command, {arguments.begin() + 1, arguments.end()});
    names.push_back(command.name);
  }
  return fail({ErrorKind::usage,
               fmt::format("unknown command {}{}", quoted(name), did_you_mean(name, names)),
               "see tokenjoule --help"});
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  int code = kExitInternal;
  try {
    code = run_words(arguments);
  } catch (const std::exception& error) {
    // Libraries of ours throw nothing: this is memory that ran out, or a fault.
    return fail({ErrorKind::internal, fmt::format("unexpected failure: {}", error.what()),
                 "please report it"});
  }
  // A figure that could not be printed (closed pipe, full disk) must not pass for one that was.
  const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (printed || code != kExitUsable) return code;
  return fail({ErrorKind::missing, "cannot write to standard output", "check where it goes to"});
}

}  // namespace tokenjoule
