#pragma once

#include <map>
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

/// A metrics page of one server, and what goes along when it is asked for.
struct MetricsPage {
  Url url;
  HttpHeaders headers;
};

struct ScraperOptions {
  Url metrics;
  HttpHeaders headers;
  std::vector<MetricsPage> further;  ///< of more servers, whose values are added up
  TlsOptions tls;
  std::vector<EngineCounter> counters;
  RequestFamilies requests;  ///< read as well; empty: they are not
  Nanoseconds period = whole_seconds(1);
  Seconds timeout{2.0};
};

/// The values of several servers as those of one: counters, requests running and waiting are added,
/// cache use is the mean, and of start times the latest is taken, which any restart moves on. A
/// metric that one of them lacks is absent. @param each at least one.
std::map<EngineMetric, double> joined_values(
    const std::vector<std::map<EngineMetric, double>>& each);

/// Reads an engine's metrics page once a second on a fixed calendar, and at the edges when told to.
/// Each read is a CounterScrape bracketed by the clock; a read that fails is a Loss ("scrape").
/// Several pages are read one after another inside one bracket and joined (see joined_values); if
/// one fails, the read failed.
class EngineScraper {
 public:
  /// The clock must outlive the scraper.
  EngineScraper(ScraperOptions options, Clock& clock, EventSink sink);
  ~EngineScraper();
  EngineScraper(const EngineScraper&) = delete;
  EngineScraper& operator=(const EngineScraper&) = delete;

  void start();
  void stop();
  /// One read now, in the caller's thread and on connections of its own; takes at most the
  /// timeout, for each page. It is also given to the sink. @param note why, for the record: "edge".
  Result<CounterScrape> scrape_now(const std::string& note);
  /// The newest good read of either kind.
  std::optional<CounterScrape> latest() const;

 private:
  /// A client for each page, in their order.
  std::vector<HttpClient> clients() const;
  /// Reads every page into the scrape.
  Status read_pages(std::vector<HttpClient>& clients, CounterScrape& scrape) const;
  Result<CounterScrape> scrape(std::vector<HttpClient>& clients, const std::string& note);
  void scrape_until_stopped(const std::stop_token& stop);

  ScraperOptions options_;
  Clock& clock_;
  EventSink sink_;
  mutable std::mutex latest_mutex_;
  std::optional<CounterScrape> latest_;
  std::mutex edge_mutex_;  ///< guards edge_clients_
  std::vector<HttpClient> edge_clients_;
  std::jthread thread_;
};

}  // namespace tokenjoule
