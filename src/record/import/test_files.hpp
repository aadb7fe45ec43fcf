#pragma once

#include <filesystem>
#include <string>

#include "io/file.hpp"

namespace tokenjoule {

/// A sample of the schema, written by hand.
inline std::string sample(const std::string& name) {
  return file_bytes(std::filesystem::path(TOKENJOULE_SOURCE_DIR) / "src/record/import/testdata" /
                    name)
      .value_or("");
}

/// 2026-09-21 14:13:20 UTC, when the loads of the samples begin.
constexpr std::int64_t kSampleBegin = 1'790'000'000'000'000'000;
constexpr std::int64_t kOneSecond = 1'000'000'000;

}  // namespace tokenjoule
