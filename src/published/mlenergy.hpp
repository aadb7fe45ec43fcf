#pragma once

#include <string_view>

#include "published/importers.hpp"

namespace tokenjoule {

/// ML.ENERGY Leaderboard: files of tasks and of models of v3, its index, and runs of v2 (one object
/// each, or lines of them). Energy is of the GPU boards over the steady window of a run, divided by
/// its output tokens. Tasks that generate pictures have no tokens and give no rows.
bool recognises_mlenergy(std::string_view bytes);
void read_mlenergy(const FileContent& content, PublishedSet& into);

/// Gives rows of v3 the day of the index, where that lies among the files.
void join_mlenergy(PublishedSet& set);

}  // namespace tokenjoule
