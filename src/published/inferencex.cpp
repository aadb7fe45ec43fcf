#include "published/inferencex.hpp"

#include <utility>

#include <fmt/core.h>

#include "base/json_rows.hpp"
#include "base/text.hpp"
#include "published/inferencex_csv.hpp"
#include "published/inferencex_power.hpp"
#include "published/inferencex_row.hpp"
#include "published/power_log.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kMuch = std::size_t{1} << 22;
constexpr std::size_t kHead = 64 * 1024;  ///< the keys that tell stand within this

bool has_key(std::string_view head, std::string_view key) {
  return head.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
}

/// Does the first object of the file have keys that only these records have together?
bool has_records(std::string_view head) {
  const bool processed = has_key(head, "tput_per_gpu");
  const bool raw = has_key(head, "max_concurrency") && has_key(head, "model_id") &&
                   (has_key(head, "total_output_tokens") || has_key(head, "output_throughput"));
  const bool other_harness =
      has_key(head, "tokens_per_kw") || has_key(head, "mean_power_per_gpu_w");
  const bool agentic = has_key(head, "request_accounting") &&
                       (has_key(head, "request_metrics") || has_key(head, "scenario_type"));
  return processed || raw || other_harness || agentic;
}

class Reader {
 public:
  Reader(const FileContent& content, PublishedSet& set) : content_(content), set_(set) {}

  void rows_of(std::string_view text, int depth) {
    JsonElements elements(text);
    while (const auto element = elements.next()) {
      if (starts_with(element->text, "[") && depth == 0) {
        rows_of(element->text, depth + 1);
      } else {
        row_of(element->text);
      }
    }
    if (elements.fault())
      set_.problems.push_back({content_.file, std::nullopt, elements.fault()->message});
  }

 private:
  void row_of(std::string_view text) {
    InferencexRow row;
    row.result.origin = {content_.file, next_row_++};
    const auto read = objects_.walk(
        text, [&](const JsonScalar& member) { put_inferencex_member(member, set_, row); });
    if (!read) {
      set_.problems.push_back({content_.file, row.result.origin.row, read.error().message});
      return;
    }
    settle_inferencex_row(content_.name, set_, row);
    set_.rows.push_back(std::move(row.result));
  }

  const FileContent& content_;
  PublishedSet& set_;
  JsonObjectReader objects_;
  std::uint32_t next_row_ = 0;
};

}  // namespace

bool recognises_inferencex(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, kHead);
  const std::string_view start = trimmed(head.substr(0, 4096));
  if (starts_with(start, "{") || starts_with(start, "["))
    return has_records(head) || is_power_validation(bytes);
  return recognises_inferencex_csv(bytes) || is_power_log(bytes);
}

void read_inferencex(const FileContent& content, PublishedSet& into) {
  if (recognises_inferencex_csv(content.bytes)) return read_inferencex_csv(content, into);
  for (const auto& [kind, is_one] :
       {std::pair(kPowerValidation, &is_power_validation), std::pair(kPowerLog, &is_power_log)}) {
    if (!is_one(content.bytes)) continue;
    into.sidecars.push_back({content.file, kind, std::string(content.bytes)});
    return;
  }
  // Rows are large: growing step by step would copy all of them several times. A record takes at
  // least 800 bytes; room that is not used is never touched.
  constexpr std::size_t kLeastRecord = 800;
  if (content.bytes.size() > kMuch)
    into.rows.reserve(into.rows.size() + content.bytes.size() / kLeastRecord);
  Reader(content, into).rows_of(content.bytes, 0);
}

}  // namespace tokenjoule
