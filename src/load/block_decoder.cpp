#include "load/block_decoder.hpp"

#include <utility>

#include "load/target.hpp"

namespace tokenjoule {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

BlockDecoder::BlockDecoder(std::size_t streams, LoadCounters& counters, AnswerFailures& failures,
                           EventSink records, std::vector<std::string> secrets)
    : answers_(streams),
      counters_(counters),
      failures_(failures),
      records_(std::move(records)),
      secrets_(std::move(secrets)) {}

void BlockDecoder::take(const BlockBatch& batch) {
  std::size_t record = 0;
  for (const StreamBlock& block : batch.blocks) {
    std::unique_ptr<Answer>& answer = answers_[block.stream];
    switch (block.kind) {
      case StreamBlock::Kind::begin:
        answer = std::make_unique<Answer>(block.at);
        if (block.event_stream) answer->format = Format::events;
        break;
      case StreamBlock::Kind::body:
        if (answer) body(*answer, block);
        break;
      case StreamBlock::Kind::end: end(block, batch.ended[record++]); break;
    }
  }
}

void BlockDecoder::body(Answer& answer, const StreamBlock& block) {
  const std::string_view bytes = block.bytes;
  answer.last_at = block.at;
  if (answer.format == Format::unknown) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    const bool plain = bytes[first] == '{' || bytes[first] == '[' || bytes[first] == '<';
    answer.format = plain ? Format::plain : Format::events;
  }
  if (answer.format == Format::plain) {
    answer.plain += bytes;
    return;
  }
  answer.events.put(bytes);
  drain(answer, block.at, block.spread > kLate);
}

void BlockDecoder::drain(Answer& answer, MonoTime at, bool late) {
  const std::int64_t tokens_before = answer.decoder.token_events();
  if (late) {
    take_late(answer, at);
  } else {
    while (const auto data = answer.events.next()) answer.decoder.event(reader_, *data, at, false);
  }
  counters_.events.fetch_add(answer.decoder.token_events() - tokens_before, kRelaxed);
}

void BlockDecoder::take_late(Answer& answer, MonoTime at) {
  auto data = answer.events.next();
  if (!data) return;
  // Whether it is alone shows only behind it, where its own bytes need not be any more.
  first_event_ = *data;
  data = answer.events.next();
  const bool shared = data.has_value();
  answer.decoder.event(reader_, first_event_, at, shared);
  for (; data; data = answer.events.next()) answer.decoder.event(reader_, *data, at, true);
  if (shared) counters_.reads_coalesced.fetch_add(1, kRelaxed);
}

void BlockDecoder::end(const StreamBlock& block, RequestRecord record) {
  if (const std::unique_ptr<Answer> answer = std::move(answers_[block.stream])) {
    if (answer->format == Format::plain) {
      answer->decoder.plain_body(reader_, answer->plain, answer->last_at);
      counters_.events.fetch_add(answer->decoder.token_events(), kRelaxed);
    } else {
      // What a cut left unfinished is no event.
      if (block.how == AnswerEnd::whole) answer->events.finish();
      drain(*answer, answer->last_at, false);
    }
    answer->decoder.finish(record, block.how);
    if (!record.failure.empty()) {
      record.failure = without_secrets(std::move(record.failure), secrets_);
      record.finish_reason = without_secrets(std::move(record.finish_reason), secrets_);
    }
    if (record.outcome == Outcome::failed) failures_[block.stream].fetch_add(1, kRelaxed);
  }
  const Outcome outcome = record.outcome;
  const bool warmup = record.warmup;
  records_(std::move(record));
  if (outcome == Outcome::completed && warmup) counters_.warmup_completed.fetch_add(1, kRelaxed);
  // Last of all: who waits for the end of the load takes these for records that were handed on.
  auto& counter = outcome == Outcome::completed   ? counters_.completed
                  : outcome == Outcome::cancelled ? counters_.cancelled
                                                  : counters_.failed;
  counter.fetch_add(1, std::memory_order_release);
}

}  // namespace tokenjoule
