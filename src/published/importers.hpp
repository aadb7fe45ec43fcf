#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "published/published_set.hpp"

namespace tokenjoule {

/// A file as an importer sees it.
struct FileContent {
  std::uint32_t file = 0;  ///< its index in PublishedSet::files
  std::string_view name;   ///< hints at what the content leaves out; never decides who reads it
  std::string_view bytes;
};

/// A kind of published file. A new one is one row in importers.cpp.
struct Importer {
  std::string_view name;
  std::string_view what;  ///< one line for the help and the docs
  /// By content alone. At most one importer may recognise a file.
  bool (*recognises)(std::string_view bytes);
  /// Adds rows, sidecars and problems to the set. One bad row never loses the others.
  void (*read)(const FileContent& content, PublishedSet& into);
  /// After all files: joins sidecars with rows. nullptr: there is nothing to join.
  void (*join)(PublishedSet& set);
};

std::span<const Importer> importers();

/// The one that recognises the bytes; nullptr: nobody does.
const Importer* importer_of(std::string_view bytes);

/// Reads one file into the set by the importer that recognises it. A file that nobody knows
/// becomes a problem of the set: one line that says what it looks like.
void read_published(std::string name, std::string_view bytes, PublishedSet& into);

/// After the last file: joins sidecars and drops duplicates.
void finish(PublishedSet& set);

}  // namespace tokenjoule
