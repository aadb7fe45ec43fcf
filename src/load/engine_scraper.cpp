#include "load/engine_scraper.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engines/dialect.hpp"
#include "engines/prometheus_text.hpp"
#include "engines/request_families.hpp"

namespace tokenjoule {

namespace {

Result<PrometheusPage> page_at(HttpClient& client, const Url& url) {
  TRY(const HttpReply reply, client.get(url));
  if (reply.status != 200) {
    return failure(ErrorKind::missing, fmt::format("{} {}", url.text(), status_words(reply)),
                   status_hint(reply, "see the log of the engine"));
  }
  TRY(PrometheusPage page, prometheus_page(reply.body, reply.content_type));
  // Series behind the cut would be missing from the sums.
  if (page.truncated) return failure(ErrorKind::unavailable, "the metrics page is cut off");
  return page;
}

/// Adds what one page tells of finished requests; what the pages before lack stays absent.
void add_requests(CounterScrape& scrape, const PrometheusPage& page,
                  const RequestFamilies& families, bool first) {
  for (const auto& [how, count] : finished_on(page, families)) scrape.finished[how] += count;
  auto lengths = lengths_on(page, families);
  if (first) {
    scrape.lengths = std::move(lengths);
    return;
  }
  for (auto at = scrape.lengths.begin(); at != scrape.lengths.end();) {
    const auto more = lengths.find(at->first);
    auto both = more == lengths.end() ? std::nullopt : joined(at->second, more->second);
    if (both) at->second = std::move(*both);
    at = both ? std::next(at) : scrape.lengths.erase(at);
  }
}

}  // namespace

std::map<EngineMetric, double> joined_values(
    const std::vector<std::map<EngineMetric, double>>& each) {
  std::map<EngineMetric, double> joined = each.front();
  for (std::size_t i = 1; i < each.size(); ++i) {
    for (auto at = joined.begin(); at != joined.end();) {
      const auto more = each[i].find(at->first);
      if (more == each[i].end()) {
        at = joined.erase(at);
        continue;
      }
      const bool latest = at->first == EngineMetric::process_start;
      at->second = latest ? std::max(at->second, more->second) : at->second + more->second;
      ++at;
    }
  }
  if (const auto use = joined.find(EngineMetric::cache_use); use != joined.end()) {
    use->second /= static_cast<double>(each.size());
  }
  return joined;
}

EngineScraper::EngineScraper(ScraperOptions options, Clock& clock, EventSink sink)
    : options_(std::move(options)),
      clock_(clock),
      sink_(std::move(sink)),
      edge_clients_(clients()) {}

EngineScraper::~EngineScraper() { stop(); }

void EngineScraper::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { scrape_until_stopped(stop); });
}

void EngineScraper::stop() { thread_ = {}; }

Result<CounterScrape> EngineScraper::scrape_now(const std::string& note) {
  const std::lock_guard lock(edge_mutex_);
  return scrape(edge_clients_, note);
}

std::optional<CounterScrape> EngineScraper::latest() const {
  const std::lock_guard lock(latest_mutex_);
  return latest_;
}

std::vector<HttpClient> EngineScraper::clients() const {
  std::vector<HttpClient> made;
  made.emplace_back(
      HttpOptions{.timeout = options_.timeout, .headers = options_.headers, .tls = options_.tls});
  for (const MetricsPage& page : options_.further) {
    made.emplace_back(
        HttpOptions{.timeout = options_.timeout, .headers = page.headers, .tls = options_.tls});
  }
  return made;
}

Status EngineScraper::read_pages(std::vector<HttpClient>& clients, CounterScrape& scrape) const {
  std::vector<std::map<EngineMetric, double>> each;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const Url& url = i == 0 ? options_.metrics : options_.further[i - 1].url;
    TRY(const PrometheusPage page, page_at(clients[i], url));
    each.push_back(counter_values(options_.counters, page));
    add_requests(scrape, page, options_.requests, i == 0);
  }
  scrape.values = joined_values(each);
  return {};
}

Result<CounterScrape> EngineScraper::scrape(std::vector<HttpClient>& clients,
                                            const std::string& note) {
  CounterScrape scrape;
  scrape.note = note;
  scrape.read.begin = clock_.now();
  Status found = read_pages(clients, scrape);
  scrape.read.end = clock_.now();
  if (!found) {
    sink_(Loss{.span = scrape.read,
               .what = "scrape",
               .source = "engine",
               .count = 1,
               .reason = found.error().message});
    return unexpected(std::move(found).error());
  }
  sink_(scrape);
  const std::lock_guard lock(latest_mutex_);
  if (!latest_ || latest_->read.end <= scrape.read.end) latest_ = scrape;
  return scrape;
}

void EngineScraper::scrape_until_stopped(const std::stop_token& stop) {
  std::vector<HttpClient> own = clients();
  for (MonoTime due = clock_.now(); clock_.sleep_until(due, stop);) {
    (void)scrape(own, "");
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
