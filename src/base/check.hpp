#pragma once

namespace tokenjoule {

/// Prints the broken invariant and its place, then aborts. Kept in release builds.
[[noreturn]] void broken_invariant(const char* condition, const char* file, int line);

}  // namespace tokenjoule

/// An invariant of our own. Never for bad input: that is an Error.
#define TJ_ASSERT(condition) \
  ((condition) ? void(0) : ::tokenjoule::broken_invariant(#condition, __FILE__, __LINE__))
