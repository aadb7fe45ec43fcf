#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "model/run.hpp"

namespace tokenjoule {

/// Reads a whole run file. A cut last line is dropped and noted, unknown kinds are skipped and
/// counted. A file without a header, of a newer schema, or that is something else is an error.
Result<Run> read_run(const std::filesystem::path& path);
/// The same from bytes. `name` stands in messages and as Run::file_name.
Result<Run> run_in(std::string_view bytes, std::string_view name);

}  // namespace tokenjoule
