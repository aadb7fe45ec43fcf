#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/boundary.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

// Keys of Device::facts that say what holds what. Lists are separated by commas.

/// Ids of devices, or kinds of devices of the same node ("cpu", "memory"), whose power is inside
/// this one's where it is read as a module or wider: a GH200 states "cpu, memory", and its board
/// holds neither.
constexpr char kContainsFact[] = "contains";
/// Id of the device whose power holds this one's.
constexpr char kInsideFact[] = "inside";
/// The node that the device belongs to, by the user's name for it.
constexpr char kNodeFact[] = "node";
/// One of several feeds of that node, by the user's name for it; without it a device at a node's
/// boundary reads the node as a whole.
constexpr char kFeedFact[] = "feed";
/// All feeds of that node.
constexpr char kNodeFeedsFact[] = "node_feeds";
/// The device stands for several GPUs together, of which its source does not tell which.
constexpr char kSumOfGpusFact[] = "sum_of_gpus";
/// The device is an outlet or a plug: a share of a node that may have further ones.
constexpr char kOutletFact[] = "outlet";

/// What a reading covers: a device at a boundary.
struct Scope {
  const Device* device = nullptr;
  Boundary boundary = Boundary::gpu_board;
  std::set<std::string> sensors;  ///< that read it there; a sensor never lists a power twice
};

enum class Containment {
  same,      ///< one power, read twice
  contains,  ///< all of the second is inside the first
  inside,    ///< the other way round
  overlaps,  ///< they share power, or it is not known that they do not: never to be added
  disjoint,  ///< no power in common: may be added
};
std::string_view name_of(Containment containment);

/// How two readings lie to each other, by devices: the table of docs/methods.md, "Boundaries".
Containment containment_of(const Scope& a, const Scope& b);

bool is_sum_of_gpus(const Device& device);
/// A fact of a device; "" if it has none of that name.
std::string fact_of(const Device& device, const char* key);
/// Whether a device states that power of such devices is inside its own at that boundary.
bool states_that_it_contains(const Device& device, Boundary boundary, DeviceKind kind);
/// What a device states that is a module with CPU and memory on it: "cpu, memory".
constexpr char kCpuAndMemory[] = "cpu, memory";

}  // namespace tokenjoule
