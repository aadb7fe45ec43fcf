#include "sensors/dcgm/dcgm_sensor.hpp"

#include <gtest/gtest.h>

#include "io/testing_server.hpp"
#include "io/testing_tls.hpp"
#include "sensors/sampler.hpp"

namespace tokenjoule {
namespace {

std::string row(const std::string& metric, const std::string& uuid, double value) {
  return metric + "{gpu=\"0\",UUID=\"" + uuid + "\",modelName=\"NVIDIA H100\"} " +
         std::to_string(value) + "\n";
}
const std::string kEnergy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";
const std::string kPower = "DCGM_FI_DEV_POWER_USAGE";

PageServer::Page page(const std::string& text) { return {200, text, "text/plain; version=0.0.4"}; }

Result<std::unique_ptr<Sensor>> open_at(const PageServer& server,
                                        std::map<std::string, std::string> settings, Clock& clock) {
  settings["url"] = server.url().text();
  return open_dcgm({"dcgm", std::move(settings)}, clock);
}

TEST(DcgmSensor, AnnouncesTheGpusOfItsPageAndReadsThem) {
  PageServer server(
      {{"GET /metrics", page(row(kEnergy, "GPU-a", 5000) + row(kPower, "GPU-a", 300))}});
  FakeClock clock;
  auto sensor = open_at(server, {{"group", "prefill"}}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  EXPECT_EQ((*sensor)->contents().devices.at(0).group, "prefill");
  ASSERT_EQ((*sensor)->contents().signals.size(), 2u);
  EXPECT_EQ((*sensor)->contents().signals[0].measurand, Measurand::energy);
  EXPECT_EQ((*sensor)->contents().signals[0].raw_unit, "mJ");
  server.set("GET /metrics", page(row(kEnergy, "GPU-a", 6000) + row(kPower, "GPU-a", 301)));
  const auto sample = (*sensor)->poll(clock);
  ASSERT_TRUE(sample.has_value());
  ASSERT_EQ(sample->readings.size(), 2u);
  EXPECT_EQ(sample->readings[0].signal, 0u);
  EXPECT_EQ(sample->readings[0].raw, 6000.0);
  EXPECT_EQ(sample->readings[1].raw, 301.0);
}

TEST(DcgmSensor, ReadsAnHttpsPageOfAnExporterThatItTrusts) {
  PageServer server({{"GET /metrics", page(row(kEnergy, "GPU-a", 5000))}});
  const TestCertificate identity = make_certificate();
  const TlsFront front(server.url().port, identity);
  FakeClock clock;
  const auto opened = [&](std::map<std::string, std::string> settings) {
    settings["url"] = front.url();
    return open_dcgm({"dcgm", std::move(settings)}, clock);
  };
  EXPECT_TRUE(opened({{"cacert", identity.file()}}).has_value());
  EXPECT_TRUE(opened({{"insecure", "yes"}}).has_value());
  const auto distrusted = opened({});
  ASSERT_FALSE(distrusted.has_value());
  EXPECT_NE(distrusted.error().hint.find("--cacert"), std::string::npos);
  EXPECT_EQ(opened({{"insecure", "perhaps"}}).error().kind, ErrorKind::usage);
}

TEST(DcgmSensor, AGpuThatVanishesLeavesAGapAndTheLastOneIsWaitedFor) {
  const std::string a = row(kPower, "GPU-a", 1);
  const std::string b = row(kPower, "GPU-b", 2);
  PageServer server({{"GET /metrics", page(a + b)}});
  FakeClock clock;
  auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value());
  server.set("GET /metrics", page(b + row(kPower, "GPU-new", 3)));
  const auto sample = (*sensor)->poll(clock);
  ASSERT_TRUE(sample.has_value());
  ASSERT_EQ(sample->readings.size(), 1u);
  EXPECT_EQ(sample->readings[0].signal, 1u);
  server.set("GET /metrics", page(row(kPower, "GPU-new", 3)));
  EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  server.set("GET /metrics", page(a + b));
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 2u);
}

TEST(DcgmSensor, APageThatFailsOnceIsTriedAgain) {
  PageServer server({{"GET /metrics", page(row(kPower, "GPU-a", 1))}});
  FakeClock clock;
  auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value());
  for (const PageServer::Page& bad :
       {PageServer::Page{500, "x", "text/plain"}, page(""), page("<html>")}) {
    server.set("GET /metrics", bad);
    EXPECT_EQ((*sensor)->poll(clock).error().kind, ErrorKind::retry);
  }
  server.set("GET /metrics", page(row(kPower, "GPU-a", 1)));
  EXPECT_TRUE((*sensor)->poll(clock).has_value());
}

TEST(DcgmSensor, ContradictingRowsAreALoss) {
  PageServer server({{"GET /metrics", page(row(kPower, "GPU-a", 100) + row(kEnergy, "GPU-a", 1))}});
  FakeClock clock;
  auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value());
  server.set("GET /metrics", page(row(kPower, "GPU-a", 100) + row(kPower, "GPU-a", 200) +
                                  row(kEnergy, "GPU-a", 1)));
  EXPECT_EQ((*sensor)->poll(clock)->readings.size(), 1u);
  const auto losses = (*sensor)->take_losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].what, "reading");
  EXPECT_TRUE((*sensor)->take_losses().empty());
}

TEST(DcgmSensor, WhatCannotBeUsedIsAnErrorThatSaysWhy) {
  PageServer server(
      {{"GET /metrics", page(row(kPower, "GPU-a", 1))}, {"GET /other", page("up 1\n")}});
  FakeClock clock;
  const auto filtered = open_at(server, {{"pod", "llama-0"}}, clock);
  ASSERT_FALSE(filtered.has_value());
  EXPECT_NE(filtered.error().message.find("labels"), std::string::npos) << filtered.error().message;
  for (const char* path : {"/other", "/nothing"}) {
    const auto sensor = open_dcgm({"dcgm", {{"url", server.url(path).text()}}}, clock);
    ASSERT_FALSE(sensor.has_value());
    EXPECT_EQ(sensor.error().kind, ErrorKind::missing);
    EXPECT_NE(sensor.error().hint, "");
  }
  EXPECT_EQ(open_at(server, {{"energy_unit", "kWh"}}, clock).error().kind, ErrorKind::usage);
  EXPECT_EQ(open_at(server, {{"timeout", "soon"}}, clock).error().kind, ErrorKind::usage);
}

/// Polls a page once a second whose GPU draws 600 W and whose counter grows by `step` in its own
/// unit; the first error, if there is one within ten polls.
std::optional<Error> error_of(const std::string& energy, double step,
                              const std::map<std::string, std::string>& settings) {
  const auto text = [&](int t) {
    return page("# HELP " + energy + " Energy since boot.\n" +
                row(energy, "GPU-a", 5e6 + step * t) + row(kPower, "GPU-a", 600));
  };
  PageServer server({{"GET /metrics", text(0)}});
  FakeClock clock;
  auto sensor = open_at(server, settings, clock);
  if (!sensor) return sensor.error();
  for (int t = 1; t <= 10; ++t) {
    clock.advance(whole_seconds(1));
    server.set("GET /metrics", text(t));
    const auto sample = (*sensor)->poll(clock);
    if (!sample) return sample.error();
  }
  return std::nullopt;
}

TEST(DcgmSensor, AUnitThatIsOffByAThousandIsRefusedWithTheReasonUnlessItIsStated) {
  EXPECT_FALSE(error_of(kEnergy, 600000, {}).has_value());
  const auto joules_as_millijoules = error_of(kEnergy, 600, {});
  ASSERT_TRUE(joules_as_millijoules.has_value());
  EXPECT_EQ(joules_as_millijoules->kind, ErrorKind::unavailable);
  EXPECT_NE(joules_as_millijoules->message.find("1000 times too small"), std::string::npos)
      << joules_as_millijoules->message;
  EXPECT_NE(joules_as_millijoules->hint.find("energy_unit=J"), std::string::npos);
  EXPECT_FALSE(error_of(kEnergy, 600, {{"energy_unit", "J"}}).has_value());
  // Of DCGM 4.7 on: joules under a new name; and an exporter that kept millijoules under it.
  EXPECT_FALSE(error_of("DCGM_FI_DEV_TOTAL_ENERGY_JOULES", 600, {}).has_value());
  EXPECT_TRUE(error_of("DCGM_FI_DEV_TOTAL_ENERGY_JOULES", 600000, {}).has_value());
}

TEST(DcgmSensor, AUnitThatIsOnlyInferredNeedsPowerBesideIt) {
  const std::string name = "DCGM_FI_DEV_TOTAL_ENERGY_JOULES";
  PageServer server({{"GET /metrics", page(row(name, "GPU-a", 5))}});
  FakeClock clock;
  const auto alone = open_at(server, {}, clock);
  ASSERT_FALSE(alone.has_value());
  EXPECT_EQ(alone.error().kind, ErrorKind::missing);
  EXPECT_NE(alone.error().hint.find("energy_unit="), std::string::npos);
  EXPECT_TRUE(open_at(server, {{"energy_unit", "J"}}, clock).has_value());
  server.set("GET /metrics", page(row(kEnergy, "GPU-a", 5)));
  EXPECT_TRUE(open_at(server, {}, clock).has_value()) << "a known name has a known unit";
}

TEST(DcgmSensor, AnExporterListedTwiceAndAReplicaOfItAreOneSetOfGpus) {
  const std::string text = row(kEnergy, "GPU-a", 5000) + row(kPower, "GPU-a", 300);
  PageServer exporter({{"GET /metrics", page(text)}}), replica({{"GET /metrics", page(text)}});
  FakeClock clock;
  std::vector<std::unique_ptr<Sensor>> sensors;
  for (const PageServer* server : {&exporter, &exporter, &replica}) {
    auto sensor = open_at(*server, {}, clock);
    ASSERT_TRUE(sensor.has_value());
    sensors.push_back(std::move(*sensor));
  }
  const Sampler sampler(std::move(sensors), clock, [](Event) {});
  ASSERT_EQ(sampler.devices().size(), 1u);
  EXPECT_EQ(sampler.devices()[0].id, "GPU-a");
  for (const Signal& signal : sampler.signals()) EXPECT_EQ(signal.device, "GPU-a");
}

TEST(DcgmSensor, PagesOfSeveralHostsHaveGroupsOfTheirOwn) {
  const auto pod = [](const std::string& uuid, const std::string& name) {
    return kPower + "{gpu=\"0\",UUID=\"" + uuid + "\",pod=\"" + name + "\"} 300\n";
  };
  PageServer a({{"GET /metrics", page(pod("GPU-a", "llama-0") + pod("GPU-x", "other"))}});
  PageServer b({{"GET /metrics", page(pod("GPU-b", "llama-1"))}});
  FakeClock clock;
  std::vector<std::unique_ptr<Sensor>> sensors;
  sensors.push_back(std::move(*open_at(a, {{"group", "prefill"}, {"pod", "llama-0"}}, clock)));
  sensors.push_back(std::move(*open_at(b, {{"group", "decode"}}, clock)));
  const Sampler sampler(std::move(sensors), clock, [](Event) {});
  ASSERT_EQ(sampler.devices().size(), 2u) << "the GPU of another pod is not read";
  EXPECT_EQ(sampler.devices()[0].group, "prefill");
  EXPECT_EQ(sampler.devices()[1].group, "decode");
}

TEST(DcgmSensor, TokensThatAreNoNumberAreAbsentAndNeverZero) {
  PageServer server({{"GET /metrics", page(row(kEnergy, "GPU-a", 5000) + kPower +
                                           "{gpu=\"0\",UUID=\"GPU-a\"} N/A\n" + kPower +
                                           "{gpu=\"1\",UUID=\"GPU-b\"} <<<NOT_SUPPORTED>>>\n")}});
  FakeClock clock;
  const auto sensor = open_at(server, {}, clock);
  ASSERT_TRUE(sensor.has_value()) << sensor.error().message;
  ASSERT_EQ((*sensor)->contents().signals.size(), 1u);
  EXPECT_EQ((*sensor)->contents().signals[0].measurand, Measurand::energy);
}

}  // namespace
}  // namespace tokenjoule
