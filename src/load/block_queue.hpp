#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "engines/answer_decoder.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// When the bytes of one read came.
struct BodyTimes {
  MonoTime at;         ///< those that came last
  Nanoseconds lag;     ///< from then until the program had them
  Nanoseconds spread;  ///< the longest that those which came first can have come before `at`
};

/// One thing that happened to a stream's answer, as the loop saw it. Records stand in the batch in
/// the order of the blocks that end them.
struct StreamBlock {
  enum class Kind : std::uint8_t {
    begin,  ///< the head of an answer with status 2xx came; `at`: when the request was sent
    body,   ///< bytes of its body, all of one read; `at`: when they came
    end,    ///< the request ended; its record stands in BlockBatch::ended
  };
  Kind kind = Kind::body;
  bool event_stream = false;         ///< begin: the content type says so
  AnswerEnd how = AnswerEnd::whole;  ///< end
  std::uint32_t stream = 0;
  MonoTime at;
  Nanoseconds lag;         ///< body: as in BodyTimes
  Nanoseconds spread;      ///< likewise
  std::string_view bytes;  ///< body: in memory of the batch
};

/// A piece of memory that bodies are copied into. Pieces of one size, used again, so that a batch
/// takes what it holds and no more: one that grew as a vector does would at times take thrice that.
struct ByteChunk {
  static constexpr std::size_t kSize = 128 * 1024;  ///< more than one read brings
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  std::size_t used = 0;
};

struct BlockBatch {
  std::vector<StreamBlock> blocks;
  std::vector<RequestRecord> ended;
  std::vector<ByteChunk> chunks;
};

/// What the loop hands to its decoder: a batch behind a mutex, which the decoder swaps out whole.
/// One producer, one consumer. Bounded by bytes: the producer must see that there is room before it
/// reads, as what was read cannot be refused any more.
class BlockQueue {
 public:
  /// A quarter of a second of what one load thread can read where each event is a packet of its
  /// own.
  static constexpr std::size_t kCapacity = 8 << 20;

  explicit BlockQueue(std::size_t capacity = kCapacity) : capacity_(capacity) {}

  bool has_room() const { return size_.load(std::memory_order_relaxed) < capacity_; }
  void begin(std::uint32_t stream, MonoTime sent, bool event_stream);
  void body(std::uint32_t stream, const BodyTimes& times, std::span<const std::string_view> pieces);
  void end(std::uint32_t stream, AnswerEnd how, RequestRecord record);

  /// Puts all blocks so far into `batch`, whose memory is used again; false if there are none.
  bool take(BlockBatch& batch);

 private:
  static constexpr std::size_t kMostSpare = 32;  ///< chunks kept for later: 4 MiB

  ByteChunk& chunk_with_room(std::size_t size);
  void recycle(BlockBatch& batch);

  std::size_t capacity_;
  std::atomic<std::size_t> size_{0};
  std::mutex mutex_;
  BlockBatch batch_;
  std::vector<ByteChunk> spare_;
};

}  // namespace tokenjoule
