#include "sim/sensor_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace tokenjoule {

namespace {

bool any_on(const std::vector<TimedFault>& faults, MonoTime at, int gpu) {
  return std::any_of(faults.begin(), faults.end(),
                     [&](const TimedFault& fault) { return is_on(fault, at, gpu); });
}

}  // namespace

SensorModel::SensorModel(const GpuModel& gpus, const SimulatorOptions& options)
    : gpus_(gpus), sensors_(options.sensors), faults_(options.faults), seed_(options.seed) {
  if (faults_.counter_step) sensors_.counter_step = *faults_.counter_step;
  Random random(options.seed, 0x73656e73);
  for (std::size_t i = 0; i < gpus.gpus().size(); ++i) {
    phase_.push_back(random.uniform());
    boot_mj_.push_back(std::floor(1e9 + 1e9 * random.uniform()));  // some days of idling
  }
}

bool SensorModel::present(int gpu, MonoTime at) const { return !any_on(faults_.losses, at, gpu); }

/// The sensor's last update at or before `at`: each GPU has a phase of its own.
MonoTime SensorModel::grid_time(int gpu, MonoTime at, Nanoseconds step) const {
  if (step.count <= 0) return at;
  const double share = phase_[static_cast<std::size_t>(gpu)];
  const auto phase = static_cast<std::int64_t>(share * static_cast<double>(step.count));
  const std::int64_t since = at.ns - phase;
  const std::int64_t rest = ((since % step.count) + step.count) % step.count;
  return {at.ns - rest};
}

double SensorModel::true_counter_mj(int gpu, MonoTime at) const {
  double begin = -boot_mj_[static_cast<std::size_t>(gpu)];
  for (const TimedFault& reset : faults_.counter_resets) {
    const MonoTime reset_at = mono_at(reset.at);
    if (is_on(reset, at, gpu))
      begin = std::max(begin, gpus_.energy(gpu, reset_at).value() * 1e3 * faults_.counter_gain);
  }
  const double shown = gpus_.energy(gpu, at).value() * 1e3 * faults_.counter_gain - begin;
  return std::max(0.0, shown);
}

std::optional<std::int64_t> SensorModel::energy_mj(int gpu, MonoTime at) const {
  if (faults_.no_counter || !present(gpu, at)) return std::nullopt;
  MonoTime tick = grid_time(gpu, at, sensors_.counter_step);
  for (const TimedFault& freeze : faults_.freezes) {
    if (!is_on(freeze, at, gpu)) continue;
    tick = std::min(tick, grid_time(gpu, mono_at(freeze.at), sensors_.counter_step));
  }
  // A reset shows at once, not at the next step.
  for (const TimedFault& reset : faults_.counter_resets) {
    if (is_on(reset, at, gpu)) tick = std::max(tick, mono_at(reset.at));
  }
  return static_cast<std::int64_t>(true_counter_mj(gpu, tick));
}

Watts SensorModel::as_shown(Watts power, int gpu, MonoTime tick, std::uint64_t kind) const {
  Watts shown = power * faults_.power_gain;
  if (faults_.noise > Watts()) {
    const auto stream =
        static_cast<std::uint64_t>(tick.ns) * 2048 + static_cast<std::uint64_t>(gpu) * 2 + kind;
    shown += Watts(Random(seed_ + 2, stream).normal(0, faults_.noise.value()));
  }
  return std::max(Watts(), shown);
}

std::optional<Watts> SensorModel::average_power(int gpu, MonoTime at) const {
  if (faults_.no_power || !present(gpu, at)) return std::nullopt;
  const MonoTime tick = grid_time(gpu, at, sensors_.power_step);
  const MonoTime begin = tick - to_nanoseconds(sensors_.averaging);
  const Joules energy = gpus_.energy(gpu, tick) - gpus_.energy(gpu, begin);
  return as_shown(energy / sensors_.averaging, gpu, tick, 0);
}

std::optional<Watts> SensorModel::instant_power(int gpu, MonoTime at) const {
  if (faults_.no_power || !present(gpu, at)) return std::nullopt;
  const MonoTime tick = grid_time(gpu, at, sensors_.power_step);
  return as_shown(gpus_.power(gpu, tick), gpu, tick, 1);
}

int SensorModel::temperature_c(int gpu, MonoTime at) const {
  // 30 degrees of air and 0.06 K/W over the last ten seconds.
  const Seconds span(10);
  const Joules energy = gpus_.energy(gpu, at) - gpus_.energy(gpu, at - to_nanoseconds(span));
  return static_cast<int>(std::lround(30 + 0.06 * (energy / span).value()));
}

int SensorModel::sm_clock_mhz(int gpu, MonoTime at) const {
  if (utilisation_percent(gpu, at) == 0) return 345;
  return static_cast<int>(std::lround(1980 / gpus_.slowdown(gpu, at)));
}

int SensorModel::utilisation_percent(int gpu, MonoTime at) const {
  const Seconds busy = gpus_.busy(gpu, at) - gpus_.busy(gpu, at - whole_seconds(1));
  return static_cast<int>(std::lround(100 * busy.value()));
}

std::int64_t SensorModel::capped_ns(int gpu, MonoTime at) const {
  return to_nanoseconds(gpus_.capped(gpu, at)).count;
}

}  // namespace tokenjoule
