#include "model/report.hpp"

namespace tokenjoule {

std::string_view name_of(Severity severity) {
  constexpr std::string_view names[] = {"note", "care", "unusable"};
  return names[static_cast<std::size_t>(severity)];
}

std::string_view name_of(VerdictStatus status) {
  constexpr std::string_view names[] = {"usable", "care", "unusable"};
  return names[static_cast<std::size_t>(status)];
}

namespace {
constexpr std::string_view kPeerTools[] = {"vllm", "aiperf", "sglang"};
}

std::string_view name_of(PeerTool tool) { return kPeerTools[static_cast<std::size_t>(tool)]; }

std::optional<PeerTool> peer_tool_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kPeerTools); ++i) {
    if (kPeerTools[i] == name) return static_cast<PeerTool>(i);
  }
  return std::nullopt;
}

}  // namespace tokenjoule
