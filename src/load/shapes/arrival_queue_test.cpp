#include "load/shapes/arrival_queue.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "load/load_fixture.hpp"

namespace tokenjoule {
namespace {

MonoTime at_ms(std::int64_t ms) { return MonoTime{ms * 1'000'000}; }

struct Queue {
  PlainDialect dialect;
  RequestSource source;
  ArrivalQueue queue;

  explicit Queue(ArrivalPlan plan)
      : source(workload(), dialect, 16), queue(std::move(plan), source) {}

  static Workload workload() {
    LoadOptions options;
    options.nonce = "n";
    options.input_length = fixed_length(2);
    options.output_length = fixed_length(2);
    return Workload(options, {});
  }
};

ArrivalRate every_100_ms() { return {.per_second = 10, .process = ArrivalProcess::constant}; }

TEST(ArrivalQueue, GivesNothingBeforeItsTimeAndNothingBeforeTheBegin) {
  Queue load(every_100_ms());
  EXPECT_FALSE(load.queue.next_planned());
  EXPECT_FALSE(load.queue.take(at_ms(1000)));
  load.queue.begin_warmup(at_ms(1000));
  EXPECT_EQ(load.queue.next_planned(), at_ms(1100));
  EXPECT_FALSE(load.queue.take(at_ms(1099)));
  const auto arrival = load.queue.take(at_ms(1130));
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->planned, at_ms(1100));  // however late it was taken
  EXPECT_EQ(load.queue.next_planned(), at_ms(1200));
}

TEST(ArrivalQueue, WarmupHandsOverWithoutAGapOrABurst) {
  Queue load(every_100_ms());
  load.queue.begin_warmup(at_ms(0));
  EXPECT_EQ(load.queue.take(at_ms(100))->request.id, kFirstWarmupId);
  load.queue.begin_measure(at_ms(130));
  const auto first = load.queue.take(at_ms(200));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->planned, at_ms(200));
  EXPECT_EQ(first->kind, RequestKind::measured);
  EXPECT_EQ(first->request.id, 0U);
  EXPECT_EQ(load.queue.take(at_ms(300))->planned, at_ms(300));
}

TEST(ArrivalQueue, MeasuredGapsAreTheSameHoweverLongTheWarmupWas) {
  const auto gaps = [](int warmup_arrivals) {
    Queue load(ArrivalRate{.per_second = 10, .seed = 5});
    load.queue.begin_warmup(at_ms(0));
    for (int i = 0; i < warmup_arrivals; ++i) EXPECT_TRUE(load.queue.take(at_ms(1'000'000)));
    load.queue.begin_measure(at_ms(0));
    std::vector<std::int64_t> found;
    MonoTime last = load.queue.take(at_ms(1'000'000))->planned;
    for (int i = 0; i < 20; ++i) {
      const MonoTime next = load.queue.take(at_ms(1'000'000))->planned;
      found.push_back((next - last).count);
      last = next;
    }
    return found;
  };
  EXPECT_EQ(gaps(3), gaps(40));
}

TEST(ArrivalQueue, ATraceBeginsWithTheWindowAndBeginsAnewBehindItsEnd) {  // L41
  const ArrivalTrace trace{{milliseconds(0), milliseconds(0), milliseconds(50)}, milliseconds(80)};
  Queue load(trace);
  load.queue.begin_warmup(at_ms(0));
  load.queue.begin_measure(at_ms(1000));
  const std::int64_t expected[] = {1000, 1000, 1050, 1080, 1080, 1130, 1160};
  for (std::uint64_t i = 0; i < std::size(expected); ++i) {
    const auto arrival = load.queue.take(at_ms(2000));
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->planned, at_ms(expected[i]));
    EXPECT_EQ(arrival->request.id, i);
  }
}

TEST(ArrivalQueue, AMinuteOfArrivalsKeepsItsTimesThoughEachIsTakenLate) {  // L30
  Queue load(ArrivalRate{.per_second = 1000, .process = ArrivalProcess::constant});
  load.queue.begin_measure(at_ms(0));
  std::int64_t taken = 0;
  Nanoseconds latest;
  // A loop that looks every 7 ms, and once not for half a second.
  for (std::int64_t now = 0; now <= 60'000; now += now == 30'002 ? 500 : 7) {
    while (const auto arrival = load.queue.take(at_ms(now))) {
      ASSERT_EQ(arrival->planned, at_ms(++taken));
      latest = std::max(latest, at_ms(now) - arrival->planned);
    }
  }
  EXPECT_EQ(taken, 60'000);
  EXPECT_EQ(latest, milliseconds(499));
}

TEST(ArrivalQueue, StopsForGood) {
  Queue load(every_100_ms());
  load.queue.begin_measure(at_ms(0));
  EXPECT_FALSE(load.queue.stop(at_ms(50)));
  EXPECT_FALSE(load.queue.take(at_ms(10'000)));
  EXPECT_FALSE(load.queue.next_planned());
}

TEST(ArrivalQueue, TellsWhatWasPlannedAndNeverSentOnce) {
  Queue load(every_100_ms());
  load.queue.begin_warmup(at_ms(0));
  EXPECT_TRUE(load.queue.take(at_ms(100)));
  load.queue.begin_measure(at_ms(150));
  const auto unsent = load.queue.stop(at_ms(500));  // 200, 300, 400, 500
  ASSERT_TRUE(unsent);
  EXPECT_EQ(unsent->count, 4);
  EXPECT_EQ(unsent->first, at_ms(200));
  EXPECT_FALSE(load.queue.stop(at_ms(1000)));
}

TEST(ArrivalQueue, OfATraceOnlyWhatWasDueIsNeverSent) {
  Queue load(ArrivalTrace{{{}, milliseconds(100), milliseconds(900)}, milliseconds(1000)});
  load.queue.begin_measure(at_ms(0));
  const auto unsent = load.queue.stop(at_ms(500));
  ASSERT_TRUE(unsent);
  EXPECT_EQ(unsent->count, 2);
}

TEST(ArrivalTrace, ItsMeanRateIsItsRequestsOverItsPeriod) {
  EXPECT_DOUBLE_EQ((ArrivalTrace{{{}, milliseconds(100)}, milliseconds(500)}.mean_rate()), 4.0);
}

}  // namespace
}  // namespace tokenjoule
