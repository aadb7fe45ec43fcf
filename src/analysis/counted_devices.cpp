#include "analysis/counted_devices.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

bool has_reading(const DeviceSources& sources) {
  return !sources.counters.empty() || !sources.powers.empty();
}

bool belongs(const Run& run, const Device& device, Boundary boundary) {
  if (!device.chosen) return false;
  if (has_reading(sources_of(run, device, boundary))) return true;
  return device.kind == DeviceKind::gpu && is_gpu_boundary(boundary);
}

/// Works the list of candidates down to those that may be added.
class Counting {
 public:
  Counting(const Run& run, Boundary boundary) : run_(run), boundary_(boundary) {}

  CountedDevices counted() {
    for (const Device* device : distinct_devices(run_)) {
      if (belongs(run_, *device, boundary_)) take(device);
    }
    settle_modelled();
    settle_nodes();
    settle_pairs();
    name_outlets();
    return std::move(result_);
  }

 private:
  Scope scope(const CountedDevice& device) const {
    Scope scope{device.front(), boundary_, {}};
    for (const Device* name : device) scope.sensors.merge(scope_of(run_, *name, boundary_).sensors);
    return scope;
  }
  bool is_read(const CountedDevice& device) const {
    return has_reading(sources_of(run_, device, boundary_));
  }

  /// A new power, or another name of one that is there.
  void take(const Device* device) {
    const CountedDevice alone = {device};
    for (CountedDevice& known : result_.counted) {
      if (containment_of(scope(known), scope(alone)) != Containment::same) continue;
      result_.not_added.push_back(
          {device->id, fmt::format("the same power as {}, counted once", known.front()->id)});
      known.push_back(device);
      return;
    }
    result_.counted.push_back(alone);
  }

  void drop(const CountedDevice& device, std::string why) {
    result_.not_added.push_back({device.front()->id, std::move(why)});
    dropped_.insert(device.front());
  }
  void sweep() {
    std::erase_if(result_.counted,
                  [&](const CountedDevice& device) { return dropped_.count(device.front()) != 0; });
  }

  /// A model of a part and a meter of it are one power under two names, whatever these are.
  void settle_modelled() {
    const auto is_modelled = [&](const CountedDevice& device) {
      return sources_of(run_, device, boundary_).modelled;
    };
    const bool measured = std::any_of(
        result_.counted.begin(), result_.counted.end(),
        [&](const CountedDevice& device) { return is_read(device) && !is_modelled(device); });
    if (!measured) return;
    for (const CountedDevice& device : result_.counted) {
      if (is_read(device) && is_modelled(device)) {
        drop(device, fmt::format("modelled, and {} is measured", name_of(boundary_)));
      }
    }
    sweep();
  }

  void settle_nodes() {
    std::map<std::string, std::vector<const CountedDevice*>> feeds, meters;
    for (const CountedDevice& device : result_.counted) {
      const std::string node = fact_of(*device.front(), kNodeFact);
      if (node.empty()) continue;
      const bool feed = !fact_of(*device.front(), kFeedFact).empty();
      (feed ? feeds : meters)[node].push_back(&device);
    }
    for (const auto& [node, of_node] : feeds) settle_node(node, of_node, meters[node]);
    sweep();
  }

  /// A node is read by all of its feeds, or by a meter of the whole.
  void settle_node(const std::string& node, const std::vector<const CountedDevice*>& feeds,
                   const std::vector<const CountedDevice*>& meters) {
    std::set<std::string> read;
    for (const CountedDevice* feed : feeds) read.insert(fact_of(*feed->front(), kFeedFact));
    std::vector<std::string> missing;
    const std::string all = fact_of(*feeds.front()->front(), kNodeFeedsFact);
    for (const auto part : split(all, ',')) {
      const std::string name(trimmed(part));
      if (!name.empty() && read.count(name) == 0) missing.push_back(name);
    }
    if (!missing.empty() && !meters.empty()) {
      const std::string why =
          fmt::format("not all feeds of {} are read, its own meter is counted", node);
      for (const CountedDevice* feed : feeds) drop(*feed, why);
      return;
    }
    for (const CountedDevice* meter : meters) {
      drop(*meter, fmt::format("reads all of {}, whose feeds are counted", node));
    }
    if (missing.empty()) return;
    result_.missing_feeds.push_back(fmt::format("{} lacks {}", node, fmt::join(missing, ", ")));
  }

  void settle_pairs() {
    const auto& all = result_.counted;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) settle_pair(all[i], all[j]);
    }
    sweep();
  }

  void settle_pair(const CountedDevice& a, const CountedDevice& b) {
    if (dropped_.count(a.front()) != 0 || dropped_.count(b.front()) != 0) return;
    switch (containment_of(scope(a), scope(b))) {
      case Containment::contains: return settle_nested(a, b);
      case Containment::inside: return settle_nested(b, a);
      case Containment::overlaps:
        if (!result_.ambiguous.empty()) return;
        result_.ambiguous =
            fmt::format("{} and {} may read the same power", a.front()->id, b.front()->id);
        return;
      case Containment::same:
      case Containment::disjoint: return;
    }
  }

  /// The parts of a sum that are read themselves are known better than the sum.
  void settle_nested(const CountedDevice& outer, const CountedDevice& inner) {
    if (is_sum_of_gpus(*outer.front()) && is_read(inner)) {
      drop(outer, "holds GPUs that are read one by one");
    } else {
      drop(inner, fmt::format("inside {}", outer.front()->id));
    }
  }

  void name_outlets() {
    for (const CountedDevice& device : result_.counted) {
      const Device& first = *device.front();
      if (first.facts.count(kOutletFact) == 0 || !fact_of(first, kNodeFact).empty()) continue;
      if (boundary_ == Boundary::node_ac || boundary_ == Boundary::node_dc) {
        result_.lone_outlets.push_back(first.id);
      }
    }
  }

  const Run& run_;
  Boundary boundary_;
  CountedDevices result_;
  std::set<const Device*> dropped_;
};

}  // namespace

Scope scope_of(const Run& run, const Device& device, Boundary boundary) {
  Scope scope{&device, boundary, {}};
  const DeviceSources sources = sources_of(run, device, boundary);
  for (const Signal* signal : sources.counters) scope.sensors.insert(signal->sensor);
  for (const Signal* signal : sources.powers) scope.sensors.insert(signal->sensor);
  return scope;
}

DeviceSources sources_of(const Run& run, const CountedDevice& device, Boundary boundary) {
  DeviceSources all = sources_of(run, *device.front(), boundary);
  for (std::size_t i = 1; i < device.size(); ++i) {
    const DeviceSources more = sources_of(run, *device[i], boundary);
    if (!has_reading(more) || (more.modelled && !all.modelled && has_reading(all))) continue;
    if (all.modelled != more.modelled) {  // what measures takes the place of what is modelled
      all.counters.clear();
      all.powers.clear();
      all.modelled = more.modelled;
    }
    all.counters.insert(all.counters.end(), more.counters.begin(), more.counters.end());
    all.powers.insert(all.powers.end(), more.powers.begin(), more.powers.end());
  }
  return all;
}

std::map<std::string, DeviceSources> sources_by_sensor(const Run& run, const CountedDevice& device,
                                                       Boundary boundary) {
  const DeviceSources all = sources_of(run, device, boundary);
  std::map<std::string, DeviceSources> by_sensor;
  const auto of_sensor = [&](const Signal& signal) -> DeviceSources& {
    const DeviceSources none{all.device, all.boundary, all.modelled, {}, {}};
    return by_sensor.try_emplace(signal.sensor, none).first->second;
  };
  for (const Signal* counter : all.counters) of_sensor(*counter).counters.push_back(counter);
  for (const Signal* power : all.powers) of_sensor(*power).powers.push_back(power);
  return by_sensor;
}

CountedDevices counted_devices(const Run& run, Boundary boundary) {
  return Counting(run, boundary).counted();
}

}  // namespace tokenjoule
