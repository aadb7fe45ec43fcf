#include "engines/answer_decoder.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "engines/refusal.hpp"

namespace tokenjoule {

namespace {

/// What the later one states replaces what was known.
void update(AnswerUsage& known, const AnswerUsage& later) {
  if (later.prompt_tokens) known.prompt_tokens = later.prompt_tokens;
  if (later.output_tokens) known.output_tokens = later.output_tokens;
  if (later.cached_tokens) known.cached_tokens = later.cached_tokens;
  if (later.reasoning_tokens) known.reasoning_tokens = later.reasoning_tokens;
}

void set_once(std::optional<MonoTime>& stamp, MonoTime at) {
  if (!stamp) stamp = at;
}

}  // namespace

void AnswerDecoder::fail(std::string failure) {
  if (failure_.empty()) failure_ = std::move(failure);
}

void AnswerDecoder::event(AnswerEventReader& reader, std::string_view data, MonoTime at,
                          bool censored) {
  constexpr std::size_t kLongestDone = 32;
  if (data.size() < kLongestDone && trimmed(data) == "[DONE]") {
    set_once(done_, at);
    return;
  }
  const Result<const AnswerEvent*> event = reader.read(data);
  if (event) {
    take(**event, at, censored);
  } else {
    fail("bad_event: " + event.error().message);
  }
}

void AnswerDecoder::plain_body(AnswerEventReader& reader, std::string_view body, MonoTime at) {
  const Result<const AnswerEvent*> event = reader.read(body);
  if (!event)
    return fail(fmt::format("not_an_api: the answer is \"{}\"", quoted(without_keys(body))));
  growth_ = Growth::useless;  // its usage is that of the answer, not of an event
  take(**event, at, false);
  closing_usage_ = (*event)->usage.has_value();
}

void AnswerDecoder::take(const AnswerEvent& event, MonoTime at, bool censored) {
  if (event.error) fail(fmt::format("in_stream_error: {}", quoted(without_keys(*event.error))));
  if (event.has_choices) set_once(first_choices_, at);
  if (event.visible) set_once(first_visible_, at);
  take_usage(event, at);
  if (event.carries_tokens) take_tokens(event, at, censored);
  if (event.finish_reason.empty()) return;
  finish_reason_ = event.finish_reason;
  set_once(finish_, at);
  if (finish_reason_ == "abort" || finish_reason_ == "error") {
    fail("in_stream_error: finish_reason " + finish_reason_);
  }
}

void AnswerDecoder::take_usage(const AnswerEvent& event, MonoTime at) {
  // Growth counts only if it can be followed from the first event with choices on.
  if (event.has_choices && growth_ == Growth::unknown) {
    const bool given = event.usage && event.usage->output_tokens;
    growth_ = given ? Growth::counts : Growth::useless;
  }
  if (event.timings) update(timings_, *event.timings);
  if (!event.usage) return;
  update(usage_, *event.usage);
  usage_at_ = at;
  closing_usage_ = closing_usage_ || !event.has_choices || !event.finish_reason.empty();
}

std::optional<std::int64_t> AnswerDecoder::tokens_of(const AnswerEvent& event) {
  if (event.token_ids && *event.token_ids > 0) return event.token_ids;
  if (growth_ != Growth::counts) return std::nullopt;
  const auto now = event.usage ? event.usage->output_tokens : std::nullopt;
  // Ollama sends a usage of zeros with every event: it says nothing of tokens.
  if (!now || *now == 0 || *now < counted_) {
    growth_ = Growth::useless;
    return std::nullopt;
  }
  return *now - std::exchange(counted_, *now);
}

void AnswerDecoder::take_tokens(const AnswerEvent& event, MonoTime at, bool censored) {
  times_.add({.at = at, .tokens = tokens_of(event), .censored = censored});
  ++token_events_;
}

bool AnswerDecoder::closed_by_server(AnswerEnd end) const {
  if (done_) return true;
  if (end == AnswerEnd::whole) return finish_ || closing_usage_;
  return finish_ && closing_usage_;
}

void AnswerDecoder::finish(RequestRecord& record, AnswerEnd end) {
  if (!usage_at_) usage_ = timings_;
  if (!usage_.cached_tokens) usage_.cached_tokens = timings_.cached_tokens;
  // SGLang may count reasoning behind the end of an answer (its issue 39826): that is no part of
  // it.
  const auto& reasoning = usage_.reasoning_tokens;
  if (reasoning && usage_.output_tokens && *reasoning > *usage_.output_tokens) {
    usage_.reasoning_tokens.reset();
  }
  record.prompt_tokens = usage_.prompt_tokens;
  record.output_tokens = usage_.output_tokens;
  record.cached_tokens = usage_.cached_tokens;
  record.reasoning_tokens = usage_.reasoning_tokens;
  record.finish_reason = finish_reason_;
  record.first_choices = first_choices_;
  record.first_visible = first_visible_;
  record.finish = finish_;
  record.usage = usage_at_;
  record.done = done_;
  record.token_times = times_.take();
  record.token_events = token_events_;
  if (end == AnswerEnd::cancelled) return;

  const bool closed = closed_by_server(end);
  if (closed) record.failure.clear();  // what was cut off held nothing of the answer
  const bool has_tokens = token_events_ > 0 || usage_.output_tokens.value_or(0) > 0;
  if (!failure_.empty()) {
    record.failure = failure_;
  } else if (record.failure.empty() && !has_tokens) {
    record.failure = "empty";
  } else if (record.failure.empty() && !closed) {
    record.failure = "ended_early";
  }
  record.outcome = record.failure.empty() ? Outcome::completed : Outcome::failed;
}

}  // namespace tokenjoule
