#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "model/event.hpp"

namespace tokenjoule {

/// Bounded, many producers, one consumer that swaps out everything. When full it counts what it
/// refuses, by kind; it never blocks a source. Thread-safe.
class EventQueue {
 public:
  explicit EventQueue(std::size_t capacity = 200'000) : capacity_(capacity) {}
  void push(Event event);
  /// All events so far, in the order pushed.
  std::vector<Event> take();
  /// How many were refused, by kind, since the last call.
  std::map<std::string, std::int64_t> take_refused();

 private:
  std::mutex mutex_;
  std::size_t capacity_;
  std::vector<Event> events_;
  std::map<std::string, std::int64_t> refused_;
};

}  // namespace tokenjoule
