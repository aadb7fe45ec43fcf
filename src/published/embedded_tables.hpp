#pragma once

#include <string_view>

namespace tokenjoule {

/// The bytes of a table of data/ ("hardware.csv"), carried inside the program since it was built;
/// empty: there is none of that name.
std::string_view embedded_table(std::string_view name);

}  // namespace tokenjoule
