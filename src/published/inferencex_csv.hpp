#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// The CSV that InferenceX's dashboard exports. Its headers say milliseconds; what the values are
/// is found from each row itself.
bool recognises_inferencex_csv(std::string_view bytes);
void read_inferencex_csv(const FileContent& content, PublishedSet& into);

}  // namespace tokenjoule
