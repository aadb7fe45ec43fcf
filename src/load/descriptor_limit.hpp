#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace tokenjoule {

/// Makes sure that the process may hold so many more descriptors open (sockets, mostly): raises the
/// soft limit as far as the hard one allows. An error says which limit is in the way.
Status allow_descriptors(std::uint64_t count);

}  // namespace tokenjoule
