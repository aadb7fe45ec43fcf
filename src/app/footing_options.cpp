#include "app/footing_options.hpp"

#include <map>

#include <fmt/core.h>

#include "app/output.hpp"
#include "base/stamp.hpp"
#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kLinesTold = 10;

Result<StatedWatts> stated_watts_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto watts =
      equals == std::string_view::npos ? std::nullopt : number_in(trimmed(text.substr(equals + 1)));
  if (!watts || *watts <= 0 || trimmed(text.substr(0, equals)).empty()) {
    return failure(ErrorKind::usage, fmt::format("--watts \"{}\" is no GPU=WATTS", quoted(text)),
                   "give for example --watts h200=700");
  }
  return StatedWatts{std::string(trimmed(text.substr(0, equals))), *watts};
}

Status take_tables(const ParsedOptions& parsed, FootingChoice& choice) {
  for (const auto& text : parsed.texts("watts")) {
    for (const auto& item : comma_list(text)) {
      TRY(auto watts, stated_watts_in(item));
      for (const StatedWatts& other : choice.footing.watts) {
        if (other.gpu != watts.gpu) continue;
        return failure(ErrorKind::usage,
                       fmt::format("--watts states {} twice: {:g} and {:g} W", quoted(watts.gpu),
                                   other.watts, watts.watts),
                       "state it once");
      }
      choice.footing.watts.push_back(std::move(watts));
    }
  }
  if (const auto path = parsed.text("power-table")) {
    TRY(const auto bytes, file_bytes(*path));
    auto table = PowerTable::parse(bytes);
    if (!table) return unexpected(std::move(table).error().in(*path));
    choice.power = *std::move(table);
  }
  if (const auto path = parsed.text("hardware-table")) {
    TRY(const auto bytes, file_bytes(*path));
    auto table = GpuCatalogue::parse(bytes);
    if (!table) return unexpected(std::move(table).error().in(*path));
    choice.catalogue = *std::move(table);
  }
  return {};
}

Status take_energy(const ParsedOptions& parsed, FootingChoice& choice) {
  TRY(choice.footing.achieved, parsed.number("achieved", 0.001, 1));
  for (const auto& text : parsed.texts("power-as-of")) {
    for (auto& day : comma_list(text)) {
      if (!is_calendar_day(day)) {
        return failure(ErrorKind::usage,
                       fmt::format("--power-as-of \"{}\" is no day of the calendar", quoted(day)),
                       "give it as 2026-07-13");
      }
      choice.footing.days.push_back(std::move(day));
    }
  }
  for (const auto& text : parsed.texts("kind")) {
    for (const auto& name : comma_list(text)) {
      const auto kind = energy_kind_named(name);
      const bool by_option = kind == EnergyKind::modelled;
      if (!kind || by_option) {
        return failure(
            ErrorKind::usage,
            fmt::format("--kind {} is {}", quoted(name), by_option ? "made by --achieved" : "none"),
            "give measured_gpu, measured_wall, provisioned or ceiling");
      }
      choice.footing.kinds.push_back(*kind);
    }
  }
  return {};
}

}  // namespace

Status take_footing_options(const ParsedOptions& parsed, FootingChoice& choice) {
  TRY_DO(take_tables(parsed, choice));
  TRY_DO(take_energy(parsed, choice));
  choice.footing.catalogue = &choice.catalogue;
  choice.footing.power = &choice.power;
  return {};
}

void tell_footing(const PublishedSet& set, const Footing& footing) {
  std::map<std::string, std::size_t> reasons;
  for (const Refusal& refusal : footing.refusals)
    ++reasons[fmt::format("{}: {}", name_of(refusal.kind), refusal.why)];
  std::size_t told = 0;
  for (const auto& [reason, count] : reasons) {
    if (++told > kLinesTold) break;
    put_error(
        fmt::format("tokenjoule: {} of {} rows refused: {}\n", count, set.rows.size(), reason));
  }
  if (reasons.size() > kLinesTold)
    put_error(fmt::format("tokenjoule: {} more reasons\n", reasons.size() - kLinesTold));
  for (const auto& name : footing.unmatched_watts)
    put_error(fmt::format("tokenjoule: --watts {}: no row has such a GPU\n", quoted(name)));
}

}  // namespace tokenjoule
