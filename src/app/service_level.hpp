#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/slo.hpp"

namespace tokenjoule {

/// "ttft:200,tpot:50,e2el:5000" in milliseconds, or a preset: "mlperf:llama3.1-8b-interactive".
/// Anything else is a usage error.
Result<ServiceLevel> service_level_in(std::string_view text);

}  // namespace tokenjoule
