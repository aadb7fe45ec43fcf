#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/published.hpp"

namespace tokenjoule {

/// Keeps each text once; what it gave out stays valid as long as it lives, wherever it is moved.
class TextPool {
 public:
  PooledText keep(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> texts_;
  /// What came lately, by its quick hash: rows repeat the same few words.
  std::array<PooledText, 512> recent_;
};

/// A line about something that could not be read. `row` is absent where it concerns a whole file.
struct ReadProblem {
  std::uint32_t file = 0;
  std::optional<std::uint32_t> row;
  std::string message;
};

/// A file that is no row itself but says more about rows of others: a power log, a system
/// description. `kind` is the importer's own word for it.
struct Sidecar {
  std::uint32_t file = 0;
  std::string_view kind;
  std::string bytes;
};

struct PublishedFile {
  std::string name;           ///< as given: path, and the name inside an archive behind '!'
  std::string_view importer;  ///< who read it; empty: nobody knew it
};

/// Rows of all files read so far, with what could not be read. Moving it keeps all texts valid.
struct PublishedSet {
  std::unique_ptr<TextPool> texts = std::make_unique<TextPool>();
  std::vector<PublishedFile> files;
  std::vector<PublishedResult> rows;
  std::vector<Sidecar> sidecars;
  std::vector<ReadProblem> problems;
  std::size_t duplicates = 0;  ///< rows dropped because they stood there already

  PooledText keep(std::string_view text) { return texts->keep(text); }
};

/// Drops rows that are the same result published twice (all that tells results apart is equal,
/// throughput to the last digit). The first stays and takes from the others what it lacks.
void drop_duplicates(PublishedSet& set);

}  // namespace tokenjoule
