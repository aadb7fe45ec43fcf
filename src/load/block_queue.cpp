#include "load/block_queue.hpp"

#include <utility>

namespace tokenjoule {

void BlockBatch::clear() {
  blocks.clear();
  bytes.clear();
  ended.clear();
}

void BlockQueue::begin(std::uint32_t stream, MonoTime sent, bool event_stream) {
  const std::lock_guard lock(mutex_);
  batch_.blocks.push_back({.kind = StreamBlock::Kind::begin,
                           .event_stream = event_stream,
                           .stream = stream,
                           .at = sent});
}

void BlockQueue::body(std::uint32_t stream, MonoTime at, Nanoseconds lag,
                      std::span<const std::string_view> pieces) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = batch_.bytes.size();
  for (const std::string_view piece : pieces) {
    batch_.bytes.insert(batch_.bytes.end(), piece.begin(), piece.end());
  }
  const std::size_t size = batch_.bytes.size() - before;
  batch_.blocks.push_back({.kind = StreamBlock::Kind::body,
                           .stream = stream,
                           .size = static_cast<std::uint32_t>(size),
                           .at = at,
                           .lag = lag});
  size_.store(batch_.bytes.size() + batch_.blocks.size() * sizeof(StreamBlock),
              std::memory_order_relaxed);
}

void BlockQueue::end(std::uint32_t stream, AnswerEnd how, RequestRecord record) {
  const std::lock_guard lock(mutex_);
  batch_.blocks.push_back({.kind = StreamBlock::Kind::end, .how = how, .stream = stream});
  batch_.ended.push_back(std::move(record));
}

bool BlockQueue::take(BlockBatch& batch) {
  batch.clear();
  const std::lock_guard lock(mutex_);
  std::swap(batch, batch_);
  size_.store(0, std::memory_order_relaxed);
  return !batch.blocks.empty();
}

}  // namespace tokenjoule
