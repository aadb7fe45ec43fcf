#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// One event as one line of the run file, without the line's end.
std::string line_of(const Event& event);
/// The event of a line; nullopt where its kind is unknown to this version; an error where the line
/// is no JSON or lacks what its kind needs.
Result<std::optional<Event>> event_in(std::string_view line);

}  // namespace tokenjoule
