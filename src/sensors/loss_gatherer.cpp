#include "sensors/loss_gatherer.hpp"

#include <algorithm>

namespace tokenjoule {

void LossGatherer::add(Loss loss) {
  // What a reason quotes changes from one time to the next; the words before it do not.
  std::pair key(loss.what, loss.reason.substr(0, loss.reason.find('"')));
  const auto at = gathered_.find(key);
  if (at == gathered_.end()) {
    loss.source = source_;
    gathered_.emplace(std::move(key), std::move(loss));
    return;
  }
  at->second.count += loss.count;
  at->second.span.end = std::max(at->second.span.end, loss.span.end);
}

void LossGatherer::tell_old(MonoTime now) {
  for (auto at = gathered_.begin(); at != gathered_.end();) {
    if (now - at->second.span.begin < whole_seconds(1)) {
      ++at;
      continue;
    }
    sink_(std::move(at->second));
    at = gathered_.erase(at);
  }
}

void LossGatherer::tell_all() {
  for (auto& [key, loss] : gathered_) sink_(std::move(loss));
  gathered_.clear();
}

}  // namespace tokenjoule
