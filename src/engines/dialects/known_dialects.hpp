#pragma once

#include "engines/table_dialect.hpp"

namespace tokenjoule {

// The rows of the table in engines/dialects.cpp, one file each.
const TableDialect& vllm_dialect();
const TableDialect& sglang_dialect();
const TableDialect& trtllm_dialect();
const TableDialect& dynamo_dialect();
const TableDialect& llamacpp_dialect();
const TableDialect& triton_dialect();
const TableDialect& tgi_dialect();
const TableDialect& lmdeploy_dialect();
const TableDialect& ollama_dialect();
const TableDialect& transformers_dialect();
const TableDialect& llama_cpp_python_dialect();
const TableDialect& openai_dialect();

}  // namespace tokenjoule
