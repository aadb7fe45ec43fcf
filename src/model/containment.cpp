#include "model/containment.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kNames[] = {"same", "contains", "inside", "overlaps", "disjoint"};

bool is_gpu(Boundary boundary) {
  return boundary == Boundary::chip || boundary == Boundary::gpu_board ||
         boundary == Boundary::gpu_module;
}

/// A GPU's chip and board hold nothing beside the GPU, whatever its module holds.
bool holds_more_than_a_gpu(Boundary boundary) {
  return boundary != Boundary::chip && boundary != Boundary::gpu_board;
}

/// A whole machine, or more.
bool is_whole(Boundary boundary) {
  return boundary == Boundary::psys || boundary == Boundary::node_dc ||
         boundary == Boundary::node_ac || boundary == Boundary::rack ||
         boundary == Boundary::facility;
}

/// At most one machine: two named nodes share nothing there.
bool is_of_one_node(Boundary boundary) {
  return boundary != Boundary::rack && boundary != Boundary::facility;
}

bool lists(const std::string& list, std::string_view item) {
  const auto parts = split(list, ',');
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return trimmed(part) == item; });
}

/// Whether both name their node, and which is another.
bool are_of_other_nodes(const Device& a, const Device& b) {
  const std::string here = fact_of(a, kNodeFact), there = fact_of(b, kNodeFact);
  return !here.empty() && !there.empty() && here != there;
}

bool are_of_one_named_node(const Device& a, const Device& b) {
  const std::string here = fact_of(a, kNodeFact);
  return !here.empty() && here == fact_of(b, kNodeFact);
}

bool is_feed(const Device& device) { return !fact_of(device, kFeedFact).empty(); }

bool is_uuid(const Device& device) { return starts_with(device.id, "GPU-"); }

/// One device under two names: the same bus address, unless UUIDs tell them apart (several hosts
/// have the same addresses), or two meters of one named node.
bool are_one_device(const Scope& a, const Scope& b) {
  const Device& x = *a.device;
  const Device& y = *b.device;
  if (x.id == y.id) return true;
  const std::string address = fact_of(x, "pci_address");
  const bool one_address = !address.empty() && address == fact_of(y, "pci_address");
  if (one_address && !(is_uuid(x) && is_uuid(y)) && !are_of_other_nodes(x, y)) return true;
  return is_whole(a.boundary) && a.boundary == b.boundary && are_of_one_named_node(x, y) &&
         !is_feed(x) && !is_feed(y);
}

/// Whether one of the two devices says that it holds the other.
bool states_containment(const Scope& outer, const Scope& inner) {
  const Device& whole = *outer.device;
  const Device& part = *inner.device;
  if (fact_of(part, kInsideFact) == whole.id) return true;
  if (lists(fact_of(whole, kContainsFact), part.id) && holds_more_than_a_gpu(outer.boundary)) {
    return true;
  }
  return states_that_it_contains(whole, outer.boundary, part.kind) &&
         !are_of_other_nodes(whole, part);
}

/// A module read by its own rail and by its GPU's driver: one power, though it cannot be told of
/// which of several modules.
bool read_one_module(const Scope& a, const Scope& b) {
  const bool modules = a.boundary == Boundary::gpu_module && b.boundary == Boundary::gpu_module;
  const bool both_hold =
      a.device->facts.count(kContainsFact) != 0 && b.device->facts.count(kContainsFact) != 0;
  return modules && both_hold && a.device->kind != b.device->kind &&
         !are_of_other_nodes(*a.device, *b.device);
}

bool share_a_sensor(const Scope& a, const Scope& b) {
  return std::any_of(a.sensors.begin(), a.sensors.end(),
                     [&](const std::string& sensor) { return b.sensors.count(sensor) != 0; });
}

Containment at_one_boundary(const Scope& a, const Scope& b) {
  if (is_gpu(a.boundary)) {
    if (is_sum_of_gpus(*a.device) != is_sum_of_gpus(*b.device)) {
      return is_sum_of_gpus(*a.device) ? Containment::contains : Containment::inside;
    }
    return is_sum_of_gpus(*a.device) ? Containment::overlaps : Containment::disjoint;
  }
  if (!is_whole(a.boundary)) return Containment::disjoint;
  if (is_feed(*a.device) && is_feed(*b.device)) return Containment::disjoint;
  return share_a_sensor(a, b) ? Containment::disjoint : Containment::overlaps;
}

/// The first reaches wider than the second.
Containment at_two_boundaries(const Scope& outer, const Scope& inner) {
  if (!is_whole(outer.boundary)) {
    // Another board, another package. What a module holds beside its GPU has to be stated.
    const bool open = outer.boundary == Boundary::gpu_module &&
                      outer.device->kind != DeviceKind::gpu && is_gpu(inner.boundary);
    return open ? Containment::overlaps : Containment::disjoint;
  }
  // A feed, or an outlet, holds a share of what is in its node.
  const bool share = is_feed(*outer.device) || outer.device->facts.count(kOutletFact) != 0;
  return share ? Containment::overlaps : Containment::contains;
}

Containment turned(Containment containment) {
  if (containment == Containment::contains) return Containment::inside;
  return containment == Containment::inside ? Containment::contains : containment;
}

}  // namespace

std::string_view name_of(Containment containment) {
  return kNames[static_cast<std::size_t>(containment)];
}

std::string fact_of(const Device& device, const char* key) {
  const auto at = device.facts.find(key);
  return at == device.facts.end() ? std::string() : at->second;
}

bool is_sum_of_gpus(const Device& device) { return device.facts.count(kSumOfGpusFact) != 0; }

bool states_that_it_contains(const Device& device, Boundary boundary, DeviceKind kind) {
  return holds_more_than_a_gpu(boundary) && lists(fact_of(device, kContainsFact), name_of(kind));
}

Containment containment_of(const Scope& a, const Scope& b) {
  const bool wider = contains(a.boundary, b.boundary), narrower = contains(b.boundary, a.boundary);
  if (are_one_device(a, b)) {
    if (a.boundary == b.boundary) return Containment::same;
    return wider ? Containment::contains : narrower ? Containment::inside : Containment::disjoint;
  }
  if (read_one_module(a, b)) return Containment::overlaps;
  if (states_containment(a, b)) return Containment::contains;
  if (states_containment(b, a)) return Containment::inside;
  const bool apart = is_of_one_node(a.boundary) && is_of_one_node(b.boundary) &&
                     are_of_other_nodes(*a.device, *b.device);
  if (apart) return Containment::disjoint;
  if (a.boundary == b.boundary) return at_one_boundary(a, b);
  if (wider) return at_two_boundaries(a, b);
  if (narrower) return turned(at_two_boundaries(b, a));
  // Some platforms count their memory in psys, others do not; a module that does not say what it
  // holds may hold a CPU.
  const auto pair = [&](Boundary one, Boundary other) {
    return (a.boundary == one && b.boundary == other) || (a.boundary == other && b.boundary == one);
  };
  const bool open =
      pair(Boundary::psys, Boundary::dram) || pair(Boundary::gpu_module, Boundary::cpu_package) ||
      pair(Boundary::gpu_module, Boundary::cpu_core) || pair(Boundary::gpu_module, Boundary::dram);
  return open ? Containment::overlaps : Containment::disjoint;
}

}  // namespace tokenjoule
