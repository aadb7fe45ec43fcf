#include "published/selection.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

struct OperatorSign {
  std::string_view sign;
  Condition::Operator op;
};

/// Two characters before one, so that ">=" is not taken for ">".
constexpr OperatorSign kSigns[] = {
    {">=", Condition::Operator::at_least}, {"<=", Condition::Operator::at_most},
    {"!=", Condition::Operator::unequal},  {"=", Condition::Operator::equal},
    {">", Condition::Operator::above},     {"<", Condition::Operator::below},
    {"~", Condition::Operator::contains},
};

/// Cuts at blanks outside of single quotes.
std::vector<std::string> terms_of(std::string_view text) {
  std::vector<std::string> terms;
  bool inside = false;
  bool quoted_part = false;
  for (const char c : text) {
    if (c == '\'') {
      quoted_part = !quoted_part;
      continue;
    }
    const bool blank = !quoted_part && (c == ' ' || c == '\t' || c == '\n');
    if (!blank && !inside) terms.emplace_back();
    if (!blank) terms.back() += c;
    inside = !blank;
  }
  return terms;
}

Result<Condition> condition_in(std::string_view term, const std::vector<Comparator>& comparators) {
  const std::size_t at = term.find_first_of("<>=!~");
  for (const OperatorSign& sign : kSigns) {
    if (at == std::string_view::npos || at == 0 || !starts_with(term.substr(at), sign.sign))
      continue;
    Condition condition;
    TRY(condition.column, column_named(term.substr(0, at), comparators));
    condition.op = sign.op;
    condition.text = lower_case(term.substr(at + sign.sign.size()));
    condition.number = number_in(condition.text);
    const bool ordered = sign.op != Condition::Operator::equal &&
                         sign.op != Condition::Operator::unequal &&
                         sign.op != Condition::Operator::contains;
    if (!ordered || condition.number) return condition;
    return failure(ErrorKind::usage,
                   fmt::format("--where \"{}\": {} needs a number", quoted(term), sign.sign), "");
  }
  return failure(ErrorKind::usage, fmt::format("--where \"{}\" is no COLUMN=VALUE", quoted(term)),
                 "write for example --where 'model=dsr1 isl=8192 interactivity>=18'");
}

bool number_holds(Condition::Operator op, double value, double wanted) {
  switch (op) {
    case Condition::Operator::equal: return value == wanted;
    case Condition::Operator::unequal: return value != wanted;
    case Condition::Operator::at_least: return value >= wanted;
    case Condition::Operator::at_most: return value <= wanted;
    case Condition::Operator::above: return value > wanted;
    case Condition::Operator::below: return value < wanted;
    case Condition::Operator::contains: return false;
  }
  return false;
}

bool text_holds(Condition::Operator op, std::string_view value, std::string_view wanted) {
  const std::string lower = lower_case(value);
  if (op == Condition::Operator::contains) return lower.find(wanted) != std::string::npos;
  return op == Condition::Operator::equal ? lower == wanted
                                          : op == Condition::Operator::unequal && lower != wanted;
}

bool less(const CellValue& a, const CellValue& b) { return a.value < b.value; }
bool absent(const CellValue& value) { return value.value.index() == 0; }

/// -1, 0 or 1; what is absent comes last whichever way the key runs.
int order_of(bool falling, const CellValue& left, const CellValue& right) {
  if (absent(left) || absent(right)) return absent(left) - absent(right);
  const int order = less(left, right) ? -1 : less(right, left) ? 1 : 0;
  return falling ? -order : order;
}

/// A line on its way to its place, with what is compared first beside it.
struct SortItem {
  int group = 0;    ///< kinds, and within each the lines with errors behind the others
  CellValue first;  ///< of the first key
  TableLine line;
};

int group_of(const TableLine& line, Ranking ranking) {
  const int kind = ranking == Ranking::by_kind ? static_cast<int>(line.figure->kind) : 0;
  return 2 * kind + (line.has_error() ? 1 : 0);
}

bool comes_before(const SortItem& a, const SortItem& b, const std::vector<SortKey>& keys) {
  if (a.group != b.group) return a.group < b.group;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const SortKey& key = keys[i];
    const int order = i == 0 ? order_of(key.falling, a.first, b.first)
                             : order_of(key.falling, key.column.at(a.line), key.column.at(b.line));
    if (order != 0) return order < 0;
  }
  return false;
}

}  // namespace

bool Condition::holds(const TableLine& line) const {
  const CellValue cell = column.at(line);
  if (const auto* value = std::get_if<double>(&cell.value))
    return number ? number_holds(op, *value, *number) : op == Operator::unequal;
  if (const auto* value = std::get_if<std::string_view>(&cell.value))
    return text_holds(op, *value, text);
  return op == Operator::unequal;
}

Result<std::vector<Condition>> conditions_in(std::string_view text,
                                             const std::vector<Comparator>& comparators) {
  std::vector<Condition> conditions;
  for (const std::string& term : terms_of(text)) {
    TRY(auto condition, condition_in(term, comparators));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

Result<std::vector<SortKey>> sort_keys_in(std::string_view text,
                                          const std::vector<Comparator>& comparators) {
  std::vector<SortKey> keys;
  for (auto name : split(text, ',')) {
    SortKey key;
    name = trimmed(name);
    key.falling = ends_with(name, ":desc");
    if (key.falling) name.remove_suffix(5);
    if (ends_with(name, ":asc")) name.remove_suffix(4);
    TRY(key.column, column_named(name, comparators));
    keys.push_back(std::move(key));
  }
  return keys;
}

void sort_lines(std::vector<TableLine>& lines, const std::vector<SortKey>& keys, Ranking ranking) {
  std::vector<SortItem> items;
  items.reserve(lines.size());
  for (const TableLine& line : lines) {
    items.push_back(
        {group_of(line, ranking), keys.empty() ? CellValue() : keys.front().column.at(line), line});
  }
  std::stable_sort(items.begin(), items.end(),
                   [&](const SortItem& a, const SortItem& b) { return comes_before(a, b, keys); });
  for (std::size_t i = 0; i < items.size(); ++i) lines[i] = items[i].line;
}

std::vector<TableLine> frontier_of(const std::vector<TableLine>& lines) {
  using Group = std::tuple<EnergyKind, PooledText, std::optional<double>, std::optional<double>>;
  std::map<Group, std::vector<std::size_t>> groups;
  const auto energy = [&](std::size_t i) {
    const PublishedFigure& figure = *lines[i].figure;
    return figure.wh_query ? figure.wh_query : figure.j_output;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const PublishedResult& row = *lines[i].row;
    if (!energy(i) || !user_rate(row) || lines[i].has_error()) continue;
    groups[{lines[i].figure->kind, row.model, row.nominal_input_len, row.nominal_output_len}]
        .push_back(i);
  }
  std::vector<bool> kept(lines.size(), false);
  for (auto& [group, members] : groups) {
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      const double rate_a = user_rate(*lines[a].row)->tokens_per_s;
      const double rate_b = user_rate(*lines[b].row)->tokens_per_s;
      return rate_a != rate_b ? rate_a > rate_b : *energy(a) < *energy(b);
    });
    std::optional<double> least;
    for (const std::size_t i : members) {
      if (least && *energy(i) >= *least) continue;
      least = energy(i);
      kept[i] = true;
    }
  }
  std::vector<TableLine> frontier;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (kept[i]) frontier.push_back(lines[i]);
  }
  return frontier;
}

}  // namespace tokenjoule
