#include <algorithm>

#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/footing_options.hpp"
#include "app/output.hpp"
#include "app/published_command.hpp"
#include "app/version.hpp"
#include "base/text.hpp"
#include "published/audit_rules.hpp"
#include "published/estimate.hpp"
#include "published/selection.hpp"

namespace tokenjoule {

namespace {

constexpr double kMostTokens = 1e8;
constexpr std::int64_t kShown = 5;

struct EstimateChoice : FootingChoice {
  std::vector<std::string> files;
  QueryLengths lengths;
  std::vector<Condition> conditions;
  std::int64_t rows = kShown;
  bool json = false;
};

Result<double> length_of(const ParsedOptions& parsed, const std::string& name) {
  TRY(const auto tokens, parsed.number(name, 1, kMostTokens));
  if (tokens) return *tokens;
  return failure(ErrorKind::usage, fmt::format("estimate needs --{}", name),
                 fmt::format("give the tokens of the query: --{} 2000", name));
}

Status take_conditions(const ParsedOptions& parsed, EstimateChoice& choice) {
  for (const auto& text : parsed.texts("where")) {
    TRY(auto conditions, conditions_in(text, {}));
    for (Condition& condition : conditions) {
      if (condition.column.about_energy || condition.column.name == "flags") {
        return failure(ErrorKind::usage,
                       fmt::format("--where {}: estimate chooses rows by what ran and how, not by "
                                   "energy",
                                   condition.column.name),
                       "choose the kind of energy with --kind");
      }
      choice.conditions.push_back(std::move(condition));
    }
  }
  return {};
}

Status take_all(const ParsedOptions& parsed, EstimateChoice& choice) {
  choice.files = parsed.texts("from");
  if (choice.files.empty()) {
    return failure(ErrorKind::usage, "estimate needs published rows",
                   "name their files: --from FILE");
  }
  TRY(choice.lengths.input, length_of(parsed, "input-len"));
  TRY(choice.lengths.output, length_of(parsed, "output-len"));
  TRY_DO(take_footing_options(parsed, choice));
  TRY_DO(take_conditions(parsed, choice));
  TRY(const auto rows, parsed.integer("rows", 1, 1'000'000));
  choice.rows = rows.value_or(kShown);
  const std::string format = parsed.text("format").value_or("table");
  choice.json = format == "json";
  if (choice.json || format == "table") return {};
  return failure(ErrorKind::usage, fmt::format("--format {} is none", quoted(format)),
                 "give table or json");
}

std::vector<std::uint32_t> chosen_rows(PublishedSet& set, const EstimateChoice& choice) {
  std::vector<std::uint32_t> chosen;
  const auto errors = audit_errors(set);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < set.rows.size(); ++i) {
    const TableLine line{&set.rows[i], nullptr};
    const bool meets =
        std::all_of(choice.conditions.begin(), choice.conditions.end(),
                    [&](const Condition& condition) { return condition.holds(line); });
    // Cached prompt tokens of agents count as input: their lengths mean something else.
    if (!meets || set.rows[i].has(RowFlag::agentic)) continue;
    if (errors[i].empty()) chosen.push_back(i);
    if (!errors[i].empty()) ++wrong;
  }
  if (wrong > 0)
    put_error(
        fmt::format("tokenjoule: {} rows are left out: the audit calls them errors "
                    "(tokenjoule published audit says why)\n",
                    wrong));
  return chosen;
}

/// The reasons that most configurations have, for a refusal of all.
std::string main_reasons(const Estimates& estimates) {
  constexpr std::size_t kTold = 3;
  std::vector<std::pair<std::size_t, std::string_view>> reasons;
  std::size_t all = 0;
  for (const auto& [why, count] : estimates.refused) {
    all += count;
    reasons.emplace_back(count, why);
  }
  if (reasons.empty()) return "no row has an energy";
  // What is nearest to an answer comes first: rows that only do not reach far enough.
  const auto rank = [&](const auto& reason) {
    return std::pair(estimates.outside.count(std::string(reason.second)), reason.first);
  };
  std::stable_sort(reasons.begin(), reasons.end(),
                   [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
  std::string words;
  for (std::size_t i = 0; i < reasons.size() && i < kTold; ++i)
    words +=
        fmt::format("{}{} of {}: {}", i == 0 ? "" : "; ", reasons[i].first, all, reasons[i].second);
  if (reasons.size() > kTold) words += fmt::format("; {} more reasons", reasons.size() - kTold);
  return words;
}

std::vector<OptionSpec> estimate_options();

Result<int> run_estimate(const ParsedOptions& parsed) {
  EstimateChoice choice;
  TRY_DO(take_all(parsed, choice));
  TRY(auto set, published_set_of(choice.files));
  tell_reading(set);
  const auto rows = chosen_rows(set, choice);
  if (rows.empty()) {
    return failure(
        ErrorKind::missing, "no row is left to estimate from",
        "loosen --where; agents' traces and rows that the audit calls errors do not count");
  }
  const Footing footing = footing_of(set, rows, choice.footing);
  tell_footing(set, footing);
  const Estimates estimates = estimates_of(set, footing, choice.lengths);
  if (estimates.found.empty()) {
    return failure(
        ErrorKind::missing,
        fmt::format("no configuration allows an estimate for {} input and {} output "
                    "tokens; {}",
                    choice.lengths.input, choice.lengths.output, main_reasons(estimates)),
        "it takes rows of one configuration at three lengths or more that enclose the "
        "lengths asked for");
  }
  put_out(choice.json ? estimates_json(set, estimates, choice.lengths, version())
                      : estimates_text(set, estimates, choice.lengths,
                                       static_cast<std::size_t>(choice.rows)));
  return kExitUsable;
}

/// Options that mean here what they mean to `published table`.
std::vector<OptionSpec> shared_options() {
  std::vector<OptionSpec> shared;
  for (const OptionSpec& option : published_options()) {
    for (const std::string_view name :
         {"--where", "--kind", "--watts", "--power-table", "--power-as-of", "--hardware-table"}) {
      if (option.names == name) shared.push_back(option);
    }
  }
  return shared;
}

std::vector<OptionSpec> estimate_options() {
  std::vector<OptionSpec> options = {
      {"--from", "FILE", "published rows: files, archives or folders (see published --help)",
       OptionKind::values, "", "The question"},
      {"--input-len", "N", "input tokens of the query", OptionKind::value, "", "The question"},
      {"--output-len", "N", "output tokens of the query", OptionKind::value, "", "The question"},
      {"--rows", "N", "at most N configurations, the least energy first (default: 5)",
       OptionKind::value, "", "What is shown"},
      {"--format", "table|json", "what is printed (default: table)", OptionKind::value, "",
       "What is shown"},
  };
  for (OptionSpec& option : shared_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace

CommandSpec estimate_command() {
  return {
      "estimate",
      "energy of a query of other lengths, from published rows at several lengths",
      "tokenjoule estimate --from FILE --input-len N --output-len N [options]\n\n"
      "Fits watt-hours per input and per output token to the rows of one configuration at three "
      "lengths or\nmore, says its residual and its rows, and refuses lengths that these do not "
      "enclose. Every figure is\nof the kind modelled.",
      estimate_options(),
      {"tokenjoule estimate --from results/ --input-len 2000 --output-len 1500",
       "tokenjoule estimate --from rows.json --input-len 4096 --output-len 1024 "
       "--where gpu=h200"},
      0,
      run_estimate};
}

}  // namespace tokenjoule
