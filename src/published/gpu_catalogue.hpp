#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// A GPU with the power limit of its board, as the catalogue has it.
struct CatalogueGpu {
  std::string gpu;                       ///< its name here: "h200-nvl"
  std::vector<std::string> names;        ///< other names, each as words in lower case
  std::string variant;                   ///< SKU or cable mode
  std::optional<double> limit_w;         ///< highest limit of the board; absent: not known
  std::optional<double> compliance_w;    ///< a lower limit that the vendor states for compliance
  std::optional<double> measured_share;  ///< published median of mean power / limit under load
  std::string measured_share_source;
  std::string source;
  std::string source_date;
};

/// Power limits by GPU. Names are matched word by word: "NVIDIA H200-NVL-141GB" has the words of
/// "h200 nvl" and of "h200"; the name with the most words wins, and among the rows of one GPU
/// (cable modes) the highest limit, since a ceiling must not be too low.
class GpuCatalogue {
 public:
  /// A table with the columns of data/hardware.csv; at least `gpu` and `limit_w`.
  static Result<GpuCatalogue> parse(std::string_view csv);
  /// The one that the program carries.
  static const GpuCatalogue& embedded();

  /// nullptr: no row has all of its words in `accelerator`.
  const CatalogueGpu* find(std::string_view accelerator) const;
  const std::vector<CatalogueGpu>& gpus() const { return gpus_; }

 private:
  std::vector<CatalogueGpu> gpus_;
};

/// Words of a name in lower case: letters and digits; all else parts them.
std::vector<std::string> words_of(std::string_view name);

}  // namespace tokenjoule
