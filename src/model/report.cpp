#include "model/report.hpp"

namespace tokenjoule {

std::string_view name_of(Severity severity) {
  constexpr std::string_view names[] = {"note", "care", "unusable"};
  return names[static_cast<std::size_t>(severity)];
}

std::string_view name_of(VerdictStatus status) {
  constexpr std::string_view names[] = {"usable", "care", "unusable"};
  return names[static_cast<std::size_t>(status)];
}

}  // namespace tokenjoule
