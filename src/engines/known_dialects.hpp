#pragma once

#include "engines/dialect.hpp"

namespace tokenjoule {

// The rows of the table in dialects.cpp.
const EngineDialect& vllm_dialect();
const EngineDialect& llamacpp_dialect();
const EngineDialect& openai_dialect();

}  // namespace tokenjoule
