#include "app/version.hpp"

namespace tokenjoule {

std::string_view version() { return TOKENJOULE_VERSION; }

}  // namespace tokenjoule
