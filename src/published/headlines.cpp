#include "published/headlines.hpp"

#include <vector>

#include <fmt/core.h>

#include "published/embedded_tables.hpp"
#include "published/published_table.hpp"
#include "published/table_reader.hpp"

namespace tokenjoule {

namespace {

std::string or_unknown(std::string_view text) { return text.empty() ? "n/a" : std::string(text); }

/// Joules of one output token, where the publication says how many there were.
std::string joules_per_token(const NamedCells& cells) {
  const auto wh = cells.number("wh_per_query");
  const auto tokens = cells.number("output_tokens");
  if (!wh || !*wh || !tokens || !*tokens) return "n/a";
  return fmt::format("{:.3g}", **wh * 3600 / **tokens);
}

}  // namespace

Result<std::string> headline_table() {
  std::string text =
      "Published energies of one query. Kinds and scopes differ: read them before you compare.\n\n";
  text += fmt::format("{:>9} {:>8}  {:<13} {:<14} {}\n", "Wh/query", "J/out", "kind", "scope",
                      "what, who, when");
  TRY_DO(for_each_row(embedded_table("published_energy.csv"), {"name", "wh_per_query"},
                      [&](const NamedCells& cells) -> Status {
                        text += fmt::format(
                            "{:>9} {:>8}  {:<13} {:<14} {}; {}, {}\n{:36}{}\n",
                            or_unknown(cells.text("wh_per_query")), joules_per_token(cells),
                            or_unknown(cells.text("energy_kind")), or_unknown(cells.text("scope")),
                            cells.text("name"), cells.text("publisher"), cells.text("date"), "",
                            cells.text("includes"));
                        return {};
                      }));
  text += '\n';
  for (const PublishedSource source :
       {PublishedSource::inferencex, PublishedSource::mlperf, PublishedSource::mlenergy})
    text += fmt::format("{}\n", notice_of(source));
  return text +
         "\nTables of your own files: tokenjoule published table FILE…; upper bounds: "
         "tokenjoule published ceiling FILE…\n";
}

}  // namespace tokenjoule
