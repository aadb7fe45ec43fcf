#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/url.hpp"
#include "io/clock.hpp"
#include "io/http_client.hpp"
#include "model/engine.hpp"
#include "model/event.hpp"

namespace tokenjoule {

struct ScraperOptions {
  Url metrics;
  HttpHeaders headers;
  std::vector<EngineCounter> counters;
  Nanoseconds period = whole_seconds(1);
  Seconds timeout{2.0};
};

/// Reads an engine's metrics page once a second on a fixed calendar, and at the edges when told to.
/// Each read is a CounterScrape bracketed by the clock; a read that fails is a Loss ("scrape").
class EngineScraper {
 public:
  /// The clock must outlive the scraper.
  EngineScraper(ScraperOptions options, Clock& clock, EventSink sink);
  ~EngineScraper();
  EngineScraper(const EngineScraper&) = delete;
  EngineScraper& operator=(const EngineScraper&) = delete;

  void start();
  void stop();
  /// One read now, in the caller's thread and on a connection of its own; takes at most the
  /// timeout. It is also given to the sink. @param note why, for the record: "edge".
  Result<CounterScrape> scrape_now(const std::string& note);
  /// The newest good read of either kind.
  std::optional<CounterScrape> latest() const;

 private:
  Result<CounterScrape> scrape(HttpClient& client, const std::string& note);
  void scrape_until_stopped(const std::stop_token& stop);

  ScraperOptions options_;
  Clock& clock_;
  EventSink sink_;
  mutable std::mutex latest_mutex_;
  std::optional<CounterScrape> latest_;
  std::mutex edge_mutex_;  ///< guards edge_client_
  HttpClient edge_client_;
  std::jthread thread_;
};

}  // namespace tokenjoule
