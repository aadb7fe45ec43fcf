#include "load/engine_scraper.hpp"

#include <condition_variable>

#include <gtest/gtest.h>

#include "io/testing_server.hpp"

namespace tokenjoule {
namespace {

/// Keeps every event, and wakes who waits for one.
class Events {
 public:
  EventSink sink() {
    return [this](Event event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
      changed_.notify_all();
    };
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_.size() >= count; });
  }
  template <typename T>
  std::vector<T> all() {
    const std::lock_guard lock(mutex_);
    std::vector<T> found;
    for (const Event& event : events_) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
};

PageServer::Page page(const std::string& text) { return {200, text, "text/plain"}; }

ScraperOptions options_for(const PageServer& server) {
  ScraperOptions options{.metrics = server.url("/metrics"), .headers = {}, .counters = {}};
  options.counters = {{.metric = EngineMetric::output_tokens, .family = "t_total"},
                      {.metric = EngineMetric::requests_running, .family = "running"}};
  return options;
}

TEST(EngineScraper, AReadAtAnEdgeIsBracketedGivenBackAndRecorded) {
  PageServer server({{"GET /metrics", page("t_total{e=\"0\"} 5\nt_total{e=\"1\"} 7\n")}});
  SystemClock clock;
  Events events;
  EngineScraper scraper(options_for(server), clock, events.sink());
  EXPECT_FALSE(scraper.latest().has_value());
  const MonoTime before = clock.now();
  const auto scrape = scraper.scrape_now("edge");
  ASSERT_TRUE(scrape.has_value()) << scrape.error().message;
  EXPECT_GE(scrape->read.begin, before);
  EXPECT_LE(scrape->read.end, clock.now());
  EXPECT_EQ(scrape->note, "edge");
  EXPECT_EQ(scrape->values, (std::map<EngineMetric, double>{{EngineMetric::output_tokens, 12.0}}));
  ASSERT_EQ(events.all<CounterScrape>().size(), 1u);
  EXPECT_EQ(events.all<CounterScrape>()[0].note, "edge");
  EXPECT_EQ(scraper.latest()->values, scrape->values);
}

TEST(EngineScraper, AReadThatFailsIsALossAndNotAZero) {
  PageServer server({{"GET /metrics", {500, "boom", "text/plain"}}});
  SystemClock clock;
  Events events;
  EngineScraper scraper(options_for(server), clock, events.sink());
  EXPECT_FALSE(scraper.scrape_now("edge").has_value());
  server.set("GET /metrics", page("<html>"));
  EXPECT_FALSE(scraper.scrape_now("edge").has_value());
  server.set("GET /metrics",
             page("t_total{e=\"0\"} 5\nt_total{e=\"1"));  // cut: a series is missing
  EXPECT_FALSE(scraper.scrape_now("edge").has_value());
  const auto losses = events.all<Loss>();
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_EQ(losses[2].reason, "the metrics page is cut off");
  EXPECT_EQ(losses[0].what, "scrape");
  EXPECT_EQ(losses[0].source, "engine");
  EXPECT_NE(losses[0].reason.find("status 500"), std::string::npos);
  EXPECT_TRUE(events.all<CounterScrape>().empty());
  EXPECT_FALSE(scraper.latest().has_value());
}

TEST(EngineScraper, ReadsOnItsCalendarUntilStopped) {
  PageServer server({{"GET /metrics", page("t_total 5\nrunning 2\n")}});
  FakeClock clock;  // jumps from slot to slot; only the scraper's thread uses it
  Events events;
  EngineScraper scraper(options_for(server), clock, events.sink());
  scraper.start();
  events.wait_for(3);
  scraper.stop();
  const auto scrapes = events.all<CounterScrape>();
  ASSERT_GE(scrapes.size(), 3u);
  EXPECT_EQ(scrapes[0].read.begin, MonoTime{0});
  EXPECT_EQ(scrapes[1].read.begin, MonoTime{1'000'000'000});
  EXPECT_EQ(scrapes[2].read.begin, MonoTime{2'000'000'000});
  EXPECT_EQ(scrapes[0].values.at(EngineMetric::requests_running), 2.0);
  EXPECT_EQ(scrapes[0].note, "");
}

TEST(EngineScraper, PagesOfSeveralServersAreAddedUpInOneScrape) {
  PageServer first({{"GET /metrics", page("t_total 5\nrunning 1\n")}});
  PageServer second({{"GET /metrics", page("t_total 7\nrunning 2\n")}});
  SystemClock clock;
  Events events;
  ScraperOptions options = options_for(first);
  options.further = {{second.url("/metrics"), {}}};
  EngineScraper scraper(options, clock, events.sink());
  const auto scrape = scraper.scrape_now("edge");
  ASSERT_TRUE(scrape.has_value()) << scrape.error().message;
  EXPECT_EQ(scrape->values.at(EngineMetric::output_tokens), 12);
  EXPECT_EQ(scrape->values.at(EngineMetric::requests_running), 3);

  second.set("GET /metrics", {503, "no", "text/plain"});
  EXPECT_FALSE(scraper.scrape_now("edge").has_value());  // half a sum would be a wrong one
  EXPECT_EQ(events.all<Loss>().size(), 1U);
}

TEST(JoinedValues, AddCountersAverageCacheUseAndTakeTheLatestStart) {
  using M = EngineMetric;
  const auto joined = joined_values(
      {{{M::output_tokens, 5}, {M::cache_use, 0.2}, {M::process_start, 100}, {M::preemptions, 1}},
       {{M::output_tokens, 7}, {M::cache_use, 0.4}, {M::process_start, 300}}});
  EXPECT_EQ(joined.at(M::output_tokens), 12);
  EXPECT_DOUBLE_EQ(joined.at(M::cache_use), 0.3);
  EXPECT_EQ(joined.at(M::process_start), 300);
  EXPECT_EQ(joined.count(M::preemptions), 0U);  // one of them does not say
}

}  // namespace
}  // namespace tokenjoule
