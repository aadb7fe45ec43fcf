#pragma once

#include "published/published_set.hpp"

namespace tokenjoule {

/// Gives processed rows of InferenceX the mean lengths that their queries really had. Its load
/// client draws lengths from a seeded generator, so the ratio of input to output tokens tells how
/// many queries there were and how long (see seeded_lengths.hpp). Only where the ratio is exact, or
/// the lengths were fixed: those rows are marked `seeded_lengths`. All others stay unknown.
void complete_real_lengths(PublishedSet& set);

}  // namespace tokenjoule
