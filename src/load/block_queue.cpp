#include "load/block_queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tokenjoule {

ByteChunk& BlockQueue::chunk_with_room(std::size_t size) {
  auto& chunks = batch_.chunks;
  if (!chunks.empty() && chunks.back().size - chunks.back().used >= size) return chunks.back();
  if (size <= ByteChunk::kSize && !spare_.empty()) {
    chunks.push_back(std::move(spare_.back()));
    spare_.pop_back();
  } else {
    const std::size_t whole = std::max(size, ByteChunk::kSize);
    // Not make_unique, which would write zeros over all of it.
    chunks.push_back({.bytes = std::unique_ptr<char[]>(new char[whole]), .size = whole});
  }
  size_.fetch_add(chunks.back().size, std::memory_order_relaxed);
  return chunks.back();
}

/// Takes the memory of a batch that has been read.
void BlockQueue::recycle(BlockBatch& batch) {
  batch.blocks.clear();
  batch.ended.clear();
  for (ByteChunk& chunk : batch.chunks) {
    if (spare_.size() == kMostSpare || chunk.size != ByteChunk::kSize) break;
    chunk.used = 0;
    spare_.push_back(std::move(chunk));
  }
  batch.chunks.clear();
}

void BlockQueue::begin(std::uint32_t stream, MonoTime sent, bool event_stream) {
  const std::lock_guard lock(mutex_);
  batch_.blocks.push_back({.kind = StreamBlock::Kind::begin,
                           .event_stream = event_stream,
                           .stream = stream,
                           .at = sent});
}

void BlockQueue::body(std::uint32_t stream, const BodyTimes& times,
                      std::span<const std::string_view> pieces) {
  const std::lock_guard lock(mutex_);
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  ByteChunk& chunk = chunk_with_room(size);
  char* const begin = chunk.bytes.get() + chunk.used;
  for (const std::string_view piece : pieces) {
    std::memcpy(chunk.bytes.get() + chunk.used, piece.data(), piece.size());
    chunk.used += piece.size();
  }
  batch_.blocks.push_back({.kind = StreamBlock::Kind::body,
                           .stream = stream,
                           .at = times.at,
                           .lag = times.lag,
                           .spread = times.spread,
                           .bytes = {begin, size}});
  size_.fetch_add(sizeof(StreamBlock), std::memory_order_relaxed);
}

void BlockQueue::end(std::uint32_t stream, AnswerEnd how, RequestRecord record) {
  const std::lock_guard lock(mutex_);
  batch_.blocks.push_back({.kind = StreamBlock::Kind::end, .how = how, .stream = stream});
  batch_.ended.push_back(std::move(record));
}

bool BlockQueue::take(BlockBatch& batch) {
  const std::lock_guard lock(mutex_);
  recycle(batch);
  std::swap(batch, batch_);
  size_.store(0, std::memory_order_relaxed);
  return !batch.blocks.empty();
}

}  // namespace tokenjoule
