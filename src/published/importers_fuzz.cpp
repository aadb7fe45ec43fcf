#include <cstddef>
#include <cstdint>
#include <string_view>

#include "published/footing.hpp"
#include "published/importers.hpp"
#include "published/published_table.hpp"
#include "published/real_lengths.hpp"

/// Whatever the bytes are: read, joined, put on one footing and written down.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  PublishedSet set;
  read_published("input_h200_tp2_isl1024.json",
                 std::string_view(reinterpret_cast<const char*>(bytes), size), set);
  finish(set);
  complete_real_lengths(set);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) rows.push_back(i);
  FootingOptions options;
  options.watts = {{"h200", 700}};
  const Footing footing = footing_of(set, rows, options);
  PublishedTable table{&set, &footing, {}, {}, {}, false, "0"};
  for (const auto& figure : footing.figures)
    table.lines.push_back({&set.rows[figure.row], &figure});
  for (const auto& name : default_columns()) {
    if (auto column = column_named(name, {})) table.columns.push_back(*std::move(column));
  }
  for (const PublishedFormat& format : published_formats()) (void)format.render(table);
  return 0;
}
