#include "record/import/foreign_log.hpp"

#include <fmt/core.h>

namespace tokenjoule {

void SkippedRows::add(long line, const std::string& why) {
  constexpr std::size_t kNamed = 3;
  ++count;
  if (first.size() < kNamed) first.push_back(fmt::format("line {}: {}", line, why));
}

}  // namespace tokenjoule
