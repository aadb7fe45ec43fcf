#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "app/sensor_lines.hpp"
#include "app/sensor_trial.hpp"
#include "base/text.hpp"
#include "io/clock.hpp"
#include "sensors/named_sensor.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

namespace {

using Json = nlohmann::ordered_json;

/// One sensor of the list: what it reads, or why it does not.
struct Listed {
  const SensorType* type = nullptr;
  std::string name;
  std::optional<SensorContents> contents;
  Error absent;
  std::optional<SensorTrial> trial;
};

struct SensorsOptions {
  Configuration configuration;
  std::vector<SensorSpec> specs;  ///< in the order of the list
  bool test = false;
  bool named_only = false;  ///< those that were asked for, and no others
  Seconds duration{10};
  bool json = false;
};

const SensorType* type_named(const std::string& name) {
  for (const SensorType& type : sensor_types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

/// Those asked for; in a list, and where none is asked for, all other types behind them.
std::vector<SensorSpec> specs_of(const Configuration& configuration,
                                 const std::vector<SensorSpec>& asked, bool test) {
  std::vector<SensorSpec> specs = resolved(configuration, asked);
  if (test && !asked.empty()) return specs;
  std::vector<SensorSpec> all;
  for (const SensorType& type : sensor_types()) {
    const auto is_of_type = [&](const SensorSpec& spec) { return spec.name == type.name; };
    const bool named = std::any_of(specs.begin(), specs.end(), is_of_type);
    if (!named) all.push_back({std::string(type.name), {}});
    std::copy_if(specs.begin(), specs.end(), std::back_inserter(all), is_of_type);
  }
  return all;
}

Result<SensorsOptions> sensors_options_from(const ParsedOptions& parsed) {
  SensorsOptions options;
  std::vector<SensorSpec> asked;
  for (const auto& text : parsed.texts("sensor")) {
    TRY(auto spec, sensor_spec_in(text));
    asked.push_back(std::move(spec));
  }
  TRY(options.configuration, configuration_for(parsed.text("config")));
  for (const SensorSpec& spec : resolved(options.configuration, asked)) {
    if (type_named(spec.name) != nullptr) continue;
    std::vector<std::string> names;
    for (const SensorType& type : sensor_types()) names.emplace_back(type.name);
    return failure(ErrorKind::usage,
                   fmt::format("there is no sensor \"{}\"{}", quoted(spec.name),
                               did_you_mean(spec.name, names)),
                   "see the list: tokenjoule sensors");
  }
  options.test = parsed.flag("test");
  options.named_only = options.test && !asked.empty();
  options.specs = specs_of(options.configuration, asked, options.test);
  TRY(const auto duration, parsed.duration("duration"));
  if (duration) options.duration = *duration;
  if (options.duration < Seconds(1) || options.duration > Seconds(3600)) {
    return failure(ErrorKind::usage, "--duration lies outside 1s to 1h", "give --duration 10s");
  }
  if (duration && !options.test) {
    return failure(ErrorKind::usage, "--duration is for --test", "add --test, or leave it out");
  }
  const std::string format = parsed.text("format").value_or("table");
  options.json = format == "json";
  if (options.json || format == "table") return options;
  const std::string formats[] = {"table", "json"};
  return failure(
      ErrorKind::usage,
      fmt::format("--format {} is none{}", quoted(format), did_you_mean(format, formats)),
      "say table or json");
}

Listed listed(const SensorsOptions& options, const SensorSpec& spec, Clock& clock) {
  Listed entry{type_named(spec.name), spec.label.empty() ? spec.name : spec.label, {}, {}, {}};
  auto sensor = open_sensor(spec, clock);
  if (sensor) sensor = with_role(std::move(*sensor), role_of(options.configuration, spec));
  if (!sensor) {
    entry.absent = std::move(sensor).error();
    return entry;
  }
  entry.contents = (*sensor)->contents();
  if (!options.test) return entry;
  put_error(fmt::format("trying {} for {:g} s\n", entry.name, options.duration.value()));
  entry.trial = trial_of(try_sensor(**sensor, options.duration, clock));
  return entry;
}

std::string absent_words(const Listed& entry) {
  return entry.absent.hint.empty() ? entry.absent.message
                                   : entry.absent.message + "; " + entry.absent.hint;
}

std::string seconds_text(const std::optional<Seconds>& span) {
  return span ? fmt::format("{:.3g} s", span->value()) : std::string("n/a");
}

std::string trial_lines(const SensorTrial& trial) {
  std::string lines;
  for (const SignalTrial& signal : trial.signals) {
    lines +=
        fmt::format("{:<13}{:<8}{:<12}{}, {}: {} readings, new every {} (longest {})", "",
                    name_of(signal.signal.measurand), name_of(signal.signal.boundary),
                    quoted(signal.signal.device), quoted(signal.signal.source), signal.readings,
                    seconds_text(signal.step), seconds_text(signal.longest_step));
    if (signal.noise) lines += fmt::format(", noise {:.2f} %", 100 * *signal.noise);
    lines += '\n';
  }
  for (const DeviceTrial& device : trial.devices) {
    lines += fmt::format("{:<13}{} at {}: power / counter {}", "", quoted(device.device),
                         name_of(device.boundary),
                         device.ratio ? fmt::format("{:.3f}", *device.ratio) : "n/a");
    if (device.seldom && device.often) {
      lines += fmt::format(", {:.1f} W read seldom, {:.1f} W read often ({:+.1f} W by reading it)",
                           device.seldom->value(), device.often->value(),
                           (*device.often - *device.seldom).value());
    }
    lines += '\n';
  }
  if (trial.read_median) {
    lines += fmt::format("{:<13}a read: median {:.0f} us, worst {:.0f} us; {} reads, {} failed\n",
                         "", trial.read_median->value() * 1e6, trial.read_worst->value() * 1e6,
                         trial.polls + trial.failed, trial.failed);
  }
  return lines;
}

/// The verdict first, then what it rests on.
std::string lines_of(const Listed& entry) {
  std::string what(entry.type->what);
  if (entry.name != entry.type->name) what = fmt::format("{}: {}", entry.type->name, what);
  std::string lines = fmt::format("{:<13}{}\n", entry.name, what);
  if (entry.trial) {
    lines = fmt::format("{:<13}{}: {}\n", entry.name, name_of(entry.trial->verdict),
                        entry.trial->words);
  } else if (!entry.contents) {
    lines += fmt::format("{:<13}not here: {}\n", "", absent_words(entry));
  }
  lines += fmt::format("{:<13}rights: {}\n", "", entry.type->rights);
  if (entry.trial) return lines + trial_lines(*entry.trial);
  return entry.contents ? lines + contents_lines(*entry.contents) : lines;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(value->value()) : Json(nullptr);
}
Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const SensorTrial& trial) {
  Json json = {{"verdict", name_of(trial.verdict)},
               {"words", trial.words},
               {"reads", trial.polls + trial.failed},
               {"failed", trial.failed},
               {"read_median_s", or_null(trial.read_median)},
               {"read_worst_s", or_null(trial.read_worst)},
               {"signals", Json::array()},
               {"devices", Json::array()}};
  for (const SignalTrial& signal : trial.signals) {
    json["signals"].push_back({{"device", signal.signal.device},
                               {"measurand", name_of(signal.signal.measurand)},
                               {"boundary", name_of(signal.signal.boundary)},
                               {"field", signal.signal.source},
                               {"readings", signal.readings},
                               {"step_s", or_null(signal.step)},
                               {"longest_step_s", or_null(signal.longest_step)},
                               {"noise_relative", or_null(signal.noise)}});
  }
  for (const DeviceTrial& device : trial.devices) {
    json["devices"].push_back({{"device", device.device},
                               {"boundary", name_of(device.boundary)},
                               {"power_over_counter", or_null(device.ratio)},
                               {"watts_read_seldom", or_null(device.seldom)},
                               {"watts_read_often", or_null(device.often)}});
  }
  return json;
}

Json json_of(const SensorContents& contents) {
  Json devices = Json::array();
  for (const Device& device : contents.devices) {
    Json signals = Json::array();
    for (const Signal& signal : contents.signals) {
      if (signal.device != device.id) continue;
      signals.push_back({{"measurand", name_of(signal.measurand)},
                         {"boundary", name_of(signal.boundary)},
                         {"field", signal.source},
                         {"unit", signal.raw_unit},
                         {"modelled", signal.modelled}});
    }
    devices.push_back({{"id", device.id},
                       {"name", device.name},
                       {"kind", name_of(device.kind)},
                       {"label", device.label},
                       {"simulated", device.simulated},
                       {"facts", device.facts},
                       {"signals", std::move(signals)}});
  }
  return devices;
}

Json json_of(const Listed& entry) {
  Json json = {{"name", entry.name},
               {"type", entry.type->name},
               {"what", entry.type->what},
               {"rights", entry.type->rights},
               {"here", entry.contents.has_value()}};
  if (!entry.contents) {
    json["reason"] = entry.absent.message;
    json["advice"] = entry.absent.hint;
    return json;
  }
  json["devices"] = json_of(*entry.contents);
  if (entry.trial) json["trial"] = json_of(*entry.trial);
  return json;
}

Result<int> run_sensors(const ParsedOptions& parsed) {
  TRY(const SensorsOptions options, sensors_options_from(parsed));
  SystemClock clock;
  Json all = Json::array();
  int code = kExitUsable;
  for (const SensorSpec& spec : options.specs) {
    const Listed entry = listed(options, spec, clock);
    if (entry.trial && entry.trial->verdict == TrialVerdict::bad) code = kExitUnusable;
    if (options.named_only && !entry.contents && code == kExitUsable) code = kExitMissing;
    if (options.json) {
      all.push_back(json_of(entry));
    } else {
      put_out(lines_of(entry));
    }
  }
  if (options.json) {
    const Json json = {{"schema", "tokenjoule.sensors/1"}, {"sensors", std::move(all)}};
    put_out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return code;
}

}  // namespace

CommandSpec sensors_command() {
  using K = OptionKind;
  const std::string group = "Options";
  return {"sensors",
          "what can be measured here, with what rights, and why the rest cannot",
          "tokenjoule sensors [--test] [--sensor NAME:key=value,…]",
          {{"--sensor", "NAME[:key=value,…]",
            "settings for a sensor, as measure takes them; repeatable; with --test these alone",
            K::values, "", group},
           {"--config", "FILE",
            "named sensors, nodes and calibrations (default: ./tokenjoule.toml if it is there)",
            K::value, "", group},
           {"--test", "",
            "read each that is here: step, noise, cost of a read, agreement of counter and power, "
            "and what reading it does to idle power; exit code 4 if one is bad, 3 if one of "
            "--sensor is not here",
            K::flag, "", group},
           {"--duration", "TIME", "with --test: how long each is read (default: 10s)", K::value, "",
            group},
           {"--format", "table|json", "what is printed (default: table)", K::value, "", group}},
          {"tokenjoule sensors", "tokenjoule sensors --test",
           "tokenjoule sensors --sensor dcgm:url=http://127.0.0.1:9400/metrics"},
          0,
          run_sensors};
}

}  // namespace tokenjoule
