#include "published/footing.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/core.h>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "published/energy_basis.hpp"

namespace tokenjoule {

namespace {

using Known = std::optional<double>;

Known over(Known a, Known b) { return a && b && *b > 0 ? Known(*a / *b) : std::nullopt; }

Known sum(Known a, Known b) { return a && b ? Known(*a + *b) : std::nullopt; }

/// Joules of one query of the lengths really used, by the shortest way that the row allows.
Known joules_per_answer(const PublishedResult& row, const EnergyBasis& basis,
                        const PublishedFigure& figure) {
  if (basis.j_answer) return basis.j_answer;
  if (const auto rate = row.requests_per_s; rate && *rate > 0) return over(basis.system_w, rate);
  if (row.completed && row.duration_s && basis.system_w)
    return over(*basis.system_w * *row.duration_s, row.completed);
  const auto lengths = sum(row.mean_input_len, row.mean_output_len);
  if (lengths && figure.j_total) return *figure.j_total * *lengths;
  if (row.mean_output_len && figure.j_output) return *figure.j_output * *row.mean_output_len;
  return std::nullopt;
}

PublishedFigure figure_on(const PublishedResult& row, std::uint32_t index,
                          const EnergyBasis& basis) {
  PublishedFigure figure;
  figure.row = index;
  figure.kind = basis.kind;
  figure.limit_source = basis.limit_source;
  figure.basis = basis.words;
  figure.gpu_w = basis.gpu_w;
  figure.system_w = basis.system_w;
  figure.measured_share = basis.measured_share;
  figure.gpus_charged = basis.gpus_charged;
  figure.j_output = basis.j_output ? basis.j_output : over(basis.system_w, row.system.output);
  figure.j_input = basis.j_input ? basis.j_input : over(basis.system_w, row.system.input);
  figure.j_total = basis.j_total ? basis.j_total : over(basis.system_w, row.system.total);
  const auto lengths = sum(row.nominal_input_len, row.nominal_output_len);
  if (figure.j_total && lengths && !row.has(RowFlag::agentic))
    figure.wh_query = *figure.j_total * *lengths / kJoulesPerWattHour;
  if (!row.has(RowFlag::agentic)) figure.j_answer = joules_per_answer(row, basis, figure);
  return figure;
}

void scale(std::optional<double>& value, double factor) {
  if (value) *value *= factor;
}

/// A service that reaches a share of the benchmark's throughput at the same watts.
PublishedFigure at_share(PublishedFigure figure, double share, PublishedSet& set) {
  figure.basis =
      set.keep(fmt::format("{}; at {} of the published throughput", figure.basis, share));
  figure.kind = EnergyKind::modelled;
  for (auto* value :
       {&figure.j_output, &figure.j_input, &figure.j_total, &figure.wh_query, &figure.j_answer})
    scale(*value, 1 / share);
  return figure;
}

class Maker {
 public:
  Maker(PublishedSet& set, const FootingOptions& options)
      : set_(set), options_(options), bases_(set, options) {}

  void add(std::uint32_t index) {
    const PublishedResult& row = set_.rows[index];
    const std::size_t before = footing_.figures.size();
    for (const EnergyKind kind :
         {EnergyKind::measured_gpu, EnergyKind::measured_wall, EnergyKind::provisioned}) {
      if (wanted(kind, row)) add(index, row, kind);
    }
    const bool bare = before == footing_.figures.size() && options_.kinds.empty() &&
                      row.source != PublishedSource::inferencex;
    if (bare || asked_for(EnergyKind::ceiling)) add(index, row, EnergyKind::ceiling);
  }

  Footing finish() {
    footing_.unmatched_watts = bases_.unmatched_watts();
    return std::move(footing_);
  }

 private:
  bool asked_for(EnergyKind kind) const {
    return std::find(options_.kinds.begin(), options_.kinds.end(), kind) != options_.kinds.end();
  }

  bool wanted(EnergyKind kind, const PublishedResult& row) const {
    if (!options_.kinds.empty()) return asked_for(kind);
    return kind != EnergyKind::provisioned || row.source == PublishedSource::inferencex;
  }

  void add(std::uint32_t index, const PublishedResult& row, EnergyKind kind) {
    bases_.of(row, kind, found_);
    for (const EnergyBasis& basis : found_.bases) {
      footing_.figures.push_back(figure_on(row, index, basis));
      const bool at_limit = kind == EnergyKind::provisioned || kind == EnergyKind::ceiling;
      if (options_.achieved && at_limit)
        footing_.figures.push_back(at_share(footing_.figures.back(), *options_.achieved, set_));
    }
    if (!found_.refused.empty())
      footing_.refusals.push_back({index, kind, std::string(found_.refused)});
  }

  PublishedSet& set_;
  const FootingOptions& options_;
  EnergyBases bases_;
  BasesFound found_;
  Footing footing_;
};

}  // namespace

Footing footing_of(PublishedSet& set, const std::vector<std::uint32_t>& rows,
                   const FootingOptions& options) {
  Maker maker(set, options);
  for (const std::uint32_t row : rows) maker.add(row);
  return maker.finish();
}

std::optional<double> gpus_used(const PublishedResult& row) {
  const bool whole_node = row.has(RowFlag::other_client) && row.gpus && row.whole.tensor &&
                          *row.whole.tensor > 0 && *row.whole.tensor < *row.gpus;
  return whole_node ? row.whole.tensor : row.gpus;
}

bool charges_idle_gpus(const PublishedResult& row, const PublishedFigure& figure) {
  const auto used = gpus_used(row);
  return used && figure.gpus_charged && *figure.gpus_charged > *used;
}

std::optional<UserRate> user_rate(const PublishedResult& row) {
  if (row.interactivity.mean) return UserRate{*row.interactivity.mean, false};
  if (row.tpot.mean && *row.tpot.mean > 0) return UserRate{1 / *row.tpot.mean, false};
  if (row.interactivity.median) return UserRate{*row.interactivity.median, true};
  if (row.tpot.median && *row.tpot.median > 0) return UserRate{1 / *row.tpot.median, true};
  return std::nullopt;
}

}  // namespace tokenjoule
