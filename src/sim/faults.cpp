#include "sim/faults.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// The values of one word, all numbers.
using Settings = std::map<std::string, double, std::less<>>;

struct FaultKind {
  std::string_view name;
  std::string_view required;  ///< keys, separated by commas
  std::string_view optional;
  std::string_view what;
  void (*apply)(FaultPlan& plan, const Settings& settings);
};

TimedFault timed(const Settings& settings) {
  TimedFault fault{Seconds(settings.at("at")), std::nullopt, std::nullopt};
  if (const auto length = settings.find("for"); length != settings.end())
    fault.length = Seconds(length->second);
  if (const auto gpu = settings.find("gpu"); gpu != settings.end())
    fault.gpu = static_cast<int>(gpu->second);
  return fault;
}

int every(const Settings& settings) { return static_cast<int>(settings.at("every")); }

Nanoseconds millis(const Settings& settings) {
  return to_nanoseconds(Seconds(settings.at("ms") * 1e-3));
}

using Plan = FaultPlan;
using Set = Settings;

const FaultKind kFaultKinds[] = {
    {"counter_reset", "at", "gpu", "the energy counter starts again at 0",
     [](Plan& plan, const Set& set) { plan.counter_resets.push_back(timed(set)); }},
    {"freeze", "at", "for,gpu", "the energy counter stands still, power goes on",
     [](Plan& plan, const Set& set) { plan.freezes.push_back(timed(set)); }},
    {"lost", "at", "for,gpu", "the GPU vanishes from the page",
     [](Plan& plan, const Set& set) { plan.losses.push_back(timed(set)); }},
    {"gain", "factor", "", "the energy counter shows this times the energy",
     [](Plan& plan, const Set& set) { plan.counter_gain = set.at("factor"); }},
    {"power_gain", "factor", "", "power readings show this times the power",
     [](Plan& plan, const Set& set) { plan.power_gain = set.at("factor"); }},
    {"noise", "watts", "", "power readings scatter with this standard deviation",
     [](Plan& plan, const Set& set) { plan.noise = Watts(set.at("watts")); }},
    {"step", "ms", "", "the energy counter moves in steps of this length",
     [](Plan& plan, const Set& set) { plan.counter_step = millis(set); }},
    {"no_counter", "", "", "no energy counter on the page",
     [](Plan& plan, const Set&) { plan.no_counter = true; }},
    {"no_power", "", "", "no power readings on the page",
     [](Plan& plan, const Set&) { plan.no_power = true; }},
    {"exporter_down", "at", "", "the GPU page answers 503 from then on",
     [](Plan& plan, const Set& set) { plan.exporter_down_at = Seconds(set.at("at")); }},
    {"slow_page", "ms", "", "the GPU page is read at once and answered this much later",
     [](Plan& plan, const Set& set) { plan.slow_page = millis(set); }},
    {"error_in_stream", "every", "", "every N-th request ends half-way in an error event",
     [](Plan& plan, const Set& set) { plan.error_in_stream_every = every(set); }},
    {"http_429", "every", "", "every N-th request is refused: too many requests",
     [](Plan& plan, const Set& set) { plan.http_429_every = every(set); }},
    {"http_500", "every", "", "every N-th request fails in the server",
     [](Plan& plan, const Set& set) { plan.http_500_every = every(set); }},
    {"disconnect", "every", "", "every N-th answer is reset half-way",
     [](Plan& plan, const Set& set) { plan.disconnect_every = every(set); }},
    {"no_done", "", "", "streams end without [DONE]",
     [](Plan& plan, const Set&) { plan.no_done = true; }},
    {"no_usage", "", "", "no usage, whatever was asked for",
     [](Plan& plan, const Set&) { plan.no_usage = true; }},
    {"stall", "at,for", "", "the engine begins no step",
     [](Plan& plan, const Set& set) { plan.stalls.push_back(timed(set)); }},
    {"unauthorized", "", "", "401 for everything",
     [](Plan& plan, const Set&) { plan.unauthorized = true; }},
    {"html", "", "", "an HTML page for everything",
     [](Plan& plan, const Set&) { plan.html = true; }},
};

std::vector<std::string> keys_in(std::string_view list) {
  std::vector<std::string> keys;
  for (const std::string_view key : split(list, ',')) {
    if (!key.empty()) keys.emplace_back(key);
  }
  return keys;
}

std::string form_of(const FaultKind& kind) {
  std::string form(kind.name);
  char separator = ':';
  for (const std::string& key : keys_in(kind.required)) {
    form += fmt::format("{}{}=…", separator, key);
    separator = ',';
  }
  for (const std::string& key : keys_in(kind.optional)) {
    form += fmt::format("[{}{}=…]", separator, key);
    separator = ',';
  }
  return form;
}

bool is_whole_number_key(std::string_view key) { return key == "gpu" || key == "every"; }

Result<double> setting_value(const FaultKind& kind, std::string_view key, std::string_view text) {
  const auto number = number_in(text);
  const bool whole = is_whole_number_key(key);
  const double least = key == "every" || key == "ms" ? 1 : 0;
  const bool positive = key == "factor" || key == "for";
  const bool fits = number && *number >= least && *number <= 1e9 && (!positive || *number > 0) &&
                    (!whole || integer_in(text));
  if (fits) return *number;
  const std::string_view range = whole ? (key == "gpu" ? "an index from 0 on" : "a count from 1 on")
                                 : positive   ? "a number above 0"
                                 : least == 1 ? "a number from 1 on"
                                              : "a number from 0 on";
  return failure(ErrorKind::usage,
                 fmt::format("--fault {}: {}={} does not fit", kind.name, key, quoted(text)),
                 fmt::format("{} is {}", key, range));
}

Result<Settings> settings_in(const FaultKind& kind, std::string_view text) {
  const std::vector<std::string> keys = keys_in(fmt::format("{},{}", kind.required, kind.optional));
  Settings settings;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    const std::string key(part.substr(0, equals));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return failure(ErrorKind::usage,
                     fmt::format("--fault {} takes no setting \"{}\"{}", kind.name, quoted(key),
                                 did_you_mean(key, keys)),
                     fmt::format("write {}", form_of(kind)));
    }
    const auto value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    TRY(settings[key], setting_value(kind, key, value));
  }
  for (const std::string& key : keys_in(kind.required)) {
    if (settings.count(key) == 0)
      return failure(ErrorKind::usage, fmt::format("--fault {} needs {}=", kind.name, key),
                     fmt::format("write {}", form_of(kind)));
  }
  return settings;
}

Status add_fault(FaultPlan& plan, std::string_view word) {
  const auto colon = word.find(':');
  const std::string_view name = word.substr(0, colon);
  const auto settings = colon == std::string_view::npos ? "" : word.substr(colon + 1);
  std::vector<std::string> names;
  for (const FaultKind& kind : kFaultKinds) {
    if (kind.name == name) {
      TRY(const Settings read, settings_in(kind, settings));
      kind.apply(plan, read);
      return {};
    }
    names.emplace_back(kind.name);
  }
  return failure(ErrorKind::usage,
                 fmt::format("there is no fault \"{}\"{}", quoted(name), did_you_mean(name, names)),
                 fmt::format("faults are: {}", fmt::join(names, ", ")));
}

}  // namespace

Result<FaultPlan> faults_in(std::span<const std::string> words) {
  FaultPlan plan;
  for (const std::string& word : words) TRY_DO(add_fault(plan, word));
  return plan;
}

std::string fault_help() {
  std::string help;
  for (const FaultKind& kind : kFaultKinds)
    help += fmt::format("{}  {}\n", form_of(kind), kind.what);
  return help;
}

bool is_on(const TimedFault& fault, MonoTime at, int gpu) {
  const MonoTime begin = mono_at(fault.at);
  if (fault.gpu && *fault.gpu != gpu) return false;
  if (at < begin) return false;
  return !fault.length || at < begin + to_nanoseconds(*fault.length);
}

}  // namespace tokenjoule
