#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace tokenjoule {

void broken_invariant(const char* condition, const char* file, int line) {
  std::fprintf(
      stderr,
      "tokenjoule: broken invariant: %s (%s:%d); this is a fault of ours, please report it\n",
      condition, file, line);
  std::abort();
}

}  // namespace tokenjoule
