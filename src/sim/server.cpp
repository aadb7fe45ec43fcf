#include "sim/server.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "io/clock.hpp"
#include "io/file.hpp"
#include "io/tls_server.hpp"
#include "io/tls_session.hpp"
#include "sim/nvml_publisher.hpp"
#include "sim/simulator_service.hpp"

namespace tokenjoule {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto kAsValues = asio::as_tuple(asio::use_awaitable);
/// Prompts of a million tokens fit.
constexpr std::size_t kLongestBody = std::size_t{32} << 20U;

/// One client. Shared by its coroutine and by the callbacks of the answer under way, of which
/// either may be the last to need it.
struct Connection : std::enable_shared_from_this<Connection> {
  /// @param context for https; nullptr: http.
  Connection(tcp::socket accepted, const TlsContext* context)
      : socket(std::move(accepted)),
        ended(socket.get_executor()),
        tls(context != nullptr ? std::make_unique<TlsSession>(*context, "") : nullptr),
        outbox(socket.native_handle(), tls.get(), [this] { wait_until_writable(); }) {}

  void wait_until_writable() {
    socket.async_wait(tcp::socket::wait_write,
                      [self = shared_from_this()](boost::system::error_code error) {
                        if (!error) self->outbox.flush();
                      });
  }

  /// What has come on the socket, onto the end of `buffer`. False: nothing more will come.
  bool take_received();
  bool take_encrypted(std::string_view received);

  tcp::socket socket;
  asio::steady_timer ended;  ///< cancelled at the end of an answer
  std::unique_ptr<TlsSession> tls;
  bool hands_shaken = false;
  Outbox outbox;
  boost::beast::flat_buffer buffer;  ///< received, not yet part of a request
  bool answering = false;
  bool said_goodbye = false;  ///< the client: by TLS
};

bool Connection::take_received() {
  if (said_goodbye) return false;
  std::array<char, 16384> bytes;
  const auto count = ::recv(socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  const std::string_view received(bytes.data(), static_cast<std::size_t>(count));
  if (tls) return take_encrypted(received);
  const auto room = buffer.prepare(received.size());
  buffer.commit(asio::buffer_copy(room, asio::buffer(received)));
  return true;
}

bool Connection::take_encrypted(std::string_view received) {
  if (!hands_shaken) {
    const auto done = tls->shake_hands(received);
    outbox.send_tls_outgoing();
    if (!done || !*done) return done.has_value();
    hands_shaken = true;
    received = {};  // a request that came along is kept by the session
  }
  const auto room = buffer.prepare(received.size() + TlsSession::kMostKept);
  const auto plain = tls->read(received, {static_cast<char*>(room.data()), room.size()});
  buffer.commit(plain.count);
  outbox.send_tls_outgoing();
  said_goodbye = plain.closed;
  return !plain.failure && (!plain.closed || plain.count > 0);
}

HttpQuestion question_of(http::request<http::string_body> request) {
  HttpQuestion question;
  question.method = std::string(request.method_string());
  const std::string target(request.target());
  const auto mark = target.find('?');
  question.path = target.substr(0, mark);
  if (mark != std::string::npos) question.query = target.substr(mark + 1);
  question.keep_alive = request.keep_alive();
  question.takes_chunks = request.version() >= 11;
  question.body = std::move(request.body());
  return question;
}

/// Waits for something to come. False: nothing more will.
asio::awaitable<bool> receive(std::shared_ptr<Connection> connection) {
  const auto [error] = co_await connection->socket.async_wait(tcp::socket::wait_read, kAsValues);
  co_return !error && connection->take_received();
}

/// Nothing: the connection ended, or what came is no HTTP.
asio::awaitable<std::optional<HttpQuestion>> next_question(std::shared_ptr<Connection> connection) {
  http::request_parser<http::string_body> parser;
  parser.body_limit(kLongestBody);
  parser.eager(true);
  for (;;) {
    std::size_t used = 0;
    if (connection->buffer.size() > 0) {
      boost::system::error_code error;
      used = parser.put(connection->buffer.data(), error);
      connection->buffer.consume(used);
      if (error && error != http::error::need_more) co_return std::nullopt;
      if (parser.is_done()) co_return question_of(parser.release());
    }
    if (used > 0 && connection->buffer.size() > 0) continue;
    const bool more = co_await receive(connection);
    if (!more) co_return std::nullopt;
  }
}

/// Whoever waits for the file finds all of it or no file.
Status replace_file(const std::filesystem::path& path, std::string_view bytes,
                    std::string_view option) {
  std::filesystem::path unfinished = path;
  unfinished += ".new";
  std::error_code error;
  std::filesystem::remove(unfinished, error);
  TRY_DO(write_new_file(unfinished, bytes));
  std::filesystem::rename(unfinished, path, error);
  if (!error) return {};
  return failure(ErrorKind::missing,
                 fmt::format("cannot write {}: {}", path.string(), error.message()),
                 fmt::format("choose another place for {}", option));
}

void reset_connection(Connection& connection) {
  boost::system::error_code ignored;
  connection.socket.set_option(asio::socket_base::linger(true, 0), ignored);
  connection.socket.close(ignored);
}

}  // namespace

struct SimulatorServer::Implementation {
  explicit Implementation(const SimulatorOptions& given) : options(given), service(given, clock) {}

  Status take_tls();
  Status listen();
  void arm();
  void run_steps();
  void end_answer(Connection& connection, bool keep_alive, AnswerEnd how);
  Status show_gpus();
  void publish_gpus();
  asio::awaitable<void> accept_connections();
  asio::awaitable<void> serve(std::shared_ptr<Connection> connection);
  asio::awaitable<bool> answer(std::shared_ptr<Connection> connection, HttpQuestion question);
  asio::awaitable<bool> answer_under_way(std::shared_ptr<Connection> connection, std::uint64_t id);

  SimulatorOptions options;
  SystemClock clock;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  std::optional<TlsContext> tls;
  asio::steady_timer step_timer{context};
  asio::steady_timer publish_timer{context};
  std::optional<NvmlPublisher> publisher;
  std::optional<MonoTime> armed_for;
  SimulatorService service;  ///< last: its answers under way hold connections of the context
};

Status SimulatorServer::Implementation::listen() {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.host, error);
  if (error)
    return failure(ErrorKind::usage, fmt::format("\"{}\" is not an address", options.host),
                   "write --host 127.0.0.1, or 0.0.0.0 for all addresses of this machine");
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return {};
  return failure(
      ErrorKind::missing,
      fmt::format("cannot listen on {} port {}: {}", options.host, options.port, error.message()),
      "choose another --port; --port 0 takes a free one");
}

Status SimulatorServer::Implementation::take_tls() {
  if (!options.tls_certificate.empty()) {
    TRY(tls, server_context(options.tls_certificate, options.tls_key));
  }
  if (options.tls_made.empty()) return {};
  TRY(const MadeCertificate made,
      make_certificate_for({options.host, "127.0.0.1", "::1", "localhost"}));
  TRY_DO(replace_file(options.tls_made, made.pem, "--tls"));
  tls = made.context;
  return {};
}

Status SimulatorServer::Implementation::show_gpus() {
  if (options.nvml_state.empty()) return {};
  const Simulation& simulation = service.generation().simulation();
  TRY(publisher, NvmlPublisher::create(options.nvml_state, simulation, clock.now()));
  publish_gpus();
  return {};
}

void SimulatorServer::Implementation::publish_gpus() {
  publisher->publish(service.generation().simulation(), clock.now());
  publish_timer.expires_after(std::chrono::nanoseconds(kNvmlPublishPeriod.count));
  publish_timer.async_wait([this](boost::system::error_code error) {
    if (!error) publish_gpus();
  });
}

/// Sets the timer to the end of the step under way.
void SimulatorServer::Implementation::arm() {
  const auto due = service.generation().next_step_end();
  if (!due || due == armed_for) return;
  armed_for = due;
  const std::chrono::nanoseconds at(clock.origin_ns() + due->ns);
  step_timer.expires_at(std::chrono::steady_clock::time_point(at));
  step_timer.async_wait([this](boost::system::error_code error) {
    if (!error) run_steps();
  });
}

void SimulatorServer::Implementation::run_steps() {
  armed_for.reset();
  service.run_due_steps();
  arm();
}

void SimulatorServer::Implementation::end_answer(Connection& connection, bool keep_alive,
                                                 AnswerEnd how) {
  connection.answering = false;
  connection.ended.cancel();
  if (how == AnswerEnd::reset) {
    reset_connection(connection);
  } else if (!keep_alive) {
    connection.outbox.close_when_sent();
  }
}

asio::awaitable<void> SimulatorServer::Implementation::accept_connections() {
  for (;;) {
    auto [error, socket] = co_await acceptor.async_accept(kAsValues);
    if (error == asio::error::operation_aborted) co_return;
    if (error) {  // out of descriptors: some will be free soon
      asio::steady_timer pause(context, std::chrono::milliseconds(50));
      co_await pause.async_wait(kAsValues);
      continue;
    }
    socket.set_option(tcp::no_delay(true), error);
    auto connection = std::make_shared<Connection>(std::move(socket), tls ? &*tls : nullptr);
    asio::co_spawn(context, serve(std::move(connection)), asio::detached);
  }
}

asio::awaitable<void> SimulatorServer::Implementation::serve(
    std::shared_ptr<Connection> connection) {
  for (;;) {
    auto question = co_await next_question(connection);
    if (!question) co_return;
    const bool goes_on = co_await answer(connection, *std::move(question));
    if (!goes_on) co_return;
  }
}

/// False when the connection is over.
asio::awaitable<bool> SimulatorServer::Implementation::answer(
    std::shared_ptr<Connection> connection, HttpQuestion question) {
  const bool keep_alive = question.keep_alive;
  connection->answering = true;
  const auto taken = service.take(
      question, connection->outbox,
      [this, connection, keep_alive](AnswerEnd how) { end_answer(*connection, keep_alive, how); });
  arm();
  if (const auto* id = std::get_if<std::uint64_t>(&taken)) {
    const bool goes_on = co_await answer_under_way(connection, *id);
    co_return goes_on;
  }
  const auto& whole = std::get<HttpAnswer>(taken);
  if (whole.delay > Nanoseconds{}) {
    asio::steady_timer delay(context, std::chrono::nanoseconds(whole.delay.count));
    co_await delay.async_wait(kAsValues);
  }
  connection->outbox.send(http_text(whole, keep_alive));
  end_answer(*connection, keep_alive, AnswerEnd::sent);
  co_return !connection->outbox.broken();
}

/// Watches for the client's going away while the engine's steps write the answer.
asio::awaitable<bool> SimulatorServer::Implementation::answer_under_way(
    std::shared_ptr<Connection> connection, std::uint64_t id) {
  if (connection->buffer.size() == 0) {
    const bool more = co_await receive(connection);
    if (!connection->answering) co_return more;
    if (!more) {
      service.generation().abandon(id);
      co_return false;
    }
  }
  // The next request is here already: it waits for the end of this answer.
  connection->ended.expires_at(std::chrono::steady_clock::time_point::max());
  co_await connection->ended.async_wait(kAsValues);
  co_return connection->socket.is_open();
}

SimulatorServer::SimulatorServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
SimulatorServer::~SimulatorServer() = default;

Result<std::unique_ptr<SimulatorServer>> SimulatorServer::create(const SimulatorOptions& options) {
  TRY_DO(check_options(options));
  auto implementation = std::make_unique<Implementation>(options);
  TRY_DO(implementation->listen());
  TRY_DO(implementation->take_tls());
  TRY_DO(implementation->show_gpus());
  std::unique_ptr<SimulatorServer> server(new SimulatorServer(std::move(implementation)));
  if (!options.port_file.empty())
    TRY_DO(replace_file(options.port_file, fmt::format("{}\n", server->port()), "--port-file"));
  return server;
}

std::uint16_t SimulatorServer::port() const {
  boost::system::error_code ignored;
  return implementation_->acceptor.local_endpoint(ignored).port();
}

std::string SimulatorServer::start_message() const {
  const SimulatorOptions& options = implementation_->options;
  const bool all = options.host == "0.0.0.0" || options.host == "::";
  const std::string host = all ? "127.0.0.1" : options.host;
  const bool ipv6 = host.find(':') != std::string::npos;
  const std::string url = fmt::format("{}://{}{}{}:{}", implementation_->tls ? "https" : "http",
                                      ipv6 ? "[" : "", host, ipv6 ? "]" : "", port());
  std::string gpus = "--all-gpus";
  if (options.gpu.idle_gpus > 0) {
    gpus = "--gpus 0";
    for (int gpu = 1; gpu < options.gpu.engine_gpus; ++gpu) gpus += fmt::format(",{}", gpu);
  }
  const std::string trust =
      options.tls_made.empty() ? "" : fmt::format(" --cacert {}", options.tls_made);
  return fmt::format(
      "simulated engine and GPUs (no real energy) at {0}\n"
      "measure it:   tokenjoule measure --url {0} --sensor dcgm:url={0}/dcgm/metrics {1}{2}\n"
      "what is true: curl{2} '{0}/truth?from=UNIX_S&to=UNIX_S'\n{3}",
      url, gpus, trust,
      options.tls_certificate.empty() ? ""
                                      : "its certificate:  --cacert FILE with the one that signed "
                                        "it, if not trusted already\n");
}

Status SimulatorServer::run() {
  try {
    Implementation& server = *implementation_;
    asio::co_spawn(server.context, server.accept_connections(), asio::detached);
    server.context.run();
    return {};
  } catch (const std::exception& error) {
    return failure(ErrorKind::internal,
                   fmt::format("the simulator's loop failed: {}", error.what()));
  }
}

void SimulatorServer::stop() { implementation_->context.stop(); }

}  // namespace tokenjoule
