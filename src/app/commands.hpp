#pragma once

#include <vector>

#include "app/command_line.hpp"

namespace tokenjoule {

/// One row a command, in commands.cpp; each is made by the file that runs it.
const std::vector<CommandSpec>& commands();

CommandSpec measure_command();
CommandSpec record_command();
CommandSpec analyze_command();
CommandSpec sensors_command();
CommandSpec simulate_command();
CommandSpec selftest_command();
CommandSpec plan_command();
CommandSpec import_command();
CommandSpec published_command();
CommandSpec estimate_command();

}  // namespace tokenjoule
