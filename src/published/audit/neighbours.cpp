#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

constexpr double kFallWithLoad = 0.05;  ///< throughput may not fall by more as concurrency rises
constexpr std::size_t kLeastDates = 5;  ///< of one configuration, for its median to be a measure
constexpr double kFarBelow = 0.6;       ///< of the median
constexpr double kFarAbove = 1.7;
constexpr double kEnergyRise = 0.05;  ///< of energy per token as batches grow

using Rows = std::vector<const AuditRow*>;

/// Rows of each configuration that are taken, the configurations in the order of their first row.
std::vector<Rows> by_configuration(const AuditSet& set, bool (*taken)(const AuditRow&)) {
  std::vector<Rows> groups(set.configurations);
  for (const AuditRow& row : set.rows) {
    if (taken(row)) groups[row.configuration].push_back(&row);
  }
  return groups;
}

/// Parts of a group whose rows share a key; the group is sorted by it, rows in their order.
template <typename Key, typename OnPart>
void for_each_part(Rows& rows, Key key, OnPart on_part) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const AuditRow* a, const AuditRow* b) { return key(*a) < key(*b); });
  for (auto from = rows.begin(); from != rows.end();) {
    const auto to = std::find_if(from, rows.end(),
                                 [&](const AuditRow* row) { return key(**from) < key(*row); });
    on_part(Rows(from, to));
    from = to;
  }
}

bool has_load(const AuditRow& row) {
  return row.is_inferencex() && !row->has(RowFlag::agentic) && row->per_gpu.total &&
         row->concurrency;
}

double load_of(const AuditRow& row) { return *row->concurrency; }

void compare_loads(Rows rows, AuditReport& report) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const AuditRow* a, const AuditRow* b) { return load_of(*a) < load_of(*b); });
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const AuditRow& less = *rows[i - 1];
    const AuditRow& more = *rows[i];
    const double ratio = *more->per_gpu.total / *less->per_gpu.total;
    if (load_of(less) == load_of(more) || ratio >= 1 - kFallWithLoad) continue;
    report.add(more, warning, "throughput falls as concurrency rises",
               {{"total_per_gpu", *more->per_gpu.total},
                {"concurrency", load_of(more)},
                {"total_per_gpu_before", *less->per_gpu.total},
                {"concurrency_before", load_of(less)}});
  }
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void compare_dates(const Rows& rows, AuditReport& report) {
  std::set<std::string_view> dates;
  std::vector<double> rates;
  for (const AuditRow* row : rows) {
    dates.insert((*row)->date);
    rates.push_back(*(*row)->per_gpu.total);
  }
  if (dates.size() < kLeastDates) return;
  const double median = median_of(std::move(rates));
  for (const AuditRow* row : rows) {
    const double ratio = *(*row)->per_gpu.total / median;
    if (ratio >= kFarBelow && ratio <= kFarAbove) continue;
    report.add(*row, warning, "throughput far from this configuration's on other days",
               {{"total_per_gpu", *(*row)->per_gpu.total},
                {"median", median},
                {"dates", static_cast<double>(dates.size())}});
  }
}

}  // namespace

void check_monotone(const AuditSet& set, AuditReport& report) {
  for (Rows& rows : by_configuration(set, has_load)) {
    const auto run = [](const AuditRow& row) { return std::pair(row->date, row->attribution.url); };
    for_each_part(rows, run, [&](Rows part) { compare_loads(std::move(part), report); });
  }
}

void check_history(const AuditSet& set, AuditReport& report) {
  for (Rows& rows : by_configuration(set, has_load))
    for_each_part(rows, load_of, [&](const Rows& part) { compare_dates(part, report); });
}

void check_duplicates(const AuditSet& set, AuditReport& report) {
  const auto taken = [](const AuditRow& row) {
    return row.is_inferencex() && row->per_gpu.total && row->concurrency && !row->date.empty();
  };
  std::unordered_map<double, const AuditRow*> by_rate;
  for (Rows& rows : by_configuration(set, taken)) {
    const auto identity = [](const AuditRow& row) { return std::pair(row->date, load_of(row)); };
    for_each_part(rows, identity, [&](const Rows& part) {
      for (std::size_t i = 1; i < part.size(); ++i)
        report.add(*part[i], warning, "the same configuration, load and day twice",
                   {{"other_row", row_in_file(*part[0])},
                    {"total_per_gpu", *(*part[i])->per_gpu.total},
                    {"total_per_gpu_other", *(*part[0])->per_gpu.total}});
      const auto [place, added] = by_rate.try_emplace(*(*part[0])->per_gpu.total, part[0]);
      if (!added && (*place->second)->per_gpu.output == (*part[0])->per_gpu.output)
        report.add(*part[0], warning, "to the last digit the throughput of another configuration",
                   {{"other_row", row_in_file(*place->second)}, {"total_per_gpu", place->first}});
    });
  }
}

void check_energy_by_batch(const AuditSet& set, AuditReport& report) {
  const auto taken = [](const AuditRow& row) {
    return row->source == PublishedSource::mlenergy && row->batch_limit &&
           row->energy.j_per_output_token && *row->energy.j_per_output_token > 0;
  };
  for (Rows& rows : by_configuration(set, taken)) {
    std::stable_sort(rows.begin(), rows.end(), [](const AuditRow* a, const AuditRow* b) {
      return *(*a)->batch_limit < *(*b)->batch_limit;
    });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const AuditRow& less = *rows[i - 1];
      const AuditRow& more = *rows[i];
      const double before = *less->energy.j_per_output_token;
      const double after = *more->energy.j_per_output_token;
      if (*less->batch_limit == *more->batch_limit || after <= before * (1 + kEnergyRise)) continue;
      report.add(more, note, "energy per token rises with the batch: no interpolation across it",
                 {{"batch", *more->batch_limit},
                  {"j_per_output_token", after},
                  {"batch_before", *less->batch_limit},
                  {"j_per_output_token_before", before}});
    }
  }
}

}  // namespace tokenjoule
