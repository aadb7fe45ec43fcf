#include "load/request_source.hpp"

#include <algorithm>
#include <utility>

namespace tokenjoule {

RequestSource::RequestSource(Workload workload, const EngineDialect& dialect, std::size_t ahead)
    : workload_(std::move(workload)), dialect_(dialect), ahead_(std::max<std::size_t>(ahead, 16)) {
  for (Shelf* shelf : {&warmup_, &measured_}) {
    while (has_space(*shelf)) {
      shelf->ready.push_back(made(shelf->next_id++));
      shelf->bytes += shelf->ready.back().body.size();
    }
    shelf->full = shelf->ready.size();
  }
  maker_ = std::jthread([this](const std::stop_token& stop) { fill(stop); });
}

bool RequestSource::has_space(const Shelf& shelf) const {
  return shelf.wanted && shelf.ready.size() < ahead_ && shelf.bytes < kMostBytes;
}

PreparedRequest RequestSource::made(std::uint64_t id) const {
  PreparedRequest request{.id = id, .asked = workload_.lengths(id)};
  request.think = workload_.think_after(id);
  RequestSpec spec = workload_.spec(id);
  request.body = dialect_.request_body(spec);
  request.body.shrink_to_fit();  // it may wait long, and there are as many as streams
  if (workload_.asks_for_several_models()) request.model = std::move(spec.model);
  return request;
}

PreparedRequest RequestSource::next(RequestKind kind) {
  std::unique_lock lock(mutex_);
  Shelf& from = shelf(kind);
  if (kind == RequestKind::measured) warmup_.wanted = false;
  if (from.ready.empty()) {
    const std::uint64_t id = from.next_id++;
    lock.unlock();
    return made(id);
  }
  PreparedRequest request = std::move(from.ready.front());
  from.ready.pop_front();
  from.bytes -= request.body.size();
  // Waking the maker costs the caller a system call: only when a quarter of the shelf is gone.
  const bool wake = from.ready.size() <= from.full - from.full / 4;
  lock.unlock();
  if (wake) taken_.notify_one();
  return request;
}

void RequestSource::fill(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto a_shelf_has_space = [this] { return has_space(warmup_) || has_space(measured_); };
    if (!taken_.wait(lock, stop, a_shelf_has_space)) return;
    Shelf& shelf = has_space(measured_) ? measured_ : warmup_;
    const std::uint64_t id = shelf.next_id++;
    lock.unlock();
    PreparedRequest request = made(id);
    lock.lock();
    shelf.bytes += request.body.size();
    shelf.ready.push_back(std::move(request));
    shelf.full = std::max(shelf.full, shelf.ready.size());
  }
}

}  // namespace tokenjoule
