#pragma once

#include <string>
#include <vector>

namespace tokenjoule {

/// The whole program behind main: finds the command, runs it, prints errors in one line. Gives the
/// exit code of docs/methods.md.
int run_program(const std::vector<std::string>& arguments);

}  // namespace tokenjoule
