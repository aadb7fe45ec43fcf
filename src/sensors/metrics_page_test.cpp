#include "sensors/metrics_page.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "sensors/page_settings.hpp"

namespace tokenjoule {
namespace {

PageLayout layout() {
  return {.sensor = "box",
          .default_url = "http://127.0.0.1:1/metrics",
          .hint = "start the box",
          .boundary = Boundary::gpu_board,
          .fields = {{"e", Measurand::energy, SignalKind::counter, "J", 1.0, false},
                     {"p", Measurand::power, SignalKind::gauge, "W", 1.0, true}},
          .device_of = [](const PrometheusSample& sample) -> std::optional<Device> {
            const auto id = sample.label("id");
            if (!id) return std::nullopt;
            return Device{.id = std::string(*id), .kind = DeviceKind::gpu};
          }};
}
PageServer::Page page(const std::string& text) { return {200, text, "text/plain; version=0.0.4"}; }

Result<std::unique_ptr<Sensor>> open_at(const PageServer& server, Clock& clock,
                                        const std::string& group = "") {
  return open_metrics_page(layout(), {"box", {{"url", server.url().text()}, {"group", group}}},
                           clock);
}

TEST(MetricsPage, AnnouncesTheDevicesOfThePageAndReadsThem) {
  PageServer server({{"GET /metrics", page("e{id=\"a\"} 5\np{id=\"a\"} 300\np{other=\"b\"} 9\n")}});
  FakeClock clock;
  auto sensor = open_at(server, clock, "decode");
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().devices.size(), 1u);
  EXPECT_EQ((*sensor)->contents().devices[0].group, "decode");
  ASSERT_EQ((*sensor)->contents().signals.size(), 2u);
  EXPECT_EQ((*sensor)->contents().signals[0].source, "e");
  server.set("GET /metrics", page("e{id=\"a\"} 6\np{id=\"a\"} 301\np{id=\"new\"} 1\n"));
  const auto sample = (*sensor)->poll(clock);
  ASSERT_TRUE(sample.has_value());
  ASSERT_EQ(sample->readings.size(), 2u) << "what came later was not announced";
  EXPECT_EQ(sample->readings[0].raw, 6);
  EXPECT_EQ(sample->readings[1].raw, 301);
}

TEST(MetricsPage, NoValueIsMadeUpForNaNInfinityMinusOrZeroWatts) {
  PageServer server({{"GET /metrics",
                      page("p{id=\"a\"} NaN\np{id=\"b\"} -1\np{id=\"c\"} +Inf\np{id=\"d\"} 0\n")}});
  FakeClock clock;
  const auto sensor = open_at(server, clock);
  ASSERT_FALSE(sensor.has_value());
  EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
  EXPECT_EQ(sensor.error().hint, "start the box");
  server.set("GET /metrics", page("e{id=\"a\"} 0\n"));
  EXPECT_TRUE(open_at(server, clock).has_value()) << "a counter may begin at 0";
}

TEST(MetricsPage, RowsOfOneDeviceCountOnceAndThoseThatContradictAreALoss) {
  PageServer server(
      {{"GET /metrics", page("p{id=\"a\",pod=\"x\"} 100\np{id=\"a\",pod=\"y\"} 101\n")}});
  FakeClock clock;
  auto sensor = open_at(server, clock);
  ASSERT_TRUE(sensor.has_value());
  EXPECT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
  server.set("GET /metrics", page("p{id=\"a\",pod=\"x\"} 100\np{id=\"a\",pod=\"y\"} 200\n"));
  EXPECT_TRUE((*sensor)->poll(clock)->readings.empty());
  EXPECT_EQ((*sensor)->take_losses().size(), 1u);
}

TEST(MetricsPage, APageThatFailsIsTriedAgain) {
  PageServer server({{"GET /metrics", page("p{id=\"a\"} 1\n")}});
  FakeClock clock;
  auto sensor = open_at(server, clock);
  ASSERT_TRUE(sensor.has_value());
  for (const PageServer::Page& bad :
       {PageServer::Page{500, "x", "text/plain"}, page(""), page("p{id=\"b\"} 1\n")}) {
    server.set("GET /metrics", bad);
    EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  }
}

TEST(PageSettings, AUrlWithoutAPathGetsTheUsualOne) {
  const auto url = [](const std::string& text) {
    return page_settings_in({"box", {{"url", text}}}, "http://127.0.0.1:8002/metrics")->url.text();
  };
  EXPECT_EQ(url("h:9"), "http://h:9/metrics");
  EXPECT_EQ(url("h:9/other"), "http://h:9/other");
  EXPECT_EQ(page_settings_in({"box", {}}, "http://127.0.0.1:8002/metrics")->url.text(),
            "http://127.0.0.1:8002/metrics");
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"insecure", "perhaps"}, {"timeout", "soon"}, {"timeout", "0"}, {"url", "ftp://x"}}) {
    EXPECT_EQ(page_settings_in({"box", {{key, value}}}, "http://h/metrics").error().kind,
              ErrorKind::usage)
        << key;
  }
}

}  // namespace
}  // namespace tokenjoule
