#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/answer_decoder.hpp"
#include "engines/sse.hpp"
#include "load/block_queue.hpp"
#include "load/load_counters.hpp"
#include "model/event.hpp"

namespace tokenjoule {

/// For each stream of a loop, how many answers with status 2xx were failures all the same: written
/// by the decoder, which alone looks inside, read by the loop, which must not repeat them without a
/// pause.
using AnswerFailures = std::vector<std::atomic<std::uint32_t>>;

/// Turns the blocks of one loop into finished request records. For one thread.
///
/// Events that shared a read are censored, all of them, if the first of its bytes can have come
/// more than 1 ms before the last: the kernel's stamp is that of the last segment, and of the
/// others is known only that they came since the socket was last found empty (HarvestTimes). What
/// came at once is not censored, however late it is read.
class BlockDecoder {
 public:
  static constexpr Nanoseconds kLate = milliseconds(1);

  /// @param secrets what no record may repeat of what a server says inside its answers.
  BlockDecoder(std::size_t streams, LoadCounters& counters, AnswerFailures& failures,
               EventSink records, std::vector<std::string> secrets = {});

  void take(const BlockBatch& batch);

 private:
  /// How the body of an answer is to be read; by its first byte, where the content type does not
  /// say.
  enum class Format { unknown, events, plain };
  struct Answer {
    AnswerDecoder decoder;
    SseReader events;
    std::string plain;
    MonoTime last_at;
    Format format = Format::unknown;
    explicit Answer(MonoTime sent) : decoder(sent) {}
  };

  void body(Answer& answer, const StreamBlock& block);
  void drain(Answer& answer, MonoTime at, bool late);
  void take_late(Answer& answer, MonoTime at);
  void end(const StreamBlock& block, RequestRecord record);

  AnswerEventReader reader_;
  std::string first_event_;                       ///< of a late read
  std::vector<std::unique_ptr<Answer>> answers_;  ///< by stream; null: no answer is being read
  LoadCounters& counters_;
  AnswerFailures& failures_;
  EventSink records_;
  std::vector<std::string> secrets_;
};

}  // namespace tokenjoule
