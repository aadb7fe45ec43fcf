#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "published/columns.hpp"
#include "published/footing.hpp"
#include "published/published_set.hpp"

namespace tokenjoule {

/// All that a table of published results says, ready to be written down.
struct PublishedTable {
  const PublishedSet* set = nullptr;
  const Footing* footing = nullptr;
  std::vector<TableLine> lines;  ///< in the order in which they are shown
  std::vector<Column> columns;
  std::vector<Comparator> comparators;
  bool kinds_together = false;  ///< one table of all kinds, because that was asked for
  std::string tool_version;
};

/// A way to write a table down. A new one is one row in published_formats.cpp.
struct PublishedFormat {
  std::string_view name;
  std::string (*render)(const PublishedTable&);
};
std::span<const PublishedFormat> published_formats();
/// nullptr: there is none of that name.
const PublishedFormat* published_format_named(std::string_view name);

std::string published_terminal(const PublishedTable& table);
std::string published_markdown(const PublishedTable& table);
std::string published_csv(const PublishedTable& table);
/// By docs/published.schema.json.
std::string published_json(const PublishedTable& table);

/// What the kind means, in one sentence.
std::string_view words_of(EnergyKind kind);
/// Whose row it is and what its rules ask to be said with it, in one line.
std::string attribution_of(const PublishedResult& row);
/// The same for many rows at once: whose they are, without what tells single rows of one day of
/// InferenceX apart (number and page of the run).
std::string citation_of(const PublishedResult& row);
/// What the publication asks to be said beside its rows, and ours about them.
std::string_view notice_of(PublishedSource source);
/// Notices for the sources that stand in the table, each once.
std::vector<std::string> notices_of(const PublishedTable& table);
/// A cell for reading: four significant digits, "n/a" for what is absent, "m" behind a median.
std::string shown(const CellValue& cell);

}  // namespace tokenjoule
