#include "sim/server.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "engines/prometheus_text.hpp"
#include "io/file.hpp"

namespace tokenjoule {
namespace {

struct Answer {
  int status = 0;
  std::string head;
  std::string body;  ///< chunks joined
  bool whole = false;
};

/// A plain blocking client on one connection. A read that gets nothing for ten seconds fails.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(socket_); }

  void send(std::string_view method, std::string_view path, std::string_view body = "") {
    const std::string text =
        fmt::format("{} {} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{}", method, path,
                    body.size(), body);
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// Waits until bytes of an answer are there.
  bool wait_for_bytes() { return !buffer_.empty() || read_more(); }

  Answer answer() {
    Answer answer;
    answer.head = take_until("\r\n\r\n");
    if (answer.head.size() < 12) return answer;
    answer.status = std::stoi(answer.head.substr(9, 3));
    if (answer.head.find("transfer-encoding: chunked") != std::string::npos) {
      take_chunks(answer);
    } else if (const auto at = answer.head.find("content-length: "); at != std::string::npos) {
      answer.whole = take(std::stoul(answer.head.substr(at + 16)), answer.body);
    }
    return answer;
  }
  Answer ask(std::string_view method, std::string_view path, std::string_view body = "") {
    send(method, path, body);
    return answer();
  }

 private:
  bool read_more() {
    char bytes[16384];
    const auto count = recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  bool take(std::size_t count, std::string& into) {
    while (buffer_.size() < count) {
      if (!read_more()) return false;
    }
    into += buffer_.substr(0, count);
    buffer_.erase(0, count);
    return true;
  }
  std::string take_until(std::string_view mark) {
    while (buffer_.find(mark) == std::string::npos) {
      if (!read_more()) return {};
    }
    std::string taken;
    take(buffer_.find(mark) + mark.size(), taken);
    return taken;
  }
  void take_chunks(Answer& answer) {
    for (;;) {
      const std::string size = take_until("\r\n");
      if (size.empty()) return;
      const std::size_t length = std::stoul(size, nullptr, 16);
      std::string end;
      if (!take(length, answer.body) || !take(2, end)) return;
      answer.whole = length == 0;
      if (answer.whole) return;
    }
  }

  int socket_;
  std::string buffer_;
};

class RunningServer {
 public:
  explicit RunningServer(const SimulatorOptions& options) {
    auto created = SimulatorServer::create(options);
    EXPECT_TRUE(created.has_value());
    server_ = *std::move(created);
    thread_ = std::thread([this] { EXPECT_TRUE(server_->run().has_value()); });
  }
  ~RunningServer() {
    server_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  std::unique_ptr<SimulatorServer> server_;
  std::thread thread_;
};

/// A hundred times faster than the default, so that tests are short.
SimulatorOptions fast_options() {
  SimulatorOptions options;
  options.engine.step_overhead = Seconds(1e-5);
  options.engine.weights_pass = Seconds(5e-5);
  options.engine.per_decode_token = Seconds(1e-6);
  options.engine.per_context_token = Seconds(0);
  options.engine.per_prefill_token = Seconds(1e-7);
  return options;
}

std::string stream_body(int tokens) {
  return fmt::format(R"({{"prompt":[1,2,3,4,5],"max_tokens":{},"ignore_eos":true,"stream":true,)"
                     R"("stream_options":{{"include_usage":true}}}})",
                     tokens);
}

double unix_now() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

struct TruthAnswer {
  std::optional<double> joules;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> prompt_tokens;
};

TruthAnswer truth(Client& client, double from, double to) {
  const Answer answer = client.ask("GET", fmt::format("/truth?from={:.6f}&to={:.6f}", from, to));
  EXPECT_EQ(answer.status, 200) << answer.body;
  const auto json = JsonDocument::parse(answer.body);
  return {json->root()["joules"]["total"].number(), json->root()["output_tokens"].integer(),
          json->root()["prompt_tokens"].integer()};
}

double metric(Client& client, std::string_view name) {
  const auto page = prometheus_page(client.ask("GET", "/metrics").body, "");
  const auto samples = page->samples_named(name);
  return samples.empty() ? -1 : samples[0]->value;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

TEST(SimulatorServer, StreamsAllTokensWithUsageAndCountsThem) {
  const RunningServer server(fast_options());
  Client client(server.port());
  const double from = unix_now();
  const Answer answer = client.ask("POST", "/v1/completions", stream_body(50));
  const double to = unix_now();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(count_of(answer.body, "\"text\":"), 50U);
  EXPECT_EQ(count_of(answer.body, "\"prompt_tokens\":5,\"total_tokens\":55"), 1U);
  EXPECT_TRUE(ends_with(answer.body, "data: [DONE]\n\n"));
  const TruthAnswer true_one = truth(client, from, to);
  EXPECT_EQ(true_one.output_tokens, 50);
  EXPECT_EQ(true_one.prompt_tokens, 5);
  EXPECT_GT(*true_one.joules, 80 * 0.97 * (to - from) - 0.01);  // never below idle
  EXPECT_EQ(metric(client, "vllm:generation_tokens_total"), 50);
  EXPECT_EQ(metric(client, "vllm:prompt_tokens_total"), 5);
  EXPECT_EQ(metric(client, "vllm:num_requests_running"), 0);
}

TEST(SimulatorServer, ServesManyStreamsAtOnceAndLosesNoToken) {
  const RunningServer server(fast_options());
  std::vector<std::unique_ptr<Client>> clients;
  const double from = unix_now();
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send("POST", "/v1/completions", stream_body(100));
  }
  for (const auto& client : clients) {
    const Answer answer = client->answer();
    EXPECT_TRUE(answer.whole);
    EXPECT_EQ(count_of(answer.body, "\"text\":"), 100U);
  }
  EXPECT_EQ(truth(*clients[0], from, unix_now()).output_tokens, 4000);
}

TEST(SimulatorServer, AnswersWholeBodiesAndKeepsTheConnection) {
  const RunningServer server(fast_options());
  Client client(server.port());
  const char* body =
      R"({"messages":[{"role":"user","content":"hell"}],"max_tokens":3,"ignore_eos":true})";
  for (int i = 0; i < 3; ++i) {
    const Answer answer = client.ask("POST", "/v1/chat/completions", body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("\"completion_tokens\":3"), std::string::npos) << answer.body;
  }
  EXPECT_EQ(metric(client, "vllm:generation_tokens_total"), 9);
}

TEST(SimulatorServer, AnswersRequestsThatCameBeforeTheLastOneWasAnswered) {
  const RunningServer server(fast_options());
  Client client(server.port());
  client.send("POST", "/v1/completions", stream_body(20));
  client.send("GET", "/health");
  EXPECT_EQ(count_of(client.answer().body, "\"text\":"), 20U);
  EXPECT_EQ(client.answer().status, 200);
}

TEST(SimulatorServer, ADisconnectEndsTheRequest) {
  SimulatorOptions options = fast_options();
  options.engine.weights_pass = Seconds(0.002);
  const RunningServer server(options);
  {
    Client leaving(server.port());
    leaving.send("POST", "/v1/completions", stream_body(30'000));  // a minute
    ASSERT_TRUE(leaving.wait_for_bytes());
  }
  Client client(server.port());
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (metric(client, "vllm:num_requests_running") > 0 &&
         std::chrono::steady_clock::now() < give_up) {
  }
  EXPECT_EQ(metric(client, "vllm:num_requests_running"), 0);
}

TEST(SimulatorServer, SaysThatItIsSimulatedAndWhatItServes) {
  const RunningServer server(fast_options());
  Client client(server.port());
  EXPECT_NE(client.ask("GET", "/version").body.find("\"simulated\":true"), std::string::npos);
  EXPECT_NE(client.ask("GET", "/v1/models").body.find("\"id\":\"simulated-model\""),
            std::string::npos);
  EXPECT_NE(client.ask("GET", "/dcgm/metrics").body.find("UUID=\"GPU-51d0"), std::string::npos);
  EXPECT_NE(client.ask("POST", "/tokenize", R"({"prompt":"hello world"})").body.find("\"count\":4"),
            std::string::npos);
}

TEST(SimulatorServer, RefusesInTheWaysOfTheApi) {
  const RunningServer server(fast_options());
  Client client(server.port());
  EXPECT_EQ(client.ask("GET", "/nowhere").status, 404);
  EXPECT_EQ(client.ask("POST", "/version").status, 405);
  EXPECT_EQ(client.ask("POST", "/v1/completions", "{").status, 400);
  EXPECT_EQ(client.ask("POST", "/v1/completions", R"({"model":"x","prompt":"y"})").status, 404);
  EXPECT_EQ(client.ask("GET", "/truth").status, 400);
  EXPECT_EQ(client.ask("GET", "/truth?from=1&to=2").status, 400);  // before the start
}

TEST(SimulatorServer, HasTheFaultsOfAServer) {
  SimulatorOptions options = fast_options();
  options.faults.http_429_every = 2;
  options.faults.error_in_stream_every = 3;
  options.faults.disconnect_every = 5;
  const RunningServer server(options);
  const auto ask = [&] {
    return Client(server.port()).ask("POST", "/v1/completions", stream_body(20));
  };
  EXPECT_EQ(count_of(ask().body, "\"text\":"), 20U);
  EXPECT_EQ(ask().status, 429);
  const Answer broken = ask();
  EXPECT_EQ(count_of(broken.body, "\"text\":"), 10U);
  EXPECT_EQ(count_of(broken.body, "\"error\":"), 1U);
  EXPECT_EQ(ask().status, 429);
  EXPECT_FALSE(ask().whole);
}

TEST(SimulatorServer, HasTheFaultsOfAPage) {
  SimulatorOptions options = fast_options();
  options.faults.exporter_down_at = Seconds(0);
  const RunningServer down(options);
  EXPECT_EQ(Client(down.port()).ask("GET", "/dcgm/metrics").status, 503);
  options.faults = {};
  options.faults.slow_page = milliseconds(30);
  const RunningServer slow(options);
  const double before = unix_now();
  EXPECT_EQ(Client(slow.port()).ask("GET", "/dcgm/metrics").status, 200);
  EXPECT_GE(unix_now() - before, 0.03);
  options.faults = {};
  options.faults.unauthorized = true;
  const RunningServer locked(options);
  EXPECT_EQ(Client(locked.port()).ask("GET", "/v1/models").status, 401);
}

TEST(SimulatorServer, WritesItsPortAndHowToMeasureIt) {
  const std::string path = testing::TempDir() + "/simulator-port";
  SimulatorOptions options;
  options.port_file = path;
  const auto server = SimulatorServer::create(options);
  ASSERT_TRUE(server.has_value()) << server.error().message;
  const std::string port = std::to_string((*server)->port());
  EXPECT_EQ(*file_bytes(path), port + "\n");
  const std::string url = "http://127.0.0.1:" + port;
  EXPECT_NE(
      (*server)->start_message().find("tokenjoule measure --url " + url +
                                      " --sensor dcgm:url=" + url + "/dcgm/metrics --all-gpus"),
      std::string::npos);
}

TEST(SimulatorServer, APortInUseIsAnErrorWithAHint) {
  const auto first = SimulatorServer::create({});
  SimulatorOptions options;
  options.port = (*first)->port();
  const auto second = SimulatorServer::create(options);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::missing);
  EXPECT_NE(second.error().hint.find("--port 0"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
