#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.hpp"
#include "model/boundary.hpp"

namespace tokenjoule {

enum class DeviceKind { gpu, cpu, memory, node, other };
std::string_view name_of(DeviceKind kind);
std::optional<DeviceKind> device_kind_named(std::string_view name);

/// A thing that draws power. It counts once, however many sensors and rows list it.
struct Device {
  std::string id;    ///< GPU UUID, zone path, bus address: what stays the same over reboots
  std::string name;  ///< model name, "" if unknown
  DeviceKind kind = DeviceKind::other;
  std::string label;   ///< what people call it on that machine: "0", "node7:3"; "" if nothing
  std::string group;   ///< given by the user: "prefill"; "" if none
  bool chosen = true;  ///< part of the figures; else recorded and shown apart
  std::string
      chosen_by;  ///< how that was decided: "--gpus", "--all-gpus", "the only one on its page"
  bool simulated = false;  ///< known not to be real hardware
  /// What else its sensor knows of it, by name: "pci_address", "architecture", "mig_mode".
  std::map<std::string, std::string> facts;
};

/// Key of Device::facts: compute processes on a GPU that are not the engine's, "pid name, …"; ""
/// for none; "unknown: …" with the reason where they cannot be told. Absent: nobody looked.
constexpr char kForeignProcessesFact[] = "foreign_processes";
/// The same when the run had ended, where it was not as before.
constexpr char kForeignProcessesAfterFact[] = "foreign_processes_after";
/// Key of Device::facts: GPUs that the driver lists beside this one and that cannot be opened.
constexpr char kNotOpenedFact[] = "gpus_not_opened";
constexpr std::string_view kUnknownProcesses = "unknown: ";

/// What a signal measures. Its SI unit follows from it.
enum class Measurand {
  energy,                 ///< J
  power,                  ///< W
  power_limit_enforced,   ///< W
  power_limit_default,    ///< W
  power_limit_max,        ///< W
  power_limit_min,        ///< W
  power_limit_requested,  ///< W: what was asked for; the enforced one may be lower
  temperature,            ///< degrees Celsius
  sm_clock,               ///< MHz
  memory_clock,           ///< MHz
  utilisation,            ///< 0..1
  memory_used,            ///< bytes
  throttled_time,         ///< s, counter: thermal or brake slowdown
  power_capped_time,      ///< s, counter: held back by the power limit
};
std::string_view name_of(Measurand measurand);
std::optional<Measurand> measurand_named(std::string_view name);
std::string_view si_unit_of(Measurand measurand);

enum class SignalKind { counter, gauge };

/// How far a reading may be off, as stated by somebody; half width relative to the reading.
struct Accuracy {
  double half_width_relative = 0.05;
  std::string distribution = "rectangular";
  std::string basis = "literature";  ///< literature, vendor, class, certificate
  std::string source = "no accuracy is stated by the vendor: 5 % assumed";
};

/// How an instrument's readings compare with a standard: true value = gain * reading, give or take
/// half_width, relative. The record keeps the readings as they came; analysis applies the gain.
struct Calibration {
  double gain = 1;          ///< above 0
  double half_width = 0;    ///< of the calibrated reading, relative, 0 or more
  std::string certificate;  ///< what proves it: a number, a file
  std::string date;         ///< of the calibration: "2026-03-01"
};

/// One thing that a sensor reads.
struct Signal {
  std::uint32_t id = 0;  ///< unique in a run
  std::string sensor;    ///< the sensor's name with what tells it apart: "dcgm", "exec#2"
  std::string device;    ///< Device::id
  Measurand measurand = Measurand::power;
  SignalKind kind = SignalKind::gauge;
  Boundary boundary = Boundary::gpu_board;
  std::string source;                ///< the field, file or metric read
  std::string raw_unit;              ///< unit of the value as read: "mJ", "W"
  double to_si = 1.0;                ///< raw value * to_si = SI value
  bool modelled = false;             ///< computed from something else than a power sensor
  std::optional<Seconds> period;     ///< how often it is polled, as planned
  std::optional<Seconds> averaging;  ///< the reading is the mean over this long
  std::optional<double> modulus;     ///< a counter that starts again at 0 after this many raw units
  Accuracy accuracy;
  std::string driver;                      ///< driver or firmware version, "" if unknown
  std::optional<Calibration> calibration;  ///< of energy and power; absent: none is known
};

/// What turns a raw value into an SI value, the calibration's gain included.
double si_factor(const Signal& signal);
/// The calibration's accuracy where there is one, else the one that is stated of the sensor.
Accuracy accuracy_of(const Signal& signal);

/// "dcgm:GPU-…": the instrument a reading comes from.
std::string instrument_of(const Signal& signal);

}  // namespace tokenjoule
