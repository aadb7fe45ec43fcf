#include "published/importers.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "published/inferencex.hpp"
#include "published/inferencex_power.hpp"
#include "published/mlenergy.hpp"
#include "published/mlperf.hpp"
#include "published/own_result.hpp"
#include "published/plain_csv.hpp"

namespace tokenjoule {

namespace {

constexpr Importer kImporters[] = {
    {"inferencex", "InferenceX (InferenceMAX) results: aggregates, API rows, raw results, power",
     recognises_inferencex, read_inferencex, join_inferencex},
    {"mlperf", "MLPerf Inference: summaries, systems, logs of loadgen and of the power meter",
     recognises_mlperf, read_mlperf, join_mlperf},
    {"mlenergy", "ML.ENERGY Leaderboard: tasks and models of v3, runs of v2", recognises_mlenergy,
     read_mlenergy, join_mlenergy},
    {"tokenjoule", "result.json of this program", recognises_own_result, read_own_result, nullptr},
    {"csv", "a CSV whose columns have the names of docs/published.md", recognises_plain_csv,
     read_plain_csv, nullptr},
};

/// What a file that nobody knows seems to be, so that the reader sees what went wrong.
std::string_view looks_like(std::string_view bytes) {
  const std::string_view head = trimmed(bytes.substr(0, 512));
  const std::string lower = lower_case(head.substr(0, 15));
  if (bytes.empty()) return "it is empty";
  if (starts_with(lower, "<!doctype html") || starts_with(lower, "<html"))
    return "it is an HTML page: save the data itself, not the page that shows it";
  if (starts_with(lower, "version https:/"))
    return "it is a Git LFS pointer: fetch the file itself";
  if (head.find('\0') != std::string_view::npos) return "it is binary";
  if (starts_with(head, "{") || starts_with(head, "["))
    return "it is JSON, but no key in it is one of a known publication";
  return "neither JSON nor a table whose columns are known";
}

}  // namespace

std::span<const Importer> importers() { return kImporters; }

const Importer* importer_of(std::string_view bytes) {
  for (const Importer& importer : kImporters) {
    if (importer.recognises(bytes)) return &importer;
  }
  return nullptr;
}

void read_published(std::string name, std::string_view bytes, PublishedSet& into) {
  const Importer* const importer = importer_of(bytes);
  const auto file = static_cast<std::uint32_t>(into.files.size());
  into.files.push_back({std::move(name), importer ? importer->name : std::string_view()});
  if (importer) {
    importer->read({file, into.files.back().name, bytes}, into);
  } else {
    into.problems.push_back(
        {file, std::nullopt, fmt::format("nobody's results: {}", looks_like(bytes))});
  }
}

void finish(PublishedSet& set) {
  for (const Importer& importer : kImporters) {
    if (importer.join != nullptr) importer.join(set);
  }
  drop_duplicates(set);
}

}  // namespace tokenjoule
