#include "record/event_queue.hpp"

#include <utility>

namespace tokenjoule {

void EventQueue::push(Event event) {
  const std::lock_guard lock(mutex_);
  if (events_.size() >= capacity_) {
    ++refused_[std::string(kind_of(event))];
    return;
  }
  events_.push_back(std::move(event));
}

std::vector<Event> EventQueue::take() {
  std::vector<Event> taken;
  const std::lock_guard lock(mutex_);
  taken.swap(events_);
  return taken;
}

std::map<std::string, std::int64_t> EventQueue::take_refused() {
  const std::lock_guard lock(mutex_);
  return std::exchange(refused_, {});
}

}  // namespace tokenjoule
