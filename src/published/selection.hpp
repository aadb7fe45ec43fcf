#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "published/columns.hpp"

namespace tokenjoule {

/// One term of --where: "isl=8192", "interactivity>=18", "framework~trt" (contains), "spec!=none".
/// Texts are compared without regard to case. A value that is absent meets no term but "!=".
struct Condition {
  enum class Operator { equal, unequal, at_least, at_most, above, below, contains };
  Column column;
  Operator op = Operator::equal;
  std::string text;
  std::optional<double> number;

  bool holds(const TableLine& line) const;
};

/// Terms parted by blanks, all of which must hold; a value with blanks stands in single quotes:
/// "model=dsr1 isl=8192 interactivity>=18 system~'Dell XE'".
Result<std::vector<Condition>> conditions_in(std::string_view text,
                                             const std::vector<Comparator>& comparators);

/// One key of --sort: "wh_query" rises, "wh_query:desc" falls; absent values come last.
struct SortKey {
  Column column;
  bool falling = false;
};
Result<std::vector<SortKey>> sort_keys_in(std::string_view text,
                                          const std::vector<Comparator>& comparators);

/// Sorts lines kind by kind (kinds are not ranked together), or all together. Lines whose row the
/// audit calls an error come behind the others, whatever the keys say.
enum class Ranking { by_kind, together };
void sort_lines(std::vector<TableLine>& lines, const std::vector<SortKey>& keys, Ranking ranking);

/// Keeps the lines that no other line of the same kind, model and lengths beats in both: tokens a
/// second of one user, and energy per query (per output token where there are no lengths). A row
/// that the audit calls an error stands on no frontier and beats nobody.
std::vector<TableLine> frontier_of(const std::vector<TableLine>& lines);

}  // namespace tokenjoule
