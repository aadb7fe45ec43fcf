#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// Rows of a summary: an array (v4.1 to v6.0) or one object keyed by row numbers (v6.1).
bool is_mlperf_summary(std::string_view bytes);
void read_mlperf_summary(const FileContent& content, PublishedSet& into);

/// The limit that a text of the submission states becomes the row's, with where it stands.
void take_stated_limit(PublishedResult& row, std::string_view where, std::string_view text,
                       PublishedSet& set);

}  // namespace tokenjoule
