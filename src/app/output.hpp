#pragma once

#include <string_view>

namespace tokenjoule {

/// Writes to standard output; a failure shows when the program ends (exit code 3), never before.
void put_out(std::string_view text);
/// Writes to standard error; a failure there has nobody to be told.
void put_error(std::string_view text);

}  // namespace tokenjoule
