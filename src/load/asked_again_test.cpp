#include "load/asked_again.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "load/engine_probe.hpp"
#include "load/scripted_server.hpp"

namespace tokenjoule {
namespace {

/// Answers one after another, the last one again and again.
struct Answers {
  std::vector<HttpReply> replies;
  std::size_t asked = 0;
  std::vector<double> waited;

  Result<HttpReply> take() {
    return asked_again(
        [this] { return Result<HttpReply>(replies[std::min(asked++, replies.size() - 1)]); },
        [this](Seconds wait) {
          waited.push_back(wait.value());
          return true;
        });
  }
};

HttpReply refusal(int status, const std::string& retry_after) {
  HttpReply reply;
  reply.status = status;
  reply.retry_after = retry_after;
  return reply;
}

TEST(AskedAgain, WaitsAsLongAsTheServerAsks) {
  Answers answers{{refusal(429, "7"), refusal(503, "2"), refusal(200, "")}};
  EXPECT_EQ(answers.take()->status, 200);
  EXPECT_EQ(answers.waited, (std::vector<double>{7, 2}));
}

TEST(AskedAgain, DoesNotComeBackUnasked) {
  Answers answers{{refusal(429, "")}};
  EXPECT_EQ(answers.take()->status, 429);
  EXPECT_EQ(answers.asked, 1U);
  Answers other{{refusal(400, "1")}};
  EXPECT_EQ(other.take()->status, 400);
  EXPECT_EQ(other.asked, 1U);
}

TEST(AskedAgain, EndsAfterThreeMoreTriesOrAMinute) {
  Answers often{{refusal(429, "1")}};
  EXPECT_EQ(often.take()->status, 429);
  EXPECT_EQ(often.asked, 4U);
  Answers slowly{{refusal(429, "40")}};
  EXPECT_EQ(slowly.take()->status, 429);
  EXPECT_EQ(slowly.waited, (std::vector<double>{40}));  // 20 s are left, less than 40
  Answers longer{{refusal(429, "300")}};
  EXPECT_EQ(longer.take()->status, 429);
  EXPECT_TRUE(longer.waited.empty());
  EXPECT_EQ(asked_wait_words(refusal(429, "300")), "; it asks to wait 300 s");
}

TEST(AskedAgain, AWaitThatIsToldToStopIsAnInterruptAndNotTheRefusal) {
  int asked = 0;
  const auto reply = asked_again(
      [&] {
        ++asked;
        return Result<HttpReply>(refusal(429, "7"));
      },
      [](Seconds) { return false; });
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().kind, ErrorKind::interrupted);
  EXPECT_EQ(asked, 1);
}

/// An engine whose trial request comes to this status for the first `refusals` tries.
struct LimitedEngine {
  int refusals;
  std::string refusal;
  std::atomic<int> tries{0};
  ScriptedServer server{[this](const Peer& peer, const ServedRequest& request) {
    if (request.head.find("/v1/models") != std::string::npos) {
      peer.send(with_length(200, R"({"data":[{"id":"m","owned_by":"vllm"}]})"));
    } else if (request.head.find("/v1/completions") == std::string::npos) {
      peer.send(with_length(404, "none"));
    } else if (tries++ < refusals) {
      peer.send(refusal);
    } else {
      peer.send(
          chunked("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: {\"choices\":[],"
                  "\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\n"));
    }
    return ScriptedServer::Then::keep_open;
  }};

  Result<ProbedEngine> probed(std::vector<double>* waited = nullptr) {
    ProbeQuestion question;
    question.root = url_in(server.url()).value();
    question.wait = [waited](Seconds wait) {
      if (waited != nullptr) waited->push_back(wait.value());
      return true;
    };
    return probe_engine(question);
  }
};

TEST(ProbeEngine, HeedsRetryAfterOfTheTrialRequest) {
  LimitedEngine engine{1, with_length(429, R"({"error":"slow down"})", "Retry-After: 3\r\n")};
  std::vector<double> waited;
  const auto probed = engine.probed(&waited);
  ASSERT_TRUE(probed.has_value()) << probed.error().message;
  EXPECT_EQ(waited, std::vector<double>{3});
}

TEST(ProbeEngine, ARateLimitIsNamedAndNotTriedInOtherWays) {
  LimitedEngine engine{100, with_length(429, R"({"error":"slow down"})", "Retry-After: 300\r\n")};
  const auto probed = engine.probed();
  ASSERT_FALSE(probed.has_value());
  EXPECT_EQ(probed.error().message,
            "the server limits the rate of requests (status 429): \"slow down\"; it asks to wait "
            "300 s");
  EXPECT_NE(probed.error().hint.find("wait"), std::string::npos);
  EXPECT_EQ(engine.tries, 1);
}

TEST(ProbeEngine, AnInterruptWhileItWaitsIsNotTheServersRefusal) {
  const std::string busy = with_length(429, R"({"error":"slow down"})", "Retry-After: 3\r\n");
  LimitedEngine at_the_trial{100, busy};
  ScriptedServer at_the_models([&](const Peer& peer, const ServedRequest&) {
    peer.send(busy);
    return ScriptedServer::Then::keep_open;
  });
  for (const std::string& url : {at_the_trial.server.url(), at_the_models.url()}) {
    ProbeQuestion question;
    question.root = url_in(url).value();
    question.wait = [](Seconds) { return false; };
    for (const bool several : {false, true}) {
      const auto probed =
          probe_engines(question, several ? std::vector{question.root} : std::vector<Url>());
      ASSERT_FALSE(probed.has_value());
      EXPECT_EQ(probed.error().kind, ErrorKind::interrupted) << probed.error().message;
    }
  }
}

TEST(ProbeEngine, AGatewayWithoutAnEngineIsNamed) {
  LimitedEngine engine{100, with_length(502, "<html>Bad Gateway</html>")};
  const auto probed = engine.probed();
  ASSERT_FALSE(probed.has_value());
  EXPECT_NE(probed.error().message.find("a gateway answers in place of the engine (status 502)"),
            std::string::npos)
      << probed.error().message;
}

}  // namespace
}  // namespace tokenjoule
