#include "sim/virtual_client.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.hpp"

namespace tokenjoule {

namespace {

/// From one stream's send to the next within a step, as the server's loop takes.
constexpr Nanoseconds kSendTime = microseconds(3);

bool hits(const std::optional<int>& every, std::int64_t ordinal) {
  return every && ordinal % *every == 0;
}

}  // namespace

VirtualClient::VirtualClient(const VirtualRunOptions& options, Simulation& simulation,
                             EventSink sink)
    : options_(options), simulation_(simulation), sink_(std::move(sink)) {}

void VirtualClient::start(MonoTime at) {
  for (std::int64_t stream = 0; stream < options_.concurrency; ++stream) send_next(at);
}

std::int64_t VirtualClient::length_around(std::int64_t mean, std::uint64_t stream) {
  const double half_width = static_cast<double>(mean) * options_.range_ratio;
  const auto low = static_cast<std::int64_t>(std::ceil(static_cast<double>(mean) - half_width));
  const auto high = static_cast<std::int64_t>(std::floor(static_cast<double>(mean) + half_width));
  Random random(options_.load_seed, sent_ * 2 + stream);
  return std::max<std::int64_t>(1, random.integer(low, std::max(low, high)));
}

void VirtualClient::send_next(MonoTime at) {
  if (stopped_) return;
  Request request;
  ++sent_;
  request.prompt_tokens = length_around(options_.input_tokens, 0);
  request.max_tokens = length_around(options_.output_tokens, 1);
  request.times = TokenTimesWriter(at);
  RequestRecord& record = request.record;
  record.id = sent_;
  record.warmup = warmup_;
  record.planned = at;
  record.sent = at;
  record.input_tokens_asked = request.prompt_tokens;
  record.output_tokens_asked = request.max_tokens;
  record.reused_connection = static_cast<std::int64_t>(sent_) > options_.concurrency;
  on_their_way_.emplace(at + options_.network_delay, std::move(request));
}

std::optional<MonoTime> VirtualClient::next_arrival() const {
  if (on_their_way_.empty()) return std::nullopt;
  return on_their_way_.begin()->first;
}

void VirtualClient::deliver(MonoTime now) {
  while (!on_their_way_.empty() && on_their_way_.begin()->first <= now) {
    auto arrived = on_their_way_.extract(on_their_way_.begin());
    hand_over(std::move(arrived.mapped()), arrived.key());
  }
}

void VirtualClient::hand_over(Request request, MonoTime at) {
  ++arrived_;
  if (refused(request, at)) return;
  const FaultPlan& faults = options_.simulator.faults;
  request.fails_in_stream = hits(faults.error_in_stream_every, arrived_);
  request.disconnects = hits(faults.disconnect_every, arrived_);
  EngineRequest engine;
  engine.id = request.record.id;
  engine.prompt_tokens = request.prompt_tokens;
  engine.max_tokens = request.max_tokens;
  engine.ignore_eos = options_.ignore_eos;
  under_way_.emplace(engine.id, std::move(request));
  simulation_.submit(engine, at);
}

/// The server's refusals by fault; the stream then sends its next request.
bool VirtualClient::refused(Request& request, MonoTime at) {
  const FaultPlan& faults = options_.simulator.faults;
  const int status = hits(faults.http_429_every, arrived_)   ? 429
                     : hits(faults.http_500_every, arrived_) ? 500
                                                             : 0;
  if (status == 0) return false;
  request.record.outcome = Outcome::failed;
  request.record.http_status = status;
  request.record.failure = status == 429 ? "rate_limited: http 429: simulated refusal"
                                         : "server_error: http 500: simulated refusal";
  finish(request, at + options_.network_delay);
  return true;
}

/// Sends of one step follow one another, and no stamp is before an earlier one.
MonoTime VirtualClient::next_stamp(MonoTime earliest) {
  last_stamp_ = std::max(earliest, last_stamp_ + kSendTime);
  return last_stamp_;
}

void VirtualClient::take(const std::vector<EngineOutput>& outputs, MonoTime end) {
  for (const EngineOutput& output : outputs) {
    const auto found = under_way_.find(output.id);
    if (found == under_way_.end()) continue;
    Request& request = found->second;
    const MonoTime sent = next_stamp(end);
    simulation_.count_sent(sent, output.tokens, output.first ? request.prompt_tokens : 0);
    const MonoTime at = sent + options_.network_delay;
    receive(request, output, at);
    const bool failed = fails(request, output, at);
    if (!failed && output.finish) complete(request, output, at);
    if (!failed && !output.finish) continue;
    finish(request, at);
    under_way_.erase(found);
  }
}

void VirtualClient::receive(Request& request, const EngineOutput& output, MonoTime at) {
  ++reads_;
  RequestRecord& record = request.record;
  record.http_status = 200;
  if (!record.first_choices) record.first_body = record.first_choices = record.first_visible = at;
  TokenEvent event{at, std::nullopt, false};
  if (options_.token_counts_per_event) event.tokens = output.tokens;
  request.times.add(event);
  request.generated += output.tokens;
  ++record.token_events;
}

bool VirtualClient::fails(Request& request, const EngineOutput& output, MonoTime at) {
  if (!request.fails_in_stream && !request.disconnects) return false;
  if (2 * request.generated < request.max_tokens && !output.finish) return false;
  RequestRecord& record = request.record;
  record.outcome = Outcome::failed;
  record.failure =
      request.disconnects ? "reset" : "in_stream_error: simulated: the engine failed here";
  if (!request.disconnects) record.done = at;
  simulation_.abort(record.id);
  return true;
}

void VirtualClient::complete(Request& request, const EngineOutput& output, MonoTime at) {
  const FaultPlan& faults = options_.simulator.faults;
  RequestRecord& record = request.record;
  record.finish_reason = std::string(name_of(*output.finish));
  record.finish = at;
  if (!faults.no_usage) {
    record.prompt_tokens = request.prompt_tokens;
    record.output_tokens = request.generated;
    record.usage = at;
  }
  if (!faults.no_done) record.done = at;
}

void VirtualClient::finish(Request& request, MonoTime at) {
  RequestRecord& record = request.record;
  record.end = at;
  record.token_times = request.times.take();
  const bool cancelled = record.outcome == Outcome::cancelled;
  sink_(std::move(record));
  if (!cancelled) send_next(at);
}

void VirtualClient::cancel_all(MonoTime at) {
  stop();
  for (auto& [arrival, request] : on_their_way_) {
    request.record.outcome = Outcome::cancelled;
    finish(request, at);
  }
  on_their_way_.clear();
  std::map<std::uint64_t, Request> in_order(std::make_move_iterator(under_way_.begin()),
                                            std::make_move_iterator(under_way_.end()));
  under_way_.clear();
  for (auto& [id, request] : in_order) {
    simulation_.abort(id);
    request.record.outcome = Outcome::cancelled;
    finish(request, at);
  }
}

std::int64_t VirtualClient::in_flight() const {
  return static_cast<std::int64_t>(on_their_way_.size() + under_way_.size());
}

std::int64_t VirtualClient::take_reads() { return std::exchange(reads_, 0); }

}  // namespace tokenjoule
