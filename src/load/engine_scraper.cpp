#include "load/engine_scraper.hpp"

#include <fmt/core.h>

#include "engines/dialect.hpp"
#include "engines/prometheus_text.hpp"

namespace tokenjoule {

EngineScraper::EngineScraper(ScraperOptions options, Clock& clock, EventSink sink)
    : options_(std::move(options)),
      clock_(clock),
      sink_(std::move(sink)),
      edge_client_({.timeout = options_.timeout, .headers = options_.headers}) {}

EngineScraper::~EngineScraper() { stop(); }

void EngineScraper::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { scrape_until_stopped(stop); });
}

void EngineScraper::stop() { thread_ = {}; }

Result<CounterScrape> EngineScraper::scrape_now(const std::string& note) {
  const std::lock_guard lock(edge_mutex_);
  return scrape(edge_client_, note);
}

std::optional<CounterScrape> EngineScraper::latest() const {
  const std::lock_guard lock(latest_mutex_);
  return latest_;
}

Result<CounterScrape> EngineScraper::scrape(HttpClient& client, const std::string& note) {
  CounterScrape scrape{.note = note};
  scrape.read.begin = clock_.now();
  const auto reply = client.get(options_.metrics);
  scrape.read.end = clock_.now();
  Result<PrometheusPage> page = !reply ? Result<PrometheusPage>(unexpected(reply.error()))
                                : reply->status != 200
                                    ? failure(ErrorKind::missing,
                                              fmt::format("{} answers with status {}",
                                                          options_.metrics.text(), reply->status),
                                              "see the log of the engine")
                                    : prometheus_page(reply->body, reply->content_type);
  if (page && page->truncated) {
    // Series behind the cut would be missing from the sums.
    page = failure(ErrorKind::unavailable, "the metrics page is cut off");
  }
  if (!page) {
    sink_(Loss{.span = scrape.read,
               .what = "scrape",
               .source = "engine",
               .count = 1,
               .reason = page.error().message});
    return unexpected(std::move(page).error());
  }
  scrape.values = counter_values(options_.counters, *page);
  sink_(scrape);
  const std::lock_guard lock(latest_mutex_);
  if (!latest_ || latest_->read.end <= scrape.read.end) latest_ = scrape;
  return scrape;
}

void EngineScraper::scrape_until_stopped(const std::stop_token& stop) {
  HttpClient client({.timeout = options_.timeout, .headers = options_.headers});
  for (MonoTime due = clock_.now(); clock_.sleep_until(due, stop);) {
    (void)scrape(client, "");
    const Nanoseconds late = clock_.now() - due;
    const std::int64_t slots = late.count / options_.period.count;
    if (slots > 0) {
      sink_(Loss{.span = {due, due + late},
                 .what = "scrape",
                 .source = "engine",
                 .count = slots,
                 .reason = "the scrape before took longer than its slot, or the machine was busy"});
    }
    due += options_.period * (slots + 1);
  }
}

}  // namespace tokenjoule
