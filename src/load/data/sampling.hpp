#pragma once

#include <cstdint>
#include <string_view>

namespace tokenjoule {

/// In which order the entries of a data set are used.
enum class Sampling {
  permute,      ///< each entry once in a pass, in a new order each pass
  replacement,  ///< drawn anew for each request
  sequential,   ///< as they stand in the file, again and again
};
std::string_view name_of(Sampling sampling);

/// Which of `count` entries (at least 1) the request at `position` uses. Depends on nothing else:
/// any request can be asked for at any time. Streams of one seed are independent.
std::uint64_t sampled_index(Sampling sampling, std::uint64_t count, std::uint64_t position,
                            std::uint64_t seed, std::uint64_t stream);

}  // namespace tokenjoule
