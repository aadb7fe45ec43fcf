#include <cmath>
#include <set>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "published/published_table.hpp"

namespace tokenjoule {

std::string_view words_of(EnergyKind kind) {
  switch (kind) {
    case EnergyKind::measured_gpu: return "read from the GPU boards while they worked";
    case EnergyKind::measured_wall: return "read at the wall, the whole system";
    case EnergyKind::provisioned:
      return "watts that a planner sets aside for each GPU, host and network included: no "
             "measurement";
    case EnergyKind::ceiling:
      return "the GPUs' power limit for all of the time: they cannot have drawn more, but the rest "
             "of "
             "the server is not in it";
    case EnergyKind::modelled:
      return "derived from a figure of another kind by a stated assumption";
  }
  return "";
}

namespace {

void add(std::string& words, std::string_view part) {
  if (!part.empty()) words += fmt::format("{}{}", words.empty() ? "" : ", ", quoted(part));
}

std::string publication_of(const PublishedResult& row) {
  switch (row.source) {
    case PublishedSource::inferencex: return "InferenceX";
    case PublishedSource::mlperf: return "MLPerf Inference";
    case PublishedSource::mlenergy: return "ML.ENERGY Leaderboard";
    case PublishedSource::tokenjoule: return "tokenjoule";
    case PublishedSource::csv: break;
  }
  return {};
}

std::string_view remark_on(const PublishedResult& row) {
  return row.source == PublishedSource::mlperf ? "; our calculation, not an MLPerf metric" : "";
}

}  // namespace

std::string_view notice_of(PublishedSource source) {
  switch (source) {
    case PublishedSource::inferencex:
      return "Data from InferenceX (https://github.com/SemiAnalysisAI/InferenceX), Copyright "
             "SemiAnalysis LLC, Apache License 2.0; attribution to InferenceX is required for any "
             "derivative work. Energies are our calculation.";
    case PublishedSource::mlperf:
      return "MLPerf is a registered trademark of MLCommons Association. Joules per token and per "
             "answer are our calculation, not an MLPerf metric; not verified by MLCommons "
             "Association.";
    case PublishedSource::mlenergy:
      return "Data from the ML.ENERGY Leaderboard (https://ml.energy); cite Chung et al., The "
             "ML.ENERGY Benchmark, NeurIPS Datasets and Benchmarks 2025 (arXiv 2505.06371). GPU "
             "boards over the steady window of a run, prefill inside; rounds v2 and v3 are not "
             "comparable run for run.";
    case PublishedSource::tokenjoule: return "Own measurements, by tokenjoule.";
    case PublishedSource::csv:
      return "Rows of a CSV without a publisher: its origin is yours to state.";
  }
  return "";
}

std::string attribution_of(const PublishedResult& row) {
  std::string words = publication_of(row);
  const PublishedAttribution& by = row.attribution;
  for (const PooledText part : {by.round, by.id, by.submitter, by.system, by.division, by.suite,
                                by.availability, row.date, by.url})
    add(words, part);
  return words.append(remark_on(row));
}

std::string citation_of(const PublishedResult& row) {
  if (row.source != PublishedSource::inferencex) return attribution_of(row);
  std::string words = publication_of(row);
  add(words, row.date.substr(0, std::string_view("2026-01-01").size()));
  return words;
}

std::vector<std::string> notices_of(const PublishedTable& table) {
  std::set<PublishedSource> sources;
  for (const TableLine& line : table.lines) sources.insert(line.row->source);
  std::vector<std::string> notices;
  for (const PublishedSource source : sources) notices.emplace_back(notice_of(source));
  return notices;
}

std::string shown(const CellValue& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell.value)) return quoted(*text);
  const auto* number = std::get_if<double>(&cell.value);
  if (number == nullptr) return "n/a";
  constexpr double kExactWhole = 1e15;
  const double size = std::abs(*number);
  const bool whole = *number == std::floor(*number);
  std::string text;
  if (whole && size < kExactWhole) {
    text = fmt::format_int(static_cast<std::int64_t>(*number)).str();
  } else if (whole || size >= 1000) {
    text = fmt::format(FMT_COMPILE("{:.0f}"), *number);
  } else {
    text = fmt::format(FMT_COMPILE("{:.4g}"), *number);
  }
  if (cell.median) text += 'm';
  return text;
}

}  // namespace tokenjoule
