#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "engines/dialect.hpp"
#include "io/file.hpp"
#include "load/load_client.hpp"
#include "model/token_times.hpp"
#include "selftest/cost_meter.hpp"
#include "selftest/emitted_event.hpp"
#include "selftest/turn.hpp"
#include "selftest/turn_window.hpp"

namespace tokenjoule {

namespace {

/// Pages resident in memory; nullopt where the kernel does not tell.
std::optional<double> resident_mb() {
  // "pages of the program" "resident pages" …
  const auto text = file_bytes("/proc/self/statm");
  if (!text) return std::nullopt;
  const auto parts = split(*text, ' ');
  const auto pages = parts.size() < 2 ? std::nullopt : number_in(parts[1]);
  if (!pages) return std::nullopt;
  return *pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) * 1e-6;
}

/// What the load thread does besides, on each turn of its loop.
class LoopProbe {
 public:
  LoopProbe(const TurnPlan& plan, SystemClock& clock)
      : plan_(plan), clock_(clock), window_(plan, clock) {}

  void round(MonoTime now) {
    const auto& window = window_.get();
    cost_.round(now, window);
    if (!plan_.stall || !window || now < window->begin || now < next_stall_) return;
    next_stall_ = std::max(next_stall_, now) + plan_.stall->period;
    clock_.sleep_until(now + plan_.stall->length, {});
  }
  CostMeter& cost() { return cost_; }

 private:
  const TurnPlan& plan_;
  SystemClock& clock_;
  TurnWindow window_;
  CostMeter cost_;
  MonoTime next_stall_;
};

/// Holds each block of a batch against the send times in it.
class BatchProbe {
 public:
  BatchProbe(const TurnPlan& plan, SystemClock& clock, ArrivalMeter& arrivals)
      : clock_(clock), arrivals_(arrivals), window_(plan, clock) {}

  void see(const BlockBatch& batch) {
    for (const StreamBlock& block : batch.blocks) {
      if (block.kind != StreamBlock::Kind::body) continue;
      sent_.clear();
      for_each_send_time(block.bytes, [this](std::int64_t sent_ns) {
        sent_.push_back(MonoTime{sent_ns - clock_.origin_ns()});
      });
      arrivals_.add({block.stream, block.at, block.lag, block.spread}, sent_, window_.get());
    }
  }

 private:
  SystemClock& clock_;
  ArrivalMeter& arrivals_;
  TurnWindow window_;
  std::vector<MonoTime> sent_;
};

/// (last - first token) / (tokens - 1).
std::optional<double> tpot_ms_of(const RequestRecord& record) {
  TokenTimesReader reader(record.token_times, record.sent);
  std::optional<MonoTime> first, last;
  while (const auto event = reader.next()) {
    if (!first) first = event->at;
    last = event->at;
  }
  if (!first || record.token_events < 2) return std::nullopt;
  return to_seconds(*last - *first).value() * 1e3 / static_cast<double>(record.token_events - 1);
}

void add_event_to(TurnReading& reading, const TurnPlan& plan, const Event& event) {
  if (const auto* const state = std::get_if<ClientState>(&event)) {
    reading.queue_full += state->queue_full;
    reading.whole_cpu += state->cpu;
    if (plan.emitter != nullptr) return;
    reading.cpu += state->cpu;
    reading.run_queue_wait += state->run_queue_wait.value_or(Seconds());
  }
  const auto* const record = std::get_if<RequestRecord>(&event);
  if (record == nullptr) return;
  reading.events += record->token_events;
  if (record->outcome != Outcome::completed) ++reading.failed;
  if (const auto tpot = tpot_ms_of(*record)) reading.tpot_ms.push_back(*tpot);
}

/// Waits for the end of all answers. Takes the records meanwhile, as a run does that writes them to
/// its file, and looks at the memory.
class Drive {
 public:
  Drive(const TurnPlan& plan, SystemClock& clock, EventQueue& events, TurnReading& reading)
      : plan_(plan), clock_(clock), events_(events), reading_(reading), before_mb_(resident_mb()) {}

  void run(LoadClient& client) {
    constexpr Nanoseconds kLook = milliseconds(20);
    const MonoTime begin = client.begin_measure();
    while (!client.last_of_num_requests_sent()) {
      clock_.sleep_until(clock_.now() + milliseconds(1), {});
    }
    reading_.connecting = to_seconds(*client.last_of_num_requests_sent() - begin);
    client.stop_sending();
    while (!client.wait_idle(clock_.now() + kLook)) look();
    look();
  }
  /// What came since, without a look at the memory.
  void take() {
    for (const Event& event : events_.take()) add_event_to(reading_, plan_, event);
  }

 private:
  void look() {
    const auto now_mb = resident_mb();
    take();
    if (before_mb_ && now_mb) {
      reading_.memory_mb = std::max(reading_.memory_mb, std::optional(*now_mb - *before_mb_));
    }
  }

  const TurnPlan& plan_;
  SystemClock& clock_;
  EventQueue& events_;
  TurnReading& reading_;
  std::optional<double> before_mb_;
};

}  // namespace

LoadOptions load_options_of(const TurnPlan& plan) {
  LoadOptions options;
  options.roots = {plan.root};
  options.model = plan.model;
  options.nonce = "selftest";
  options.concurrency = plan.streams;
  options.num_requests = plan.streams;
  options.input_length = fixed_length(8);
  options.output_length = fixed_length(plan.tokens);
  return options;
}

Result<TurnReading> read_with_client(const TurnPlan& plan, SystemClock& clock) {
  const EngineDialect* const dialect = dialect_named(plan.dialect);
  TJ_ASSERT(dialect != nullptr);
  TurnReading reading(static_cast<std::size_t>(plan.streams));
  LoopProbe loop(plan, clock);
  BatchProbe batches(plan, clock, reading.arrivals);
  LoadProbe probe;
  probe.each_round = [&](MonoTime now) { loop.round(now); };
  if (plan.stamps) probe.each_batch = [&](const BlockBatch& batch) { batches.see(batch); };

  EventQueue events;
  Drive drive(plan, clock, events, reading);
  TRY(auto client, LoadClient::start(load_options_of(plan), *dialect, clock, events, {}, probe));
  const MonoTime begin = clock.now();
  const Nanoseconds cpu_before = process_cpu();
  drive.run(*client);
  reading.wall = to_seconds(clock.now() - begin);
  reading.stamps = client->stamps();
  client.reset();
  reading.whole_process = to_seconds(process_cpu() - cpu_before);
  if (loop.cost().finished()) {
    reading.cpu = to_seconds(loop.cost().cpu());
    reading.run_queue_wait = to_seconds(loop.cost().run_queue_wait());
    reading.others = to_seconds(loop.cost().others());
  }
  drive.take();
  return reading;
}

}  // namespace tokenjoule
