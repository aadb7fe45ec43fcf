#include "published/inferencex_csv.hpp"

#include <unordered_map>

#include <fmt/core.h>

#include "base/csv_rows.hpp"
#include "base/text.hpp"
#include "published/inferencex_row.hpp"

namespace tokenjoule {

namespace {

struct Header {
  std::string_view written;
  std::string_view key;  ///< of the processed record
};

constexpr Header kHeaders[] = {
    {"Model", "model"},
    {"ISL", "isl"},
    {"OSL", "osl"},
    {"Hardware", "hw"},
    {"Framework", "framework"},
    {"Precision", "precision"},
    {"TP", "tp"},
    {"Concurrency", "conc"},
    {"Date", "date"},
    {"Throughput/GPU (tok/s)", "tput_per_gpu"},
    {"Output Throughput/GPU (tok/s)", "output_tput_per_gpu"},
    {"Input Throughput/GPU (tok/s)", "input_tput_per_gpu"},
    {"Disaggregated", "disagg"},
    {"Num Prefill GPUs", "num_prefill_gpu"},
    {"Num Decode GPUs", "num_decode_gpu"},
    {"Spec Decoding", "spec_decoding"},
    {"EP", "ep"},
    {"DP Attention", "dp_attention"},
    {"Is Multinode", "is_multinode"},
};

constexpr Header kQuantities[] = {
    {"TTFT (ms)", "ttft"},
    {"TPOT (ms)", "tpot"},
    {"ITL (ms)", "itl"},
    {"E2E Latency (ms)", "e2el"},
    {"Interactivity (tok/s/user)", "intvty"},
};

/// "Mean TTFT (ms)" is "mean_ttft"; the header itself where it has no key.
std::string key_of(std::string_view header) {
  for (const Header& known : kHeaders) {
    if (known.written == header) return std::string(known.key);
  }
  const std::size_t blank = header.find(' ');
  if (blank == std::string_view::npos) return std::string(header);
  for (const Header& quantity : kQuantities) {
    if (header.substr(blank + 1) == quantity.written)
      return fmt::format("{}_{}", lower_case(header.substr(0, blank)), quantity.key);
  }
  return std::string(header);
}

/// The first line that is no comment.
std::string_view first_line(std::string_view bytes) {
  CsvRows rows(bytes.substr(0, 65536));
  return rows.next() == nullptr ? std::string_view() : rows.row();
}

void divide(PublishedStatistic& statistic, double by) {
  for (auto* value : {&statistic.mean, &statistic.median, &statistic.p90, &statistic.p99,
                      &statistic.p999, &statistic.deviation}) {
    if (*value) **value /= by;
  }
}

/// The headers say milliseconds. What the values are is seen from rate and time per token, whose
/// product is 1 in seconds and 1000 in milliseconds.
bool values_are_ms(const PublishedResult& row) {
  const auto tpot = row.tpot.mean ? row.tpot.mean : row.tpot.median;
  const auto rate = row.tpot.mean ? row.interactivity.mean : row.interactivity.median;
  if (tpot && rate) return *tpot * *rate > 30;
  return tpot && *tpot > 1;  // no service takes a second for each token
}

void settle_units(PublishedResult& row) {
  if (!values_are_ms(row)) {
    row.mark(RowFlag::seconds_under_ms);
    return;
  }
  for (auto* statistic : {&row.ttft, &row.tpot, &row.itl, &row.e2e}) divide(*statistic, 1000);
}

class CsvReader {
 public:
  CsvReader(const FileContent& content, PublishedSet& set)
      : content_(content), set_(set), rows_(content.bytes) {}

  void read() {
    const auto* const head = rows_.next();
    if (head == nullptr) return;
    for (const auto name : *head) keys_.push_back(key_of(name));
    while (const auto* const cells = rows_.next()) row_of(*cells);
    if (rows_.fault()) problem(std::nullopt, rows_.fault()->message);
  }

 private:
  void row_of(const std::vector<std::string_view>& cells) {
    InferencexRow row;
    row.has_role_keys = true;  // it states prefill and decode GPUs, never their sum as TP
    row.result.origin = {content_.file, next_row_++};
    if (cells.size() != keys_.size()) {
      return problem(row.result.origin.row, fmt::format("line {} has {} cells, the header {}",
                                                        rows_.line(), cells.size(), keys_.size()));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const JsonScalar cell = scalar_of(keys_[i], cells[i]);
      const std::size_t unknown = row.result.unknown.size();
      put_inferencex_member(cell, set_, row);
      const bool misfit = row.result.unknown.size() > unknown && is_number_key(keys_[i]);
      if (misfit) {
        return problem(row.result.origin.row,
                       fmt::format("line {}: {} is \"{}\": are the columns shifted?", rows_.line(),
                                   keys_[i], quoted(cells[i], 40)));
      }
    }
    settle_units(row.result);
    settle_inferencex_row(content_.name, set_, row);
    set_.rows.push_back(std::move(row.result));
  }

  static bool is_number_key(std::string_view key) {
    return key == "tput_per_gpu" || key == "isl" || key == "osl" || key == "conc" || key == "tp";
  }

  static JsonScalar scalar_of(std::string_view key, std::string_view cell) {
    JsonScalar scalar;
    scalar.path = key;
    scalar.key = key;
    scalar.text = cell;
    scalar.string = cell;
    scalar.type = cell.empty() ? JsonScalar::Type::absent : JsonScalar::Type::string;
    return scalar;
  }

  void problem(std::optional<std::uint32_t> row, std::string message) {
    set_.problems.push_back({content_.file, row, std::move(message)});
  }

  const FileContent& content_;
  PublishedSet& set_;
  CsvRows rows_;
  std::vector<std::string> keys_;
  std::uint32_t next_row_ = 0;
};

}  // namespace

bool recognises_inferencex_csv(std::string_view bytes) {
  const std::string_view head = first_line(bytes);
  return head.find("Throughput/GPU (tok/s)") != std::string_view::npos &&
         head.find("Hardware") != std::string_view::npos;
}

void read_inferencex_csv(const FileContent& content, PublishedSet& into) {
  CsvReader(content, into).read();
}

}  // namespace tokenjoule
