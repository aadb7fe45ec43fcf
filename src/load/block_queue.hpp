#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "engines/answer_decoder.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// One thing that happened to a stream's answer, as the loop saw it. Its bytes, or its record,
/// stand in the batch in the order of the blocks.
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
  std::uint32_t size = 0;  ///< body: bytes
  MonoTime at;
  Nanoseconds lag;  ///< body: from `at` until the program had the bytes
};

struct BlockBatch {
  std::vector<StreamBlock> blocks;
  std::vector<char> bytes;
  std::vector<RequestRecord> ended;

  void clear();
};

/// What the loop hands to its decoder: a batch behind a mutex, which the decoder swaps out whole.
/// One producer, one consumer. Bounded by bytes: the producer must see that there is room before it
/// reads, as what was read cannot be refused any more.
class BlockQueue {
 public:
  explicit BlockQueue(std::size_t capacity = 64 << 20) : capacity_(capacity) {}

  bool has_room() const { return size_.load(std::memory_order_relaxed) < capacity_; }
  void begin(std::uint32_t stream, MonoTime sent, bool event_stream);
  void body(std::uint32_t stream, MonoTime at, Nanoseconds lag,
            std::span<const std::string_view> pieces);
  void end(std::uint32_t stream, AnswerEnd how, RequestRecord record);

  /// Puts all blocks so far into `batch`, whose memory is used again; false if there are none.
  bool take(BlockBatch& batch);

 private:
  std::size_t capacity_;
  std::atomic<std::size_t> size_{0};
  std::mutex mutex_;
  BlockBatch batch_;
};

}  // namespace tokenjoule
