#include "app/measure_setup.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/gpu_choice.hpp"
#include "base/text.hpp"
#include "sensors/named_sensor.hpp"
#include "sensors/nvml/engine_gpus.hpp"

namespace tokenjoule {

namespace {

/// Loopback names and addresses; anything else may be another machine.
bool is_local(const Url& url) {
  return url.host == "localhost" || url.host == "::1" || starts_with(url.host, "127.");
}
bool are_local(const std::vector<Url>& engines) {
  return std::all_of(engines.begin(), engines.end(), [](const Url& url) { return is_local(url); });
}

/// A sensor that reads a page over https trusts whom --cacert and --insecure say, unless it has
/// settings of its own.
SensorSpec with_tls(SensorSpec spec, const TlsOptions& tls) {
  const auto url = spec.settings.find("url");
  const bool https = url != spec.settings.end() && starts_with(url->second, "https:");
  if (!https || spec.settings.count("cacert") != 0 || spec.settings.count("insecure") != 0 ||
      spec.settings.count("fingerprint") != 0) {
    return spec;
  }
  if (!tls.ca_file.empty()) spec.settings["cacert"] = tls.ca_file;
  if (tls.verification == TlsOptions::Verification::none) spec.settings["insecure"] = "yes";
  return spec;
}

std::string json_of(const std::string& text) {
  // A number or a word that is JSON stays what it is: max_num_seqs=256 is a number.
  if (nlohmann::json::accept(text)) return text;
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<std::unique_ptr<Sensor>>> opened(const MeterOptions& options, Clock& clock) {
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const SensorSpec& spec : options.sensors) {
    const std::string name = spec.label.empty() ? spec.name : spec.label;
    auto sensor = open_sensor(with_tls(spec, options.tls), clock);
    if (!sensor) return unexpected(std::move(sensor).error().in("sensor " + name));
    TRY(auto named, with_role(std::move(*sensor), role_of(options.configuration, spec)));
    sensors.push_back(std::move(named));
  }
  return sensors;
}

/// Those that work here, but for types of which the configuration has one.
Status open_automatic(OpenSensors& open, const MeterOptions& options, Clock& clock) {
  for (const SensorType& type : sensor_types()) {
    const auto is_it = [&](const SensorSpec& spec) { return spec.name == type.name; };
    const auto& named = options.sensors;
    if (!type.automatic || std::any_of(named.begin(), named.end(), is_it)) continue;
    const SensorSpec spec{std::string(type.name), {}};
    auto sensor = open_sensor(spec, clock);
    if (!sensor) {
      open.left_out.push_back(
          {std::string(type.name), sensor.error().message, sensor.error().hint, type.reads});
      continue;
    }
    TRY(auto with, with_role(std::move(*sensor), role_of(options.configuration, spec)));
    open.sensors.push_back(std::move(with));
  }
  return {};
}

std::string absent_words(const OpenSensors& open) {
  std::string words;
  for (const AbsentSensor& absent : open.left_out) {
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", absent.name, absent.reason);
    if (!absent.advice.empty()) words += fmt::format(" ({})", absent.advice);
  }
  return words;
}

/// The NVML sensor among those that are open, as it was asked for; nullopt: there is none.
std::optional<SensorSpec> nvml_spec(const MeterOptions& options, const OpenSensors& open) {
  for (const SensorSpec& spec : options.sensors) {
    if (spec.name == "nvml") return spec;
  }
  if (!options.sensors.empty() && !options.automatic_too) return std::nullopt;
  for (const auto& sensor : open.sensors) {
    for (const Signal& signal : sensor->contents().signals) {
      if (signal.sensor == "nvml") return SensorSpec{"nvml", {}};
    }
  }
  return std::nullopt;
}

std::string library_of(const SensorSpec& nvml) {
  const auto library = nvml.settings.find("library");
  return library == nvml.settings.end() ? "" : library->second;
}

/// Asks the driver which GPUs the processes of the engine compute on, and who else does.
struct EngineSearch {
  std::vector<std::string> gpus;
  std::vector<pid_t> processes;
  std::string how;  ///< how they were seen, or why not; "" where there is no driver to ask
};
template <typename T>
void add_new(std::vector<T>& list, const std::vector<T>& more) {
  for (const T& item : more) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  }
}

EngineSearch engine_search(const std::vector<Url>& engines, const std::optional<SensorSpec>& nvml) {
  if (!nvml || engines.empty()) return {};
  if (!are_local(engines)) return {{}, {}, "the engine is not on this machine"};
  EngineSearch found;
  for (const Url& url : engines) {
    const auto seen = engine_gpus({.port = url.port, .library = library_of(*nvml)});
    if (!seen) {
      const Error& error = seen.error();
      return {{}, {}, error.hint.empty() ? error.message : error.message + "; " + error.hint};
    }
    add_new(found.gpus, seen->uuids);
    add_new(found.processes, seen->processes);
    found.how = seen->how;
  }
  return found;
}

/// What stands in the record about other programs on a GPU. Where the engine's processes compute on
/// none, whoever computes on this one is not the engine as far as can be told.
std::string tenants_of(const Device& gpu, const EngineSearch& search, const SensorSpec& nvml) {
  const auto foreign = foreign_processes({gpu.id}, search.processes, {.library = library_of(nvml)});
  if (!foreign.unknown.empty()) return fmt::format("{}{}", kUnknownProcesses, foreign.unknown);
  if (foreign.processes.empty() && search.processes.empty()) {
    return fmt::format("{}{}", kUnknownProcesses, search.how);
  }
  std::string list;
  for (const ForeignProcess& process : foreign.processes) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", process.pid, quoted(process.name));
  }
  return list;
}

void note_foreign_processes(std::vector<Device>& devices, const EngineSearch& search,
                            const std::vector<Url>& engines,
                            const std::optional<SensorSpec>& nvml) {
  if (!nvml || engines.empty() || !are_local(engines)) return;
  for (Device& device : devices) {
    if (!device.chosen || device.kind != DeviceKind::gpu) continue;
    device.facts[kForeignProcessesFact] = tenants_of(device, search, *nvml);
  }
}

/// GPUs on which programs compute of which none is known to be the engine's. Without an engine
/// whoever computes there is what is measured.
std::vector<std::string> gpus_of_others(const EngineSearch& search, const std::vector<Url>& engines,
                                        const std::optional<SensorSpec>& nvml) {
  std::vector<std::string> gpus;
  if (!nvml || engines.empty() || !search.processes.empty()) return gpus;
  const auto all = gpu_processes(library_of(*nvml));
  for (const GpuProcesses& gpu : all ? *all : std::vector<GpuProcesses>()) {
    if (!gpu.pids.empty()) gpus.push_back(gpu.uuid);
  }
  return gpus;
}

}  // namespace

Result<ProbeQuestion> probe_question_of(const MeasureOptions& options) {
  ProbeQuestion question;
  question.root = options.url;
  question.headers = options.headers;
  question.tls = options.tls;
  question.model = options.model;
  question.dialect = options.dialect;
  question.server_metrics = options.server_metrics;
  // The harness of a preset does not ask for them.
  question.ask_for_token_ids = !options.no_token_ids && options.preset.empty();
  if (options.endpoint == "completions") question.endpoint = EndpointKind::completions;
  if (options.endpoint == "chat") question.endpoint = EndpointKind::chat;
  if (starts_with(options.endpoint, "/")) {
    question.endpoint_path = options.endpoint;
    const bool chat = options.endpoint.find("chat") != std::string::npos;
    question.endpoint = chat ? EndpointKind::chat : EndpointKind::completions;
  }
  return question;
}

void add_stated_settings(EngineInfo& info,
                         const std::vector<std::pair<std::string, std::string>>& stated) {
  for (const auto& [key, value] : stated) info.configuration[key] = {json_of(value), "stated"};
}

Result<ProbedEngine> reach_engine(const MeasureOptions& options, const ProbeQuestion& question) {
  TRY(ProbedEngine engine, probe_engines(question, options.further_urls));
  add_stated_settings(engine.info, options.engine_config);
  if (!options.preset.empty() && !engine.dialect->takes_ignore_eos()) {
    return failure(ErrorKind::usage,
                   fmt::format("--preset {} needs answers of a fixed length, and {} cannot be held "
                               "to one (it has no ignore_eos)",
                               options.preset, engine.info.kind),
                   "leave --preset out; answers are then as long as the model makes them");
  }
  if (options.ignore_eos.value_or(false) && !engine.dialect->takes_ignore_eos()) {
    return failure(ErrorKind::usage,
                   fmt::format("--ignore-eos: {} does not take it", engine.info.kind),
                   "leave it out; lengths are then what the model gives");
  }
  for (const LoadPoint& point : options.points) {
    const auto streams = point.concurrency;
    if (streams <= 1 || !engine.dialect->one_request_at_a_time()) continue;
    return failure(ErrorKind::usage,
                   fmt::format("-c {}: {} works on one request at a time, and a new one breaks off "
                               "the one that runs",
                               streams, engine.info.kind),
                   "measure it with -c 1");
  }
  return engine;
}

Status check_boundary(const MeterOptions& options, const OpenSensors& sensors) {
  if (!options.boundary) return {};
  for (const auto& sensor : sensors.sensors) {
    for (const Signal& signal : sensor->contents().signals) {
      const bool reads =
          signal.measurand == Measurand::energy || signal.measurand == Measurand::power;
      if (reads && signal.boundary == *options.boundary) return {};
    }
  }
  return failure(ErrorKind::missing,
                 fmt::format("no sensor reads the boundary {}", name_of(*options.boundary)),
                 "leave --boundary out, or add a sensor that does (tokenjoule sensors)");
}

Result<OpenSensors> open_sensors(const MeterOptions& options, const std::vector<Url>& engines,
                                 Clock& clock) {
  OpenSensors open;
  TRY(open.sensors, opened(options, clock));
  if (options.sensors.empty() || options.automatic_too) {
    TRY_DO(open_automatic(open, options, clock));
  }
  TRY_DO(check_gpus_once(open.sensors));
  if (open.sensors.empty()) {
    return failure(ErrorKind::missing, fmt::format("no sensor found ({})", absent_words(open)),
                   "name one, for example --sensor dcgm:url=http://HOST:9400/metrics; "
                   "tokenjoule sensors lists what there is");
  }
  for (const auto& sensor : open.sensors) {
    for (const Device& device : sensor->contents().devices) {
      const bool known = std::any_of(open.devices.begin(), open.devices.end(),
                                     [&](const Device& other) { return other.id == device.id; });
      if (!known) open.devices.push_back(device);
    }
  }
  open.nvml = nvml_spec(options, open);
  const EngineSearch search = engine_search(engines, open.nvml);
  TRY_DO(choose_gpus(open.devices,
                     {options.gpus, options.all_gpus, !options.sensors.empty(), are_local(engines),
                      search.gpus, search.how, gpus_of_others(search, engines, open.nvml)}));
  note_foreign_processes(open.devices, search, engines, open.nvml);
  return open;
}

std::vector<Device> changed_tenants(const std::vector<Url>& engines,
                                    const std::optional<SensorSpec>& nvml,
                                    const std::vector<Device>& devices) {
  std::vector<Device> now = devices;
  note_foreign_processes(now, engine_search(engines, nvml), engines, nvml);
  std::vector<Device> changed;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto after = now[i].facts.find(kForeignProcessesFact);
    const auto before = devices[i].facts.find(kForeignProcessesFact);
    if (after == now[i].facts.end() || before == devices[i].facts.end()) continue;
    if (after->second == before->second) continue;
    Device device = devices[i];
    device.facts = {{kForeignProcessesAfterFact, after->second}};
    changed.push_back(std::move(device));
  }
  return changed;
}

namespace {

std::string device_lines(const OpenSensors& sensors) {
  std::string lines;
  for (const Device& device : sensors.devices) {
    lines += fmt::format("  {:<9} {} {} {}{}\n", device.chosen ? "measured" : "apart",
                         name_of(device.kind), device.id, quoted(device.name),
                         device.chosen_by.empty() ? "" : " (" + device.chosen_by + ")");
  }
  return lines;
}

std::string signal_lines(const OpenSensors& sensors) {
  std::string lines;
  for (const auto& sensor : sensors.sensors) {
    for (const Signal& signal : sensor->contents().signals) {
      if (signal.measurand != Measurand::energy && signal.measurand != Measurand::power) continue;
      lines += fmt::format("  {:<9} {} of {}, boundary {}, from {}{}\n", signal.sensor,
                           name_of(signal.measurand), signal.device, name_of(signal.boundary),
                           quoted(signal.source), signal.modelled ? " (MODELLED)" : "");
    }
  }
  for (const AbsentSensor& absent : sensors.left_out) {
    lines += fmt::format("  not read: {}: {}\n", absent.name, absent.reason);
  }
  return lines;
}

std::string point_names(const MeasureOptions& options) {
  std::string names;
  for (const LoadPoint& point : options.points) {
    names += fmt::format(
        "{}{}", names.empty() ? "" : ", ",
        point.trace ? fmt::format("a trace at {:g} times its speed (at most {} in flight)",
                                  options.speed, point.concurrency)
        : point.rate
            ? fmt::format("{:g} requests/s (at most {} in flight)", *point.rate, point.concurrency)
            : fmt::format("-c {}", point.concurrency));
  }
  return names;
}

}  // namespace

std::string meters_text(const OpenSensors& sensors) {
  return "devices\n" + device_lines(sensors) + "sensors\n" + signal_lines(sensors);
}

std::string plan_text(const MeasureOptions& options, const ProbedEngine& engine,
                      const OpenSensors& sensors) {
  std::string text = fmt::format("engine     {} {} at {}{}, model {}\n", engine.info.kind,
                                 quoted(engine.info.version), engine.info.url, engine.info.endpoint,
                                 quoted(engine.info.model));
  text += fmt::format(
      "prompts    {}, answers {} ignore_eos\n",
      engine.info.token_id_prompts && engine.endpoint == EndpointKind::completions ? "token ids"
                                                                                   : "words",
      engine.dialect->takes_ignore_eos() && options.ignore_eos.value_or(true) ? "with" : "without");
  for (const std::string& limit : engine.info.limits) text += fmt::format("note       {}\n", limit);
  for (const std::string& server : unverified_servers(options, engine_urls(options))) {
    text += fmt::format("NOT CHECKED who answers at {} (--insecure)\n", server);
  }
  text += engine.metrics ? fmt::format("counters   {}\n", engine.info.metrics_url)
                         : fmt::format("counters   none: {}\n", engine.info.metrics_note);
  text += meters_text(sensors);
  const double fixed = options.idle.value() + options.ramp_up.value() + options.warmup.value() +
                       options.cooldown.value() + 2;
  const double points = static_cast<double>(options.points.size());
  if (!options.preset.empty()) {
    text += fmt::format("window     the steady part of the load of {}, for each of {}\n",
                        options.preset, point_names(options));
  } else if (options.num_requests) {
    text += fmt::format(
        "window     from the end of the warm-up until {} requests are sent, for each of {}\n",
        *options.num_requests, point_names(options));
  } else {
    text += fmt::format("window     {} s for each of {}\n", options.duration.value(),
                        point_names(options));
    text += fmt::format(
        "time       about {:.0f} s in all, plus what warm-up and last answers take longer\n",
        points * (fixed + options.duration.value()));
  }
  return text + "Nothing was measured (--check).\n";
}

}  // namespace tokenjoule
