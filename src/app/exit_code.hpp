#pragma once

#include <string>

#include "base/result.hpp"
#include "model/report.hpp"

namespace tokenjoule {

enum ExitCode : int {
  kExitUsable = 0,
  kExitInternal = 1,
  kExitUsage = 2,
  kExitMissing = 3,
  kExitUnusable = 4,
  kExitInterrupted = 130,
};

int exit_code_of(const Error& error);
/// 4 where the verdict is unusable, or needs care and `strict` is set; else 0.
int exit_code_of(const Report& report);

/// "tokenjoule: MESSAGE. HINT." in one line, for standard error.
std::string line_for(const Error& error);

}  // namespace tokenjoule
