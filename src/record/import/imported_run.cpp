#include "record/import/imported_run.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "io/digest.hpp"
#include "record/event_json.hpp"
#include "record/import/import_findings.hpp"
#include "record/import/inferencex_validity.hpp"
#include "record/import/power_logs.hpp"

namespace tokenjoule {

namespace {

/// Readings further away from the load than this say nothing of it.
constexpr std::int64_t kMargin = 600LL * 1'000'000'000;
/// How far half of an averaging time of 1 s, that may or may not be there, can move a reading.
constexpr Seconds kAveragingDoubt(0.5);

std::string sensor_name(const PowerLog& log, std::size_t number) {
  return number == 0 ? log.format : fmt::format("{}#{}", log.format, number + 1);
}

bool is_named(const LoggedDevice& device, const std::vector<std::string>& gpus) {
  return gpus.empty() || std::find(gpus.begin(), gpus.end(), device.label) != gpus.end() ||
         std::find(gpus.begin(), gpus.end(), device.id) != gpus.end();
}

Status all_known(const std::vector<PowerLog>& powers, const std::vector<std::string>& gpus) {
  std::vector<std::string> labels;
  for (const PowerLog& log : powers) {
    for (const LoggedDevice& device : log.devices) {
      labels.push_back(device.label);
      if (device.id != device.label) labels.push_back(device.id);
    }
  }
  for (const std::string& gpu : gpus) {
    if (std::find(labels.begin(), labels.end(), gpu) != labels.end()) continue;
    return failure(
        ErrorKind::missing, fmt::format("no power log has a device {}", quoted(gpu)),
        fmt::format("they have: {}", quoted(fmt::format("{}", fmt::join(labels, ", ")), 400)));
  }
  return {};
}

/// Indexes repeat from node to node; only a UUID tells that two logs are of one device.
Status no_mixed_up_devices(const std::vector<PowerLog>& powers) {
  std::map<std::string, std::string> seen;
  for (const PowerLog& log : powers) {
    for (const LoggedDevice& device : log.devices) {
      const auto [at, fresh] = seen.emplace(device.id, log.file);
      if (fresh || at->second == log.file || starts_with(device.id, "GPU-")) continue;
      return failure(ErrorKind::missing,
                     fmt::format("{} and {} both have a device {}, and nothing tells whether it is "
                                 "the same",
                                 quoted(at->second), quoted(log.file), quoted(device.id)),
                     "log the uuid as well");
    }
  }
  return {};
}

/// When, at last, half as many requests as at most were in flight.
std::optional<Nanoseconds> half_load_of(const LoadLog& load) {
  if (load.requests.empty()) return std::nullopt;
  std::vector<std::pair<MonoTime, int>> changes;
  for (const RequestRecord& request : load.requests) {
    changes.emplace_back(request.sent, 1);
    changes.emplace_back(request.end.value_or(request.sent), -1);
  }
  std::sort(changes.begin(), changes.end());
  int now = 0, most = 0;
  for (const auto& change : changes) most = std::max(most, now += change.second);
  MonoTime last{0};
  for (const auto& change : changes) {
    if (2 * now >= most && change.second < 0) last = change.first;
    now += change.second;
  }
  return last - MonoTime{0};
}

ClockQuestion clock_question(const LoadLog& load, const JoinedPower& power,
                             const ImportChoice& choice) {
  ClockQuestion question;
  question.points = total_power(*power.log, power.chosen);
  question.points_absolute = power.log->absolute;
  question.zones_known = load.zone_known && power.log->zone_known;
  question.begin_ns = load.begin_ns;
  question.slack = load.slack;
  question.length = load.length;
  question.half_load = half_load_of(load);
  question.stated_offset = choice.stated_offset;
  question.stated_bound = choice.stated_bound;
  return question;
}

Result<JoinedPower> joined(const LoadLog& load, const PowerLog& log, const ImportChoice& choice) {
  JoinedPower power;
  power.log = &log;
  for (std::size_t i = 0; i < log.devices.size(); ++i) {
    if (is_named(log.devices[i], choice.gpus)) power.chosen.insert(i);
  }
  auto clock = joined_clock(clock_question(load, power, choice));
  if (!clock) return unexpected(std::move(clock).error().in(quoted(log.file)));
  power.clock = std::move(*clock);
  ValidityQuestion validity;
  validity.log = &log;
  validity.begin_ns = load.begin_ns.value_or(0);
  validity.end_ns = validity.begin_ns + load.length.count;
  validity.to_load_ns = load.begin_ns && log.absolute ? power.clock.zone_ns : power.clock.shift_ns;
  validity.contract = load.contract;
  // Results of before 2026-05-26 have no window: what is judged then is the log alone.
  if (load.contract && !load.contract->start_unix_s) validity.contract.reset();
  validity.expected_gpus = choice.expected_gpus;
  power.inferencex_reasons = inferencex_reasons(validity);
  if (log.format == "mlperf-power")
    power.mlperf_average = mlperf_average(log, validity.begin_ns - power.clock.shift_ns,
                                          validity.end_ns - power.clock.shift_ns);
  return power;
}

/// Writes the events of an import.
class Assembly {
 public:
  Assembly(const LoadLog& load, const ImportChoice& choice) : load_(load), choice_(choice) {}

  void add(Event event) {
    ++counts_[std::string(kind_of(event))];
    events_.push_back(std::move(event));
  }

  void power(const JoinedPower& power, std::size_t number) {
    for (std::size_t i = 0; i < power.log->devices.size(); ++i) device(power, i);
    std::map<std::pair<std::size_t, Measurand>, std::uint32_t> ids;
    for (const LoggedRow& row : power.log->rows) {
      for (const LoggedValue& value : row.values) {
        if (ids.emplace(std::pair(row.device, value.measurand), next_signal_).second)
          signal(power, number, row.device, value.measurand);
      }
    }
    samples(power, ids);
  }

  void totals(MonoTime begin, MonoTime end) {
    const LoadTotals& totals = *load_.totals;
    CounterScrape first{{begin, begin}, {{EngineMetric::output_tokens, 0.0}}, "edge"};
    CounterScrape last{{end, end}, {{EngineMetric::output_tokens, totals.output_tokens}}, "edge"};
    const auto put = [&](EngineMetric metric, std::optional<double> value) {
      if (!value) return;
      first.values[metric] = 0;
      last.values[metric] = *value;
    };
    put(EngineMetric::prompt_tokens, totals.prompt_tokens);
    put(EngineMetric::requests_finished, totals.requests);
    add(std::move(first));
    add(std::move(last));
  }

  void close(MonoTime at) { add(RunClose{at, "completed", counts_}); }
  std::vector<Event> take() { return std::move(events_); }

 private:
  void device(const JoinedPower& power, std::size_t index) {
    const LoggedDevice& logged = power.log->devices[index];
    Device device;
    device.id = logged.id;
    device.name = logged.name;
    device.kind = logged.kind;
    device.label = logged.label;
    device.chosen = power.chosen.count(index) != 0;
    device.chosen_by = choice_.gpus.empty() ? "all devices of the log" : "--gpus";
    add(std::move(device));
  }

  void signal(const JoinedPower& power, std::size_t number, std::size_t device,
              Measurand measurand) {
    const PowerLog& log = *power.log;
    Signal signal;
    signal.id = next_signal_++;
    signal.sensor = sensor_name(log, number);
    signal.device = log.devices[device].id;
    signal.measurand = measurand;
    signal.kind = measurand == Measurand::energy ? SignalKind::counter : SignalKind::gauge;
    signal.boundary = log.boundary;
    signal.source = measurand == Measurand::power ? log.source : std::string(name_of(measurand));
    signal.raw_unit = si_unit_of(measurand);
    signal.period = period_of(log, device);
    if (measurand == Measurand::power)
      signal.averaging = log.averaging ? log.averaging : averaging_stated();
    signal.accuracy = log.accuracy;
    add(std::move(signal));
  }

  std::optional<Seconds> averaging_stated() const {
    if (!choice_.averaging || *choice_.averaging <= Seconds()) return std::nullopt;
    return choice_.averaging;
  }

  static std::optional<Seconds> period_of(const PowerLog& log, std::size_t device) {
    std::vector<std::int64_t> gaps;
    std::optional<std::int64_t> before;
    for (const LoggedRow& row : log.rows) {
      if (row.device != device) continue;
      if (before && row.at_ns > *before) gaps.push_back(row.at_ns - *before);
      before = row.at_ns;
    }
    if (gaps.empty()) return std::nullopt;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    return to_seconds(Nanoseconds{*middle});
  }

  /// Half the time in which a reading may have been taken.
  Nanoseconds doubt(const JoinedPower& power) const {
    Seconds doubt = power.clock.bound.value_or(Seconds()) + 0.5 * power.log->resolution;
    if (power.log->averaging_unknown && !choice_.averaging) doubt += kAveragingDoubt;
    return to_nanoseconds(doubt);
  }

  void samples(const JoinedPower& power,
               const std::map<std::pair<std::size_t, Measurand>, std::uint32_t>& ids) {
    const Nanoseconds half = doubt(power);
    const std::int64_t begin = load_.begin_ns.value_or(0);
    for (const LoggedRow& row : power.log->rows) {
      const MonoTime at{row.at_ns + power.clock.shift_ns - begin};
      if (at.ns < -kMargin || at.ns > load_.length.count + kMargin) continue;
      Sample sample{{at - half, at + half}, {}};
      for (const LoggedValue& value : row.values)
        sample.readings.push_back({ids.at({row.device, value.measurand}), value.value});
      add(std::move(sample));
    }
  }

  const LoadLog& load_;
  const ImportChoice& choice_;
  std::vector<Event> events_;
  std::map<std::string, std::int64_t> counts_;
  std::uint32_t next_signal_ = 1;
};

EngineInfo engine_of(const LoadLog& load) {
  EngineInfo engine;
  engine.kind = load.engine.empty() ? "unknown" : load.engine;
  engine.model = load.model;
  engine.metrics_note = "imported: the engine itself was not asked";
  engine.limits = load.limits;
  if (!load.totals) return engine;
  // Two totals, at the begin and the end of all: nothing lies between that a step could move.
  const auto total = [&engine](EngineMetric metric, const char* family) {
    engine.counters.push_back({metric, family, CounterClock::per_step, {}, {}, {}, {}});
  };
  total(EngineMetric::output_tokens, "output tokens of the load generator's result");
  if (load.totals->prompt_tokens)
    total(EngineMetric::prompt_tokens, "prompt tokens of the load generator's result");
  if (load.totals->requests)
    total(EngineMetric::requests_finished, "completed requests of the load generator's result");
  return engine;
}

RunHeader header_of(const LoadLog& load, const std::vector<ImportedFile>& files,
                    const ImportChoice& choice) {
  std::string name = "import";
  for (const ImportedFile& file : files) name += " " + file.format + " " + file.sha256;
  RunHeader header;
  header.tool_version = choice.tool_version;
  header.run_id = uuid_of(name);
  header.started = {load.begin_ns.value_or(0)};
  return header;
}

/// Wall time of the load's begin, where one of the logs says it with its zone.
std::optional<WallTime> wall_begin(const LoadLog& load, const std::vector<JoinedPower>& powers) {
  const std::int64_t begin = load.begin_ns.value_or(0);
  if (load.begin_ns && load.zone_known && load.slack == Seconds()) return WallTime{begin};
  for (const JoinedPower& power : powers) {
    if (power.log->absolute && power.log->zone_known) return WallTime{begin - power.clock.shift_ns};
  }
  return std::nullopt;
}

Result<TimeSpan> window_of(const LoadLog& load, const ImportChoice& choice) {
  const bool narrowed = choice.skip_start > Seconds() || choice.skip_end > Seconds();
  if (narrowed && (load.totals || !load.pieces_known)) {
    return failure(ErrorKind::usage,
                   fmt::format("{} does not say when each token came: a part of the load cannot be "
                               "cut out",
                               quoted(load.file)),
                   "leave out --skip-start and --skip-end");
  }
  // The last token comes at the very end of the load, and an end does not belong to its window.
  const MonoTime end = MonoTime{load.length.count + 1} - to_nanoseconds(choice.skip_end);
  const TimeSpan window{MonoTime{0} + to_nanoseconds(choice.skip_start), end};
  if (window.begin < window.end) return window;
  return failure(ErrorKind::usage, "nothing of the load is left",
                 "lower --skip-start and --skip-end");
}

void add_marks(Assembly& run, const LoadLog& load, TimeSpan window) {
  MonoTime first = window.begin;
  for (const RequestRecord& request : load.requests) first = std::min(first, request.sent);
  if (first < window.begin) run.add(Mark{first, Phase::warmup});
  run.add(Mark{window.begin, Phase::measure});
  run.add(Mark{window.end, Phase::end});
}

}  // namespace

Result<std::vector<Event>> imported_run(const LoadLog& load, const std::vector<PowerLog>& powers,
                                        const std::vector<ImportedFile>& files,
                                        const ImportChoice& choice) {
  TRY_DO(all_known(powers, choice.gpus));
  TRY_DO(no_mixed_up_devices(powers));
  TRY(const TimeSpan window, window_of(load, choice));
  std::vector<JoinedPower> all;
  for (const PowerLog& log : powers) {
    TRY(JoinedPower power, joined(load, log, choice));
    all.push_back(std::move(power));
  }
  const auto findings = import_findings(load, all);
  Assembly run(load, choice);
  RunHeader header = header_of(load, files, choice);
  header.configuration_json = import_configuration(load, all, files, choice, findings);
  run.add(std::move(header));
  if (const auto wall = wall_begin(load, all))
    run.add(ClockAnchor{{MonoTime{0}, MonoTime{0}}, *wall});
  run.add(engine_of(load));
  for (std::size_t i = 0; i < all.size(); ++i) run.power(all[i], i);
  if (load.totals) run.totals(window.begin, window.end);
  for (const RequestRecord& request : load.requests) run.add(request);
  add_marks(run, load, window);
  run.close(window.end);
  return run.take();
}

std::string run_file_text(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) text += line_of(event) + '\n';
  return text;
}

}  // namespace tokenjoule
