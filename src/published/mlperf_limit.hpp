#pragma once

#include <optional>
#include <string_view>

namespace tokenjoule {

/// Watts per GPU that the free text of a submission states as the limit: "H200 TGP 600W",
/// "1200W TGP Per GPU", "GPU 450W / 600W (reduced)" (the first is what is set), "Power Cap 1000 W".
/// nullopt: it states none.
std::optional<double> gpu_limit_in(std::string_view text);

}  // namespace tokenjoule
