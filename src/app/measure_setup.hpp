#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/measure_options.hpp"
#include "io/clock.hpp"
#include "load/engine_probe.hpp"
#include "sensors/sensor.hpp"

namespace tokenjoule {

/// A sensor that would be read by itself and is not here.
struct AbsentSensor {
  std::string name;
  std::string reason;
  std::string advice;           ///< what would make it work
  std::vector<Boundary> reads;  ///< what is not measured for want of it
};

/// Sensors that are open, and the devices they read with the choice made.
struct OpenSensors {
  std::vector<std::unique_ptr<Sensor>> sensors;
  std::vector<Device> devices;  ///< each once, `chosen` filled in
  std::vector<AbsentSensor> left_out;
  std::optional<SensorSpec> nvml;  ///< of the NVML sensor, if it is among them
};

/// How to ask the engine about itself, from the options.
Result<ProbeQuestion> probe_question_of(const MeasureOptions& options);

/// The engine that answers, with what the user states about it.
Result<ProbedEngine> reach_engine(const MeasureOptions& options, const ProbeQuestion& question);

/// Adds what the user states about the engine.
void add_stated_settings(EngineInfo& info,
                         const std::vector<std::pair<std::string, std::string>>& stated);

/// Looks again at who computes on the chosen GPUs once a run has ended. One device, with the fact
/// kForeignProcessesAfterFact alone, for each where it is not as it was in `devices`.
std::vector<Device> changed_tenants(const std::vector<Url>& engines,
                                    const std::optional<SensorSpec>& nvml,
                                    const std::vector<Device>& devices);

/// Opens the sensors asked for, or all automatic ones that work, and chooses the GPUs. No sensor at
/// all, or GPUs that cannot be told, is an error of kind missing.
/// @param engines servers whose GPUs are measured; none: whoever computes on them is.
Result<OpenSensors> open_sensors(const MeterOptions& options, const std::vector<Url>& engines,
                                 Clock& clock);

/// A boundary that was asked for must be read by a sensor.
Status check_boundary(const MeterOptions& options, const OpenSensors& sensors);

/// The devices and sensors of a plan, a line each.
std::string meters_text(const OpenSensors& sensors);

/// What --check prints: engine, GPUs, sensors with rights, window and how long it will take.
std::string plan_text(const MeasureOptions& options, const ProbedEngine& engine,
                      const OpenSensors& sensors);

}  // namespace tokenjoule
