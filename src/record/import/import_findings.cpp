#include "record/import/import_findings.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSkippedCare = 0.01;
/// A GPU that serves rises further than this above its lowest reading (InferenceX's rule of thumb
/// for GPUs that take no part).
constexpr double kNotLoaded = 1.3;

void add_skipped(std::vector<ImportFinding>& findings, const std::string& file,
                 const SkippedRows& skipped, std::int64_t kept) {
  if (skipped.count == 0) return;
  const double share =
      static_cast<double>(skipped.count) / static_cast<double>(skipped.count + kept);
  std::string message =
      fmt::format("{}: {} of {} rows were skipped ({})", quoted(file), skipped.count,
                  skipped.count + kept, fmt::join(skipped.first, "; "));
  findings.push_back({"import_rows_skipped", share > kSkippedCare ? "care" : "note", message});
}

void add_clock(std::vector<ImportFinding>& findings, const JoinedPower& power) {
  const bool sure = power.clock.bound && !power.clock.estimated && !power.clock.zone_found;
  findings.push_back({"import_clock", sure ? "note" : "care",
                      fmt::format("{}: {}", quoted(power.log->file), power.clock.how)});
}

/// Chosen GPUs that stay near their lowest power while the window's others do not.
std::string idle_gpus(const LoadLog& load, const JoinedPower& power) {
  struct Seen {
    double lowest = 0, sum = 0;
    std::int64_t count = 0, inside = 0;
  };
  std::map<std::size_t, Seen> devices;
  const std::int64_t begin = load.begin_ns.value_or(0);
  for (const LoggedRow& row : power.log->rows) {
    if (power.chosen.count(row.device) == 0) continue;
    for (const LoggedValue& value : row.values) {
      if (value.measurand != Measurand::power) continue;
      Seen& seen = devices[row.device];
      seen.lowest = seen.count++ == 0 ? value.value : std::min(seen.lowest, value.value);
      const std::int64_t at = row.at_ns + power.clock.shift_ns - begin;
      if (at < 0 || at > load.length.count) continue;
      seen.sum += value.value;
      ++seen.inside;
    }
  }
  std::vector<std::string> idle;
  for (const auto& [device, seen] : devices) {
    if (seen.inside == 0 || seen.lowest <= 0) continue;
    if (seen.sum / static_cast<double>(seen.inside) < kNotLoaded * seen.lowest)
      idle.push_back(power.log->devices[device].label);
  }
  const bool some = !idle.empty() && idle.size() < devices.size();
  return some ? fmt::format("{}", fmt::join(idle, ", ")) : "";
}

Json file_json(const ImportedFile& file) {
  return {{"file", file.name}, {"format", file.format}, {"sha256", file.sha256}};
}

Json power_json(const JoinedPower& power) {
  const PowerLog& log = *power.log;
  Json json;
  json["format"] = log.format;
  json["file"] = log.file;
  json["column"] = log.source;
  json["rows"] = log.rows.size();
  json["rows_skipped"] = log.skipped.count;
  json["zone_shift_s"] = to_seconds(Nanoseconds{power.clock.zone_ns}).value();
  const Nanoseconds offset{power.clock.shift_ns - power.clock.zone_ns};
  json["clock_offset_s"] = to_seconds(offset).value();
  json["clock_bound_s"] = power.clock.bound ? Json(power.clock.bound->value()) : Json(nullptr);
  json["clock_estimated"] = power.clock.estimated;
  json["clock_how"] = power.clock.how;
  json["inferencex"] = {{"power_valid", power.inferencex_reasons.empty()},
                        {"reasons", power.inferencex_reasons}};
  if (power.mlperf_average) json["mlperf_average_watts"] = power.mlperf_average->value();
  return json;
}

Json load_json(const LoadLog& load) {
  Json json;
  json["format"] = load.format;
  json["file"] = load.file;
  json["requests"] = load.requests.size();
  if (load.totals) json["requests"] = nullptr;
  if (load.totals && load.totals->requests) json["requests"] = *load.totals->requests;
  json["totals_only"] = load.totals.has_value();
  json["rows_skipped"] = load.skipped.count;
  json["limits"] = load.limits;
  return json;
}

}  // namespace

std::vector<ImportFinding> import_findings(const LoadLog& load,
                                           const std::vector<JoinedPower>& powers) {
  std::vector<ImportFinding> findings;
  add_skipped(findings, load.file, load.skipped, static_cast<std::int64_t>(load.requests.size()));
  for (const std::string& limit : load.limits) findings.push_back({"import_limits", "note", limit});
  for (const JoinedPower& power : powers) {
    add_skipped(findings, power.log->file, power.log->skipped,
                static_cast<std::int64_t>(power.log->rows.size()));
    add_clock(findings, power);
    if (!power.inferencex_reasons.empty()) {
      findings.push_back(
          {"import_power_log", "care",
           fmt::format("InferenceX would call {} invalid: {}", quoted(power.log->file),
                       fmt::join(power.inferencex_reasons, ", "))});
    }
    if (const std::string idle = idle_gpus(load, power); !idle.empty()) {
      findings.push_back({"gpu_not_loaded", "care",
                          fmt::format("{} of {} stay within 1.3 × of their lowest power", idle,
                                      quoted(power.log->file))});
    }
  }
  return findings;
}

std::string import_configuration(const LoadLog& load, const std::vector<JoinedPower>& powers,
                                 const std::vector<ImportedFile>& files, const ImportChoice& choice,
                                 const std::vector<ImportFinding>& findings) {
  Json json;
  json["command"] = "import";
  // With neither, how requests were sent is not known: all at once, by a trace, one by one.
  if (load.request_rate || load.concurrency) json["mode"] = load.request_rate ? "open" : "closed";
  if (load.concurrency) json["concurrency"] = *load.concurrency;
  if (load.request_rate) json["request_rate_per_s"] = *load.request_rate;
  json["dataset"] = {{"name", "imported"}};
  json["skip_start_s"] = choice.skip_start.value();
  json["skip_end_s"] = choice.skip_end.value();
  Json& import = json["import"];
  for (const ImportedFile& file : files) import["files"].push_back(file_json(file));
  import["load"] = load_json(load);
  import["power"] = Json::array();
  for (const JoinedPower& power : powers) import["power"].push_back(power_json(power));
  import["findings"] = Json::array();
  for (const ImportFinding& finding : findings) {
    import["findings"].push_back({{"code", finding.code},
                                  {"severity", finding.severity},
                                  { "message",
                                    finding.message }});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tokenjoule
