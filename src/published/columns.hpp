#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "published/footing.hpp"

namespace tokenjoule {

/// One line of a table: a row with one of its figures.
struct TableLine {
  const PublishedResult* row = nullptr;
  const PublishedFigure* figure = nullptr;
  PooledText errors;  ///< "R04;R05": rules by which the audit calls the row an error
  PooledText flags;   ///< "error:R04;seeded_lengths": all that is to be known beside the figures

  bool has_error() const { return !errors.empty(); }
};

/// The line of a row and its figure, its flags put together; `errors` as audit_errors gives them.
TableLine line_of(PublishedSet& set, const PublishedFigure& figure, PooledText errors);

/// What stands in a cell. `median` marks a rate or a latency whose mean was not published.
struct CellValue {
  std::variant<std::monostate, double, std::string_view> value;
  bool median = false;
};

/// A column: the name that --columns, --where and --sort take, the same in every format.
struct Column {
  std::string name;
  std::string header;  ///< short, for tables
  std::string words;   ///< what it is, with its unit, numerator and denominator
  CellValue (*of)(const TableLine&) = nullptr;
  /// Of a comparator: watts of the thing that is compared to; then `of` is not used.
  std::optional<double> comparator_w;
  bool about_energy = false;  ///< it needs the figure; the others are about the row alone

  CellValue at(const TableLine& line) const;
};

/// All columns, in the order in which JSON and CSV write them.
const std::vector<Column>& published_columns();

/// A thing of everyday life that a query is compared to: "ps5" (200 W), or "kettle=2000".
struct Comparator {
  std::string name;
  double watts = 0;
};
Result<Comparator> comparator_in(std::string_view text);
/// "ps5_min": minutes for which the thing runs on the energy of one query of the nominal lengths.
Column column_of(const Comparator& comparator);

/// The columns of that name; an error names the closest one.
Result<Column> column_named(std::string_view name, const std::vector<Comparator>& comparators);

/// Columns of a table where none are asked for.
std::vector<std::string> default_columns();
/// Columns without which rows of that source cannot be told apart, or may not be shown.
std::vector<std::string> columns_telling(PublishedSource source);

}  // namespace tokenjoule
