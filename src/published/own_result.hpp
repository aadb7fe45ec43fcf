#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// result.json of this program (docs/result.schema.json), so that own runs stand in the same table.
/// Each boundary that was measured gives its energy; a result that was not usable has none.
bool recognises_own_result(std::string_view bytes);
void read_own_result(const FileContent& content, PublishedSet& into);

}  // namespace tokenjoule
