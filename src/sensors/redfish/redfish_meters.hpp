#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_view.hpp"
#include "base/result.hpp"
#include "model/signal.hpp"

namespace tokenjoule {

/// Gives the page at a path.
using RedfishPages = std::function<Result<JsonDocument>(const std::string& path)>;

/// One value that is read from one page.
struct RedfishMeter {
  std::string page;     ///< its path
  std::string pointer;  ///< where on the page: "PowerControl/0/PowerConsumedWatts"
  /// What must still stand elsewhere on the page, as JSON text, by pointer: that an item of a list
  /// is still the same one, that an average is still over the same time.
  std::vector<std::pair<std::string, std::string>> conditions;
  bool of_whole_node =
      true;  ///< then 0 W is no reading: a node whose controller answers draws some
  Signal signal;
};

/// The raw value of a meter; nullopt where it is null, missing, no number, negative, 0 W of a whole
/// node, or of something else than at the start. A number written as a string is taken.
std::optional<double> redfish_value(const JsonView& page, const RedfishMeter& meter);

struct RedfishWish {
  std::string chassis;  ///< its id; "" to find it
  enum class Source { best, chassis, supplies } source = Source::best;
  std::optional<Boundary> boundary;  ///< what a reading covers, if the user says so
  std::string device;                ///< id of the device, if the user says so
  std::string host;                  ///< part of the device's id, where it has none of its own
};

struct RedfishNode {
  std::vector<Device> devices;
  std::vector<RedfishMeter> meters;  ///< ordered by page
};

/// Finds what the service measures of a node: the totals of its chassis (EnvironmentMetrics, else
/// Power), else each of its power supplies. Never both, since one contains the other. Without a
/// chassis given it is the one with power supplies, else the only one that measures power; errors
/// of kind missing name the choices.
Result<RedfishNode> redfish_node(const RedfishPages& pages, const RedfishWish& wish);

}  // namespace tokenjoule
