#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// InferenceX (formerly InferenceMAX) in all the shapes that its results have had: processed
/// records of one or several nodes, alone or in arrays, rows of its interface, the dashboard's CSV,
/// raw results of its load client, and the power files beside those. See docs/published.md.
bool recognises_inferencex(std::string_view bytes);
void read_inferencex(const FileContent& content, PublishedSet& into);

}  // namespace tokenjoule
