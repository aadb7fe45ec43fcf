#include "published/gpu_catalogue.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"
#include "published/embedded_tables.hpp"
#include "published/table_reader.hpp"

namespace tokenjoule {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Result<CatalogueGpu> gpu_of(const NamedCells& cells) {
  CatalogueGpu gpu;
  gpu.gpu = lower_case(cells.text("gpu"));
  gpu.names.push_back(joined(words_of(gpu.gpu)));
  for (const auto name : split(cells.text("names"), ';')) {
    if (!trimmed(name).empty()) gpu.names.push_back(joined(words_of(name)));
  }
  gpu.variant = cells.text("variant");
  TRY(gpu.limit_w, cells.number("limit_w"));
  TRY(gpu.compliance_w, cells.number("compliance_limit_w"));
  TRY(gpu.measured_share, cells.number("measured_share"));
  gpu.measured_share_source = cells.text("measured_share_source");
  gpu.source = cells.text("source");
  gpu.source_date = cells.text("source_date");
  if (gpu.gpu.empty() || (gpu.limit_w && *gpu.limit_w <= 0))
    return failure(ErrorKind::usage, fmt::format("line {}: a GPU needs a name, and a limit above 0 "
                                                 "W or none",
                                                 cells.line()));
  return gpu;
}

/// How many words the name has if `words` has them all; else 0.
std::size_t words_matched(const std::string& name, const std::vector<std::string>& words) {
  std::size_t count = 0;
  for (const auto word : split(name, ' ')) {
    if (std::find(words.begin(), words.end(), word) == words.end()) return 0;
    ++count;
  }
  return count;
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : lower_case(name)) {
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (part && !inside) words.emplace_back();
    if (part) words.back() += c;
    inside = part;
  }
  return words;
}

Result<GpuCatalogue> GpuCatalogue::parse(std::string_view csv) {
  GpuCatalogue catalogue;
  TRY_DO(for_each_row(csv, {"gpu", "limit_w"}, [&](const NamedCells& cells) -> Status {
    TRY(auto gpu, gpu_of(cells));
    catalogue.gpus_.push_back(std::move(gpu));
    return {};
  }));
  return catalogue;
}

const GpuCatalogue& GpuCatalogue::embedded() {
  // A test reads the embedded table, so it cannot fail here.
  static const GpuCatalogue catalogue =
      parse(embedded_table("hardware.csv")).value_or(GpuCatalogue());
  return catalogue;
}

const CatalogueGpu* GpuCatalogue::find(std::string_view accelerator) const {
  const auto words = words_of(accelerator);
  const CatalogueGpu* best = nullptr;
  std::size_t most = 0;
  for (const CatalogueGpu& gpu : gpus_) {
    std::size_t matched = 0;
    for (const std::string& name : gpu.names)
      matched = std::max(matched, words_matched(name, words));
    if (matched == 0) continue;
    const bool higher = best != nullptr && matched == most && best->gpu == gpu.gpu &&
                        gpu.limit_w.value_or(0) > best->limit_w.value_or(0);
    if (matched > most || higher) best = &gpu;
    most = std::max(most, matched);
  }
  return best;
}

}  // namespace tokenjoule
