#include "app/output.hpp"

#include <cstdio>

namespace tokenjoule {

void put_out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void put_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace tokenjoule
