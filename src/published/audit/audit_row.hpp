#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "published/audit/references.hpp"
#include "published/audit_rules.hpp"
#include "published/seeded_lengths.hpp"

namespace tokenjoule {

/// A row with all that rules need to know about it beside its own fields.
struct AuditRow {
  const PublishedSet* set = nullptr;
  const PublishedResult* result = nullptr;
  std::uint32_t index = 0;
  std::uint32_t rows_of_file = 0;
  std::optional<SeedMatch> seed;      ///< absent: no lengths, no split, or too many streams
  const GpuReference* gpu = nullptr;  ///< nullptr: not known
  const ModelReference* model = nullptr;
  bool wanted = true;               ///< findings about it are asked for
  std::uint32_t configuration = 0;  ///< the same for all rows that differ in load and day only

  const PublishedResult& operator*() const { return *result; }
  const PublishedResult* operator->() const { return result; }
  bool is_inferencex() const { return result->source == PublishedSource::inferencex; }
  /// An InferenceX row of fixed lengths made by its own load client.
  bool is_fixed_workload() const;
  std::string_view file_name() const { return set->files[result->origin.file].name; }
};

struct AuditSet {
  const PublishedSet* set = nullptr;
  std::vector<AuditRow> rows;
  std::size_t configurations = 0;  ///< how many different ones there are
  std::vector<bool> is_sidecar;    ///< by file: a power log or another file beside the results
};

/// Numbers the rows' configurations in the order of their first rows; how many there are.
std::size_t number_configurations(std::vector<AuditRow>& rows);

/// Where rules put what they find.
class AuditReport {
 public:
  using Values = std::initializer_list<AuditValue>;

  /// The rule whose findings come next.
  void start(const AuditRule& rule, std::size_t slot) {
    rule_ = &rule;
    slot_ = slot;
  }
  void add(const AuditRow& row, AuditSeverity severity, std::string_view words, Values values);
  void add_unread(const ReadProblem& problem, AuditSeverity severity);
  void add_on_file(std::uint32_t file, AuditSeverity severity, std::string_view words,
                   Values values);
  void add_on_all(AuditSeverity severity, std::string_view words, Values values);
  /// Findings in the order of the rules; rows of a rule in the order in which they came.
  std::vector<AuditFinding> take();
  AuditReport(std::size_t rules, bool errors_only) : errors_only_(errors_only), by_rule_(rules) {}

 private:
  AuditFinding& append(AuditSeverity severity, std::string_view words, Values values);
  bool is_wanted(const AuditRow& row, AuditSeverity severity) const;

  bool errors_only_ = false;
  const AuditRule* rule_ = nullptr;
  std::size_t slot_ = 0;
  std::vector<std::vector<AuditFinding>> by_rule_;
};

using Number = std::optional<double>;

/// Where the row stands in its file, counted from 1.
inline double row_in_file(const AuditRow& row) { return static_cast<double>(row->origin.row) + 1; }

/// a / b, where both are known and b is above 0.
Number ratio_of(Number a, Number b);
/// |a / b - 1|, where both are known and b is not 0.
Number deviation_of(Number a, Number b);
/// Limit of the row's board by the catalogue of GPUs, watts.
Number catalogue_limit_w(const AuditRow& row);
/// Tokens of an answer in the mean: measured, by the seed, or 0.9 of the nominal length (lengths
/// are uniform from 0.8 of it on). `exact` is false for the last.
struct AnswerLength {
  double tokens = 0;
  bool exact = false;
};
std::optional<AnswerLength> answer_length(const AuditRow& row);

}  // namespace tokenjoule
