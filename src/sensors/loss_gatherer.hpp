#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/time.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// Adds up losses of one kind and reason for a second before they are told, so that a sensor that
/// fails a hundred times a second does not flood the record. The first reason of each is kept.
class LossGatherer {
 public:
  LossGatherer(std::string source, EventSink sink)
      : source_(std::move(source)), sink_(std::move(sink)) {}

  void add(Loss loss);
  /// Tells those that began at least a second before `now`.
  void tell_old(MonoTime now);
  void tell_all();

 private:
  std::string source_;
  EventSink sink_;
  std::map<std::pair<std::string, std::string>, Loss> gathered_;  ///< by what and sort of reason
};

}  // namespace tokenjoule
