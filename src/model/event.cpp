#include "model/event.hpp"

#include <iterator>

namespace tokenjoule {

namespace {

constexpr std::string_view kOutcomes[] = {"completed", "failed", "cancelled"};
constexpr std::string_view kPhases[] = {"idle", "warmup", "measure", "cooldown", "drain", "end"};
constexpr std::string_view kEventKinds[] = {"header",  "device",   "signal", "engine", "sample",
                                            "request", "counters", "mark",   "note",   "anchor",
                                            "loss",    "client",   "close"};
static_assert(std::size(kEventKinds) == std::variant_size_v<Event>);

template <typename Enum, std::size_t N>
std::optional<Enum> named(const std::string_view (&names)[N], std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::optional<Outcome> outcome_named(std::string_view name) {
  return named<Outcome>(kOutcomes, name);
}
std::string_view name_of(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }
std::optional<Phase> phase_named(std::string_view name) { return named<Phase>(kPhases, name); }
std::string_view kind_of(const Event& event) { return kEventKinds[event.index()]; }

}  // namespace tokenjoule
