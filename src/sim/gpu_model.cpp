#include "sim/gpu_model.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/check.hpp"
#include "base/random.hpp"

namespace tokenjoule {

namespace {

/// About 200 MB: ten hours and more of steps.
constexpr std::size_t kChangesKept = 4'000'000;

std::string simulated_uuid(Random& random) {
  const std::uint64_t high = random.bits();
  const std::uint64_t low = random.bits();
  return fmt::format("GPU-51d0{:04x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high & 0xffffU,
                     (high >> 16U) & 0xffffU, (high >> 32U) & 0xfffU, (high >> 44U) & 0xfffU,
                     low & 0xffffffffffffU);
}

double around_one(Random& random, double spread) { return 1 + spread * (2 * random.uniform() - 1); }

}  // namespace

GpuModel::GpuModel(const GpuParameters& parameters, std::uint64_t seed) : parameters_(parameters) {
  Random random(seed, 0x677075);
  hottest_ = {0, 0};
  for (int i = 0; i < parameters.engine_gpus + parameters.idle_gpus; ++i) {
    SimulatedGpu gpu;
    gpu.uuid = simulated_uuid(random);
    gpu.bus_id = fmt::format("00000000:{:02X}:00.0", i % 256);
    gpu.used_by_engine = i < parameters.engine_gpus;
    gpu.factors.idle = around_one(random, parameters.spread);
    gpu.factors.active = around_one(random, parameters.spread);
    if (gpu.used_by_engine) {
      hottest_.idle = std::max(hottest_.idle, gpu.factors.idle);
      hottest_.active = std::max(hottest_.active, gpu.factors.active);
    }
    gpus_.push_back(gpu);
  }
  changes_.push_back(Change{});
}

void GpuModel::add_step(MonoTime begin, const StepCost& cost) {
  add_change(begin, cost.active.value(), cost.busy, cost.slowdown);
  add_change(begin + cost.length, 0, 0, 1);
}

void GpuModel::add_change(MonoTime at, double watts, double busy, double slowdown) {
  Change& last = changes_.back();
  TJ_ASSERT(at >= last.at);
  const double seconds = to_seconds(at - last.at).value();
  Change next{at,
              watts,
              busy,
              slowdown,
              last.joules + last.watts * seconds,
              last.busy_s + last.busy * seconds,
              last.capped_s + (last.slowdown > 1 ? seconds : 0)};
  if (at == last.at) {
    last = next;
  } else {
    changes_.push_back(next);
  }
  if (changes_.size() > kChangesKept) {
    changes_.pop_front();
    forgot_ = true;
  }
}

const GpuModel::Change& GpuModel::change_at(MonoTime at) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), at,
                       [](MonoTime t, const Change& change) { return t < change.at; });
  return after == changes_.begin() ? changes_.front() : *std::prev(after);
}

MonoTime GpuModel::known_from() const {
  return forgot_ ? changes_.front().at : MonoTime{INT64_MIN};
}

namespace {

double seconds_since(MonoTime at, MonoTime change) {
  return std::max(0.0, to_seconds(at - change).value());
}

}  // namespace

Watts GpuModel::power(int gpu, MonoTime at) const {
  const SimulatedGpu& which = gpus_.at(static_cast<std::size_t>(gpu));
  const Watts idle = parameters_.idle * which.factors.idle;
  if (!which.used_by_engine || at < changes_.front().at) return idle;
  return idle + Watts(change_at(at).watts) * which.factors.active;
}

Joules GpuModel::energy(int gpu, MonoTime at) const {
  const SimulatedGpu& which = gpus_.at(static_cast<std::size_t>(gpu));
  const Joules idle = parameters_.idle * which.factors.idle * since_origin(at);
  if (!which.used_by_engine) return idle;
  const Change& change = change_at(at);
  const double active = change.joules + change.watts * seconds_since(at, change.at);
  return idle + Joules(active) * which.factors.active;
}

Seconds GpuModel::busy(int gpu, MonoTime at) const {
  if (!gpus_.at(static_cast<std::size_t>(gpu)).used_by_engine) return {};
  const Change& change = change_at(at);
  return Seconds(change.busy_s + change.busy * seconds_since(at, change.at));
}

Seconds GpuModel::capped(int gpu, MonoTime at) const {
  if (!gpus_.at(static_cast<std::size_t>(gpu)).used_by_engine) return {};
  const Change& change = change_at(at);
  return Seconds(change.capped_s + (change.slowdown > 1 ? seconds_since(at, change.at) : 0));
}

double GpuModel::slowdown(int gpu, MonoTime at) const {
  if (!gpus_.at(static_cast<std::size_t>(gpu)).used_by_engine) return 1;
  return change_at(at).slowdown;
}

}  // namespace tokenjoule
