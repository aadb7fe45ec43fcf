// What the decoder costs per event, without sockets: bodies of known streams through SseReader and
// AnswerEventReader, and through the whole BlockDecoder. Prints Markdown.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engines/answer_event.hpp"
#include "engines/sse.hpp"
#include "load/block_decoder.hpp"

namespace tokenjoule::bench {
namespace {

constexpr int kEvents = 200;  ///< in one block: about what one read brings
constexpr int kBlocks = 2'000, kRounds = 7;

struct Stream {
  std::string_view name;
  std::string (*event)(int number);
};

std::string completions(int number) {
  return fmt::format(
      R"({{"id":"cmpl-0123456789abcdef0123456789abcdef","object":"text_completion",)"
      R"("created":1796000000,"model":"bench-model","choices":[{{"index":0,"text":" tok",)"
      R"("logprobs":null,"finish_reason":null,"stop_reason":null,"token_ids":[{}],)"
      R"("prompt_logprobs":null,"prompt_token_ids":null}}],"usage":{{"prompt_tokens":8,)"
      R"("total_tokens":{},"completion_tokens":{}}}}})",
      1000 + number, 9 + number, 1 + number);
}

std::string chat(int number) {
  return fmt::format(
      R"({{"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1796000000,)"
      R"("model":"bench-model","choices":[{{"index":0,"delta":{{"content":"tok{}"}},)"
      R"("logprobs":null,"finish_reason":null}}]}})",
      number);
}

/// An escaped text is for the parser.
std::string completions_with_escapes(int number) {
  std::string event = completions(number);
  return event.replace(event.find(" tok"), 4, "\\n\\n");
}

double best_ns_per_event(const std::function<void()>& pass) {
  double best = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int block = 0; block < kBlocks; ++block) pass();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / (double{kBlocks} * kEvents));
  }
  return best;
}

void print_row(const Stream& stream) {
  std::string body;
  std::vector<std::string> events;
  for (int i = 0; i < kEvents; ++i) {
    events.push_back(stream.event(i));
    body += "data: " + events.back() + "\n\n";
  }
  const double framing = best_ns_per_event([&] {
    SseReader reader;
    reader.put(body);
    while (reader.next()) {
    }
  });
  AnswerEventReader knowing;
  const double reading = best_ns_per_event([&] {
    for (const std::string& event : events) (void)knowing.read(event);
  });
  LoadCounters counters;
  AnswerFailures failures(1);
  BlockDecoder decoder(1, counters, failures, [](Event) {});
  BlockBatch batch;
  const double whole = best_ns_per_event([&] {
    batch.blocks = {{.kind = StreamBlock::Kind::begin, .event_stream = true}, {.bytes = body}};
    decoder.take(batch);
  });
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.0f} |\n", stream.name, body.size() / kEvents,
             framing, reading, whole);
}

}  // namespace
}  // namespace tokenjoule::bench

int main() {
  using namespace tokenjoule::bench;
  fmt::print(
      "ns per event, best of {}\n\n| stream | bytes | framing | reading | decoding, framing "
      "included |\n|---|---|---|---|---|\n",
      kRounds);
  print_row({"completions with ids and usage", completions});
  print_row({"chat", chat});
  print_row({"completions, text escaped: all parsed", completions_with_escapes});
  return 0;
}
