#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// All-in provisioned watts of a GPU, with the time for which its source used them.
struct AllInPower {
  std::string gpu;  ///< name in the catalogue
  double watts = 0;
  std::string from;   ///< first day, "2026-07-14"
  std::string until;  ///< last day; empty: still in use
  std::string source;
};

/// Dated watts per GPU. Several rows of one GPU are one after another in time.
class PowerTable {
 public:
  /// A table with the columns gpu, watts, from, until, source (data/power_all_in.csv).
  static Result<PowerTable> parse(std::string_view csv);
  static const PowerTable& embedded();

  /// The row in use on that day ("2025-12-15"), or the latest where no day is given; nullptr: none.
  const AllInPower* find(std::string_view gpu, std::string_view day) const;
  const std::vector<AllInPower>& rows() const { return rows_; }

 private:
  std::vector<AllInPower> rows_;
};

}  // namespace tokenjoule
