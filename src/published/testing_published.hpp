#pragma once

// For the tests of published results only.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "published/importers.hpp"

namespace tokenjoule {

/// Samples of ours, by hand after the real schemas.
inline const std::filesystem::path kSamples = TOKENJOULE_SOURCE_DIR "/src/published/testdata";

/// "" where there is no such file.
inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What files hold together.
inline PublishedSet set_of(const std::vector<std::filesystem::path>& paths) {
  PublishedSet set;
  for (const auto& path : paths) read_published(path.string(), bytes_of(path), set);
  finish(set);
  return set;
}

/// The numbers of all rows.
inline std::vector<std::uint32_t> all_of(const PublishedSet& set) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) rows.push_back(i);
  return rows;
}

}  // namespace tokenjoule
