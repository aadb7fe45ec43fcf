#include "report/words.hpp"

#include "model/metrics.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kVerdicts[] = {"usable", "usable with care", "not usable"};

constexpr std::string_view kBoundaries[] = {
    "chip alone",
    "GPU board with its memory",
    "GPU module (on a superchip with its CPU and memory)",
    "CPU cores",
    "CPU package",
    "memory (DRAM)",
    "whole platform as the CPU sees it (psys)",
    "node, DC side of its power supplies",
    "node, at its AC inlets",
    "rack",
    "facility",
};

}  // namespace

std::string_view words_for(VerdictStatus status) {
  return kVerdicts[static_cast<std::size_t>(status)];
}
std::string_view words_for(Boundary boundary) {
  return kBoundaries[static_cast<std::size_t>(boundary)];
}

std::string_view label_of(std::string_view key) {
  const Metric* metric = metric_named(key);
  return metric == nullptr ? key : metric->title;
}

}  // namespace tokenjoule
