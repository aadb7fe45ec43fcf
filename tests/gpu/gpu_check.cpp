// Reads all that NVML tells of the GPUs of this machine and prints it as JSON: each value or why it
// is not there, the step of the energy counters, counters against integrated power, and what the
// reads cost. Changes nothing on the GPUs. tests/gpu/check builds and runs it.
//   0 done, 1 failed inside, 2 usage, 3 no NVIDIA GPU whose energy or power can be read
#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "analysis/statistics.hpp"
#include "gpu_energy.hpp"
#include "gpu_values.hpp"

namespace tokenjoule {
namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string library;
  double seconds = 30;
  double cost_seconds = 15;
};

Json or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json summary_json(const std::vector<double>& ascending) {
  return {{"n", ascending.size()},
          {"median", or_null(quantile(ascending, 0.5))},
          {"p99", or_null(quantile(ascending, 0.99))},
          {"min", or_null(quantile(ascending, 0))},
          {"max", or_null(quantile(ascending, 1))}};
}

Json gpu_json(const Nvml& nvml, const OpenedGpu& gpu, const std::string& driver) {
  Json values = Json::array();
  for (const GpuValue& value : values_of(nvml, gpu, driver)) {
    values.push_back({{"source", value.source},
                      {"what", value.what},
                      {"value", or_null(value.raw)},
                      {"unit", value.unit},
                      {"status", value.status}});
  }
  return {{"uuid", gpu.device.id},     {"name", gpu.device.name},
          {"index", gpu.device.label}, {"simulated", gpu.device.simulated},
          {"facts", gpu.device.facts}, {"values", std::move(values)}};
}

Json signal_json(const Signal& signal) {
  return {
      {"uuid", signal.device}, {"source", signal.source}, {"boundary", name_of(signal.boundary)}};
}

template <typename Quantity>
std::optional<double> value_of(const std::optional<Quantity>& quantity) {
  return quantity ? std::optional(quantity->value()) : std::nullopt;
}

Json energy_json(const EnergyCheck& check) {
  Json counters = Json::array();
  for (const CounterCheck& counter : check.counters) {
    Json json = signal_json(counter.signal);
    json["joules"] = or_null(value_of(counter.energy));
    json["step_s"] = summary_json(counter.steps_s);
    counters.push_back(std::move(json));
  }
  Json powers = Json::array();
  for (const PowerCheck& power : check.powers) {
    Json json = signal_json(power.signal);
    json["mean_watts"] = or_null(value_of(power.mean));
    json["integrated_per_counter"] = or_null(power.ratio);
    powers.push_back(std::move(json));
  }
  return {{"seconds", check.length.value()},
          {"polls_lost", check.polls_lost},
          {"losses", check.losses},
          {"counters", std::move(counters)},
          {"powers", std::move(powers)}};
}

Json costs_json(const std::vector<ReadCost>& costs) {
  Json json = Json::array();
  for (const ReadCost& cost : costs) {
    json.push_back({{"source", cost.source}, {"us", summary_json(cost.us)}});
  }
  return json;
}

/// Values are read in the midst of what is going on, costs behind it, so that neither is disturbed.
Result<Json> checked(const Settings& settings) {
  SystemClock clock;
  TRY(const auto nvml, Nvml::open(settings.library));
  TRY(const OpenedGpus opened, open_nvml_gpus(*nvml));
  const std::string driver = nvml->driver_version().value_or("");
  Json gpus = Json::array();
  for (const OpenedGpu& gpu : opened.gpus) gpus.push_back(gpu_json(*nvml, gpu, driver));
  TRY(const EnergyCheck energy, check_energy(settings.library, Seconds(settings.seconds), clock));
  Json json = {{"driver", driver},
               {"nvml", nvml->library_version().value_or("")},
               {"gpus_listed", opened.listed},
               {"gpus_not_opened", opened.not_opened},
               {"gpus", std::move(gpus)},
               {"energy", energy_json(energy)},
               {"costs", nullptr}};
  if (settings.cost_seconds > 0) {
    json["costs"] =
        costs_json(read_costs(*nvml, opened.gpus, driver, Seconds(settings.cost_seconds), clock));
  }
  return json;
}

int run(const Settings& settings) {
  const auto json = checked(settings);
  if (json) {
    fmt::print("{}\n", json->dump(2, ' ', false, Json::error_handler_t::replace));
    return 0;
  }
  const Error& error = json.error();
  fmt::print(stderr, "no NVIDIA GPU to check here: {}{}{}\n", error.message,
             error.hint.empty() ? "" : "; ", error.hint);
  return 3;
}

}  // namespace
}  // namespace tokenjoule

int main(int argc, char** argv) {
  tokenjoule::Settings settings;
  CLI::App app("All that NVML tells of the GPUs here, as JSON; see tests/gpu/check");
  app.add_option("--library", settings.library, "path of an NVML library; default: the driver's");
  app.add_option("--seconds", settings.seconds, "how long energy and power are compared")
      ->check(CLI::Range(1.0, 120.0));
  app.add_option("--cost-seconds", settings.cost_seconds, "how long reads are timed; 0: not")
      ->check(CLI::Range(0.0, 60.0));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tokenjoule::run(settings);
}
