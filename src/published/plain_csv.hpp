#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// A CSV of anyone's: the first row names its columns by the names that tables here have
/// (docs/published.md, "A CSV of your own"). Needed are `model`, `gpu`, `gpus` and a rate or an
/// energy. Cells that do not fit their column make their row a problem.
bool recognises_plain_csv(std::string_view bytes);
void read_plain_csv(const FileContent& content, PublishedSet& into);

}  // namespace tokenjoule
