#include "app/exit_code.hpp"

#include <fmt/core.h>

namespace tokenjoule {

int exit_code_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage: return kExitUsage;
    case ErrorKind::missing:
    case ErrorKind::unavailable:
    case ErrorKind::gone:
    case ErrorKind::retry: return kExitMissing;
    case ErrorKind::unusable: return kExitUnusable;
    case ErrorKind::interrupted: return kExitInterrupted;
    case ErrorKind::internal: return kExitInternal;
  }
  return kExitInternal;
}

int exit_code_of(const Report& report) {
  return report.verdict.status == VerdictStatus::unusable ? kExitUnusable : kExitUsable;
}

std::string line_for(const Error& error) {
  return error.hint.empty() ? fmt::format("tokenjoule: {}\n", error.message)
                            : fmt::format("tokenjoule: {}; {}\n", error.message, error.hint);
}

}  // namespace tokenjoule
