#include "load/load_client.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "load/block_decoder.hpp"
#include "load/block_queue.hpp"
#include "load/client_reporter.hpp"
#include "load/descriptor_limit.hpp"
#include "load/load_loop.hpp"
#include "load/request_source.hpp"
#include "load/target.hpp"

namespace tokenjoule {

namespace {

constexpr std::int64_t kMostStreams = 100'000;
constexpr int kMostThreads = 64;
// Records and events may be late by this much; a decoder that slept less would wake for every
// event.
constexpr Nanoseconds kDecoderPeriod = milliseconds(5);
constexpr int kDecoderNiceness = 5;

std::vector<std::string> secrets_of(const std::vector<const Target*>& targets) {
  std::vector<std::string> secrets;
  for (const Target* target : targets) {
    for (const std::string& secret : target->secrets) {
      if (std::find(secrets.begin(), secrets.end(), secret) == secrets.end())
        secrets.push_back(secret);
    }
  }
  return secrets;
}

Status check_options(const LoadOptions& options) {
  const auto wrong = [](std::string message, std::string hint) {
    return failure(ErrorKind::usage, std::move(message), std::move(hint));
  };
  if (options.roots.empty()) return wrong("no server was given", "--url http://HOST:PORT");
  if (options.concurrency < 1 || options.concurrency > kMostStreams) {
    return wrong(
        fmt::format("a concurrency of {} is outside 1 to {}", options.concurrency, kMostStreams),
        "--concurrency 64");
  }
  if (options.load_threads < 1 || options.load_threads > kMostThreads) {
    return wrong(
        fmt::format("{} load threads are outside 1 to {}", options.load_threads, kMostThreads),
        "--load-threads 1 is enough below about 100 000 events a second");
  }
  if (options.num_requests && *options.num_requests < 1) {
    return wrong(fmt::format("{} requests cannot be measured", *options.num_requests),
                 "--num-requests 640");
  }
  if (options.vocabulary < 2) {
    return wrong(fmt::format("a vocabulary of {} has no ids for a prompt", options.vocabulary),
                 "leave it at its default");
  }
  if (const auto* rate = options.arrivals ? std::get_if<ArrivalRate>(&*options.arrivals) : nullptr;
      rate != nullptr && !(rate->per_second > 0 && rate->burstiness > 0)) {
    return wrong("a rate or a burstiness is not above 0", "--request-rate 10");
  }
  if (options.nonce.empty()) return wrong("the prompt nonce is empty", "--prompt-nonce run1");
  if (options.request_timeout <= Seconds(0)) {
    return wrong("the request time-out is not positive", "give it as 600s");
  }
  return {};
}

/// How many requests are made ahead: one a stream, since all of them may end at once; at a rate,
/// those of a second, but no less than bursts want.
std::size_t requests_ahead(const LoadOptions& options) {
  constexpr std::int64_t kBurst = 256;
  std::int64_t ahead = options.concurrency;
  if (options.arrivals) ahead = std::min(ahead, kBurst);
  if (options.arrivals && std::holds_alternative<ArrivalRate>(*options.arrivals)) {
    const double rate = std::get<ArrivalRate>(*options.arrivals).per_second;
    ahead = std::max(ahead, static_cast<std::int64_t>(std::min(rate, 10'000.0)));
  }
  return static_cast<std::size_t>(ahead);
}

/// A loop with its decoder: what one load thread is.
class LoadThread {
 public:
  LoadThread(SystemClock& clock, RequestSource& source, LoadControl& control,
             LoadCounters& counters, const LoadOptions& options, ArrivalQueue* arrivals,
             const std::vector<const Target*>& targets, PublishedTotals& totals,
             const EventSink& records, EventSink losses, const LoadProbe& probe)
      : clock_(clock),
        control_(control),
        each_batch_(probe.each_batch),
        failures_(targets.size()),
        decoder_(targets.size(), counters, failures_, records, secrets_of(targets)),
        loop_({clock, source, control, counters, blocks_, failures_, totals, std::move(losses),
               to_nanoseconds(options.request_timeout), to_nanoseconds(options.ramp_up), arrivals,
               static_cast<std::uint64_t>(options.num_requests.value_or(0)), probe.each_round},
              targets),
        decoding_([this](const std::stop_token& stop) { decode(stop); }),
        looping_([this] {
          ::prctl(PR_SET_NAME, "tj-load");  // for top -H and perf
          loop_.run();
        }) {}
  LoadThread(const LoadThread&) = delete;
  LoadThread& operator=(const LoadThread&) = delete;
  ~LoadThread() {
    control_.quit.store(true, std::memory_order_release);
    loop_.wake();
    looping_.join();
    decoding_.request_stop();
    decoding_.join();
  }

  void wake() const { loop_.wake(); }
  LoadControl::Sending obeyed() const { return loop_.obeyed(); }

 private:
  void decode(const std::stop_token& stop) {
    ::prctl(PR_SET_NAME, "tj-decode");
    // Where both have one CPU, the loop goes first: its stamps cannot wait, a record can. Less
    // priority needs no rights; where it is refused all the same, nothing is lost.
    (void)::setpriority(PRIO_PROCESS, 0, kDecoderNiceness);
    BlockBatch batch;
    while (true) {
      const bool last = stop.stop_requested();
      if (blocks_.take(batch)) {
        if (each_batch_) each_batch_(batch);
        decoder_.take(batch);
      } else if (last) {
        return;
      }
      clock_.sleep_until(clock_.now() + kDecoderPeriod, stop);
    }
  }

  SystemClock& clock_;
  LoadControl& control_;
  std::function<void(const BlockBatch&)> each_batch_;
  BlockQueue blocks_;
  AnswerFailures failures_;
  BlockDecoder decoder_;
  LoadLoop loop_;
  std::jthread decoding_;
  std::jthread looping_;
};

}  // namespace

struct LoadClient::Implementation {
  SystemClock& clock;
  EventSink sink;
  ReceiveStamps stamps;
  std::vector<Target> targets;
  std::int64_t numbered;
  LoadCounters counters;
  LoadControl control;
  RequestSource source;
  std::unique_ptr<ArrivalQueue> arrivals;  ///< null: closed loop
  std::vector<PublishedTotals> totals;     ///< of each thread
  std::vector<std::unique_ptr<LoadThread>> threads;
  std::unique_ptr<ClientReporter> reporter;

  Implementation(const LoadOptions& options, const EngineDialect& dialect, SystemClock& the_clock,
                 EventQueue& events, std::vector<Target> the_targets, WordSizes sizes,
                 const LoadProbe& probe)
      : clock(the_clock),
        sink([&events](Event event) { events.push(std::move(event)); }),
        targets(std::move(the_targets)),
        numbered(options.num_requests.value_or(0)),
        source(Workload(options, std::move(sizes)), dialect, requests_ahead(options)) {
    if (options.most_warmup) control.warmup_left = *options.most_warmup;
    if (options.most_measured) control.measured_left = *options.most_measured;
    if (options.arrivals) arrivals = std::make_unique<ArrivalQueue>(*options.arrivals, source);
    const std::int64_t count = std::min<std::int64_t>(options.load_threads, options.concurrency);
    totals = std::vector<PublishedTotals>(static_cast<std::size_t>(count));
    std::vector<const PublishedTotals*> looked_at;
    for (std::int64_t thread = 0; thread < count; ++thread) {
      add_thread(options, thread, count, probe);
      looked_at.push_back(&totals[static_cast<std::size_t>(thread)]);
    }
    reporter = std::make_unique<ClientReporter>(clock, std::move(looked_at), counters, sink);
  }
  ~Implementation() {
    stop_arrivals();
    control.sending.store(LoadControl::Sending::stopped, std::memory_order_release);
    control.cancel.store(true, std::memory_order_release);
    wake();
    threads.clear();  // before the reporter, which then tells of the end as well
  }

  /// Streams are dealt out to threads, and to servers, in turn.
  void add_thread(const LoadOptions& options, std::int64_t thread, std::int64_t count,
                  const LoadProbe& probe) {
    std::vector<const Target*> streams;
    for (std::int64_t stream = thread; stream < options.concurrency; stream += count) {
      streams.push_back(&targets[static_cast<std::size_t>(stream) % targets.size()]);
    }
    // One loop is enough to tell of a step of the clock.
    threads.push_back(std::make_unique<LoadThread>(
        clock, source, control, counters, options, arrivals.get(), streams,
        totals[static_cast<std::size_t>(thread)], sink, thread == 0 ? sink : EventSink(), probe));
  }

  /// What was planned and not sent is in no record of a request: it is told apart.
  void stop_arrivals() {
    if (!arrivals) return;
    const MonoTime now = clock.now();
    const auto unsent = arrivals->stop(now);
    if (!unsent) return;
    sink(Loss{.span = {unsent->first, now},
              .what = "arrival",
              .source = "load",
              .count = unsent->count,
              .reason = "no stream was free before the load ended"});
  }
  void wake() const {
    for (const auto& thread : threads) thread->wake();
  }
  void set(LoadControl::Sending sending) {
    control.sending.store(sending, std::memory_order_release);
    wake();
  }
  /// Every loop knows the last order, and every request so far was recorded.
  bool idle() const {
    const auto sending = control.sending.load(std::memory_order_acquire);
    for (const auto& thread : threads) {
      if (thread->obeyed() != sending) return false;
    }
    const auto recorded = counters.completed.load(std::memory_order_acquire) +
                          counters.failed.load(std::memory_order_acquire) +
                          counters.cancelled.load(std::memory_order_acquire);
    return recorded == counters.sent.load(std::memory_order_acquire);
  }
};

LoadClient::LoadClient(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
LoadClient::~LoadClient() = default;

Result<std::unique_ptr<LoadClient>> LoadClient::start(const LoadOptions& options,
                                                      const EngineDialect& dialect,
                                                      SystemClock& clock, EventQueue& events,
                                                      const CountTokens& count_tokens,
                                                      const LoadProbe& probe) {
  TRY_DO(check_options(options));
  std::vector<Target> targets;
  for (const Url& root : options.roots) {
    TRY(Target target, target_for(root, options));
    targets.push_back(std::move(target));
  }
  TRY_DO(allow_descriptors(static_cast<std::uint64_t>(options.concurrency)));
  WordSizes sizes;
  if (!options.token_id_prompts) sizes = WordSizes::measured_by(count_tokens);
  return std::unique_ptr<LoadClient>(new LoadClient(std::make_unique<Implementation>(
      options, dialect, clock, events, std::move(targets), std::move(sizes), probe)));
}

void LoadClient::begin_warmup() {
  if (implementation_->arrivals) {
    implementation_->arrivals->begin_warmup(implementation_->clock.now());
  }
  implementation_->set(LoadControl::Sending::warmup);
}

MonoTime LoadClient::begin_measure() {
  const MonoTime from = implementation_->clock.now();
  if (implementation_->arrivals) implementation_->arrivals->begin_measure(from);
  implementation_->set(LoadControl::Sending::measured);
  return from;
}

void LoadClient::stop_sending() {
  implementation_->stop_arrivals();
  implementation_->set(LoadControl::Sending::stopped);
}

void LoadClient::cancel_all() {
  implementation_->stop_arrivals();
  implementation_->control.sending.store(LoadControl::Sending::stopped, std::memory_order_release);
  implementation_->control.cancel.store(true, std::memory_order_release);
  implementation_->wake();
}

bool LoadClient::wait_idle(MonoTime deadline, const std::stop_token& stop) {
  Clock& clock = implementation_->clock;
  constexpr Nanoseconds kLook = milliseconds(5);
  MonoTime now = clock.now();
  while (!implementation_->idle()) {
    if (now >= deadline || stop.stop_requested()) return false;
    clock.sleep_until(std::min(now + kLook, deadline), stop);
    now = clock.now();
  }
  return true;
}

LoadProgress LoadClient::progress() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const LoadCounters& counters = implementation_->counters;
  return {.sent = counters.sent.load(kRelaxed),
          .completed = counters.completed.load(kRelaxed),
          .failed = counters.failed.load(kRelaxed),
          .cancelled = counters.cancelled.load(kRelaxed),
          .in_flight = counters.in_flight.load(kRelaxed),
          .events = counters.events.load(kRelaxed),
          .warmup_completed = counters.warmup_completed.load(kRelaxed),
          .measured_sent = counters.measured_sent.load(kRelaxed)};
}

std::optional<MonoTime> LoadClient::last_of_num_requests_sent() const {
  const LoadCounters& counters = implementation_->counters;
  const auto sent = counters.numbered_sent.load(std::memory_order_acquire);
  if (implementation_->numbered == 0 || sent < implementation_->numbered) return std::nullopt;
  return MonoTime{counters.last_numbered_ns.load(std::memory_order_relaxed)};
}

std::optional<MonoTime> LoadClient::last_of_num_requests_ended() const {
  const LoadCounters& counters = implementation_->counters;
  const auto ended = counters.numbered_ended.load(std::memory_order_acquire);
  if (implementation_->numbered == 0 || ended < implementation_->numbered) return std::nullopt;
  return MonoTime{counters.last_numbered_end_ns.load(std::memory_order_relaxed)} + microseconds(1);
}

std::string_view LoadClient::stamps() const {
  LoopTotals totals;
  for (const PublishedTotals& loop : implementation_->totals) totals.add(loop.latest());
  if (totals.reads == 0) return {};
  return totals.reads_user_stamped > 0 ? "user" : "kernel";
}

}  // namespace tokenjoule
