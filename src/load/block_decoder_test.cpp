#include "load/block_decoder.hpp"

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr std::string_view kToken = "data: {\"choices\":[{\"text\":\"a\"}]}\n\n";
constexpr std::string_view kDone = "data: [DONE]\n\n";

/// A queue with its decoder, and the records that come out.
struct Decoding {
  LoadCounters counters;
  AnswerFailures failures = AnswerFailures(4);
  std::vector<RequestRecord> records;
  BlockDecoder decoder{4, counters, failures, [this](Event event) {
                         records.push_back(std::get<RequestRecord>(std::move(event)));
                       }};
  BlockQueue queue;

  void begin(std::uint32_t stream, bool event_stream = true) {
    queue.begin(stream, MonoTime{}, event_stream);
  }
  void body(std::uint32_t stream, std::int64_t at_ms, Nanoseconds spread, std::string_view bytes) {
    const std::string_view pieces[] = {bytes.substr(0, 3), bytes.substr(3)};
    queue.body(stream, {MonoTime{} + milliseconds(at_ms), {}, spread}, pieces);
  }
  void end(std::uint32_t stream, AnswerEnd how = AnswerEnd::whole, RequestRecord record = {}) {
    queue.end(stream, how, std::move(record));
    decode();
  }
  void decode() {
    BlockBatch batch;
    while (queue.take(batch)) decoder.take(batch);
  }
};

std::string joined(std::string_view a, std::string_view b, std::string_view c = {}) {
  return std::string(a).append(b).append(c);
}

TEST(BlockDecoder, StreamsMayInterleave) {
  Decoding decoding;
  decoding.begin(0);
  decoding.begin(3);
  decoding.body(0, 10, {}, kToken);
  decoding.body(3, 11, {}, kToken.substr(0, 20));
  decoding.body(0, 12, {}, joined(kToken, kDone));
  decoding.body(3, 13, {}, joined(kToken.substr(20), kDone));
  decoding.end(3);
  decoding.end(0);
  ASSERT_EQ(decoding.records.size(), 2U);
  EXPECT_EQ(decoding.records[0].token_times, "13000");
  EXPECT_EQ(decoding.records[1].token_times, "10000 2000");
  EXPECT_EQ(decoding.counters.completed, 2);
  EXPECT_EQ(decoding.counters.events, 3);
}

TEST(BlockDecoder, EventsThatShareALateReadAreCensored) {
  Decoding decoding;
  decoding.begin(0);
  decoding.body(0, 10, milliseconds(2), joined(kToken, kToken, kToken));
  decoding.body(0, 20, milliseconds(2), kToken);
  decoding.body(0, 30, {}, kDone);
  decoding.end(0);
  EXPECT_EQ(decoding.records.at(0).token_times, "10000~ 0~ 0~ 10000");
  EXPECT_EQ(decoding.counters.reads_coalesced, 1);
}

TEST(BlockDecoder, EventsAreCensoredAlsoWhereOnlyTheFirstOfThemCanHaveWaited) {
  Decoding decoding;
  decoding.begin(0);
  const std::string both = joined(kToken, kToken, kDone);
  const std::string_view pieces[] = {both};
  decoding.queue.body(0, {MonoTime{} + milliseconds(40), microseconds(100), milliseconds(39)},
                      pieces);
  decoding.end(0);
  EXPECT_EQ(decoding.records.at(0).token_times, "40000~ 0~");
}

TEST(BlockDecoder, EventsThatTheServerSentTogetherAreNotCensored) {
  Decoding decoding;
  decoding.begin(0);
  decoding.body(0, 10, microseconds(900), joined(kToken, kToken, kDone));
  decoding.end(0);
  EXPECT_EQ(decoding.records.at(0).token_times, "10000 0");
  EXPECT_EQ(decoding.counters.reads_coalesced, 0);
}

TEST(BlockDecoder, ABodyOfUnknownTypeIsKnownByItsFirstByte) {
  Decoding decoding;
  decoding.begin(0, false);
  decoding.body(0, 5, {}, " \n\n");
  decoding.body(0, 10, {}, joined(kToken, kDone));
  decoding.end(0);
  decoding.begin(0, false);
  decoding.body(0, 10, {}, R"({"choices":[{"text":"a",)");
  decoding.body(0, 20, {}, R"("finish_reason":"stop"}]})");
  decoding.end(0);
  EXPECT_EQ(decoding.records.at(0).token_times, "10000");
  EXPECT_EQ(decoding.records.at(1).token_times, "20000");
  EXPECT_EQ(decoding.counters.completed, 2);
}

TEST(BlockDecoder, TheLastEventMayLackItsBlankLine) {
  Decoding decoding;
  decoding.begin(0);
  decoding.body(0, 10, {}, kToken);
  decoding.body(0, 20, {}, "data: [DONE]");
  decoding.end(0);
  EXPECT_EQ(decoding.records.at(0).done, MonoTime{} + milliseconds(20));
}

TEST(BlockDecoder, AnEventThatWasCutIsNone) {
  Decoding decoding;
  decoding.begin(0);
  decoding.body(0, 10, {}, joined(kToken, kToken.substr(0, 20)));
  decoding.end(0, AnswerEnd::cut, {.outcome = Outcome::failed, .failure = "reset"});
  EXPECT_EQ(decoding.records.at(0).failure, "reset");
  EXPECT_EQ(decoding.records.at(0).token_events, 1);
}

TEST(BlockDecoder, ARepeatedRequestBeginsItsAnswerAnew) {
  Decoding decoding;
  decoding.begin(0);
  decoding.body(0, 10, {}, kToken);
  decoding.begin(0);
  decoding.body(0, 20, {}, joined(kToken, kDone));
  decoding.end(0);
  EXPECT_EQ(decoding.records.at(0).token_times, "20000");
}

TEST(BlockDecoder, ARequestWithoutAnAnswerIsRecordedAsTheLoopEndedIt) {
  Decoding decoding;
  decoding.end(1, AnswerEnd::cut, {.id = 7, .outcome = Outcome::failed, .failure = "refused"});
  decoding.end(2, AnswerEnd::cancelled, {.id = 8, .outcome = Outcome::cancelled});
  EXPECT_EQ(decoding.records.at(0).failure, "refused");
  EXPECT_EQ(decoding.counters.failed, 1);
  EXPECT_EQ(decoding.counters.cancelled, 1);
  EXPECT_EQ(decoding.failures[1], 0U);
}

TEST(BlockDecoder, OnlyFailuresInsideAnAnswerAreToldToTheLoop) {
  Decoding decoding;
  decoding.begin(1);
  decoding.body(1, 10, {}, "data: {\"error\":\"busy\"}\n\n");
  decoding.end(1);
  EXPECT_EQ(decoding.failures[1], 1U);
  EXPECT_EQ(decoding.failures[0], 0U);
}

TEST(BlockDecoder, CompletedWarmupRequestsAreCountedApart) {
  Decoding decoding;
  decoding.begin(0);
  decoding.body(0, 1, {}, joined(kToken, kDone));
  decoding.end(0, AnswerEnd::whole, {.warmup = true});
  EXPECT_EQ(decoding.counters.warmup_completed, 1);
}

TEST(BlockQueue, IsFullAtItsCapacityAndEmptyAgainOnceTaken) {
  BlockQueue queue(2 * ByteChunk::kSize);
  const std::string text(1000, 'x');
  const std::string_view piece[] = {text};
  EXPECT_TRUE(queue.has_room());
  std::size_t bodies = 0;
  for (; queue.has_room(); ++bodies) queue.body(0, {}, piece);
  // A chunk holds 131 of them; the second chunk, with the blocks themselves, is above capacity.
  EXPECT_EQ(bodies, 132U);
  BlockBatch batch;
  EXPECT_TRUE(queue.take(batch));
  EXPECT_EQ(batch.chunks.size(), 2U);
  EXPECT_TRUE(queue.has_room());
  EXPECT_FALSE(queue.take(batch));
}

TEST(BlockQueue, BytesStayAsTheyWereOverManyChunksAndBatches) {
  BlockQueue queue;
  BlockBatch batch;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 40; ++i) {
      // The last one is longer than a chunk.
      texts.emplace_back(i == 39 ? ByteChunk::kSize + 1 : 10'000 + i, static_cast<char>('A' + i));
      const std::string_view pieces[] = {std::string_view(texts.back()).substr(0, 7),
                                         std::string_view(texts.back()).substr(7)};
      queue.body(static_cast<std::uint32_t>(i), {}, pieces);
    }
    ASSERT_TRUE(queue.take(batch));
    ASSERT_EQ(batch.blocks.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(batch.blocks[i].bytes, texts[i]);
  }
}

}  // namespace
}  // namespace tokenjoule
