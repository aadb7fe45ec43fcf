#include "io/http_client.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include <fmt/core.h>
#include <openssl/evp.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/text.hpp"
#include "base/url.hpp"

namespace tokenjoule {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Deadline = std::chrono::steady_clock::time_point;
using Endpoints = std::vector<tcp::endpoint>;
using Request = http::request<http::string_body>;
using TlsStream = asio::ssl::stream<beast::tcp_stream>;

tl::unexpected<Error> no_answer(const Url& url, std::string_view why, std::string hint) {
  return failure(ErrorKind::missing, fmt::format("{}: {}", url.text(), why), std::move(hint));
}

tl::unexpected<Error> failed(const Url& url, const error_code& error) {
  namespace errc = boost::system::errc;
  if (error == errc::connection_refused) {
    return no_answer(url, "connection refused",
                     "start what should listen there, or check host and port");
  }
  if (error == beast::error::timeout || error == errc::timed_out) {
    return no_answer(url, "no answer in time",
                     "check that it is not overloaded, or allow more time");
  }
  if (error == http::error::body_limit || error == http::error::buffer_overflow ||
      error == http::error::header_limit) {
    return no_answer(url, "the answer is too long", "check that the URL is the one meant");
  }
  if (error == asio::ssl::error::stream_truncated || error == http::error::end_of_stream ||
      error == http::error::partial_message || error == errc::connection_reset ||
      error == errc::broken_pipe || error == asio::error::eof) {
    return no_answer(url, "the connection was closed before the answer was complete",
                     "see the log of the server");
  }
  if (error.category() == make_error_code(http::error::bad_version).category()) {
    return no_answer(url, "what answered does not speak HTTP",
                     "check the port, and whether it is https that is spoken there");
  }
  if (error == errc::network_unreachable || error == errc::host_unreachable) {
    return no_answer(url, "the host cannot be reached", "check the network and the host's address");
  }
  return no_answer(url, error.message(), "check the URL and the network");
}

bool has_passed(Deadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

/// Name look-up that keeps the deadline: getaddrinfo cannot be called off, so that it runs on a
/// thread that is left behind when it takes too long. The promise is shared, since either may end
/// first.
Result<Endpoints> endpoints_of(const Url& url, Deadline deadline) {
  error_code error;
  const auto address = asio::ip::make_address(url.host, error);
  if (!error) return Endpoints{{address, url.port}};
  const auto answer = std::make_shared<std::promise<std::pair<error_code, Endpoints>>>();
  auto future = answer->get_future();
  std::thread([answer, host = url.host, port = url.port] {
    asio::io_context context;
    error_code code;
    Endpoints found;
    for (const auto& entry : tcp::resolver(context).resolve(host, std::to_string(port), code)) {
      found.push_back(entry.endpoint());
    }
    answer->set_value({code, std::move(found)});
  }).detach();
  if (future.wait_until(deadline) != std::future_status::ready) {
    return no_answer(url, "the host name could not be looked up in time", "check the name service");
  }
  auto [code, found] = future.get();
  if (!code && !found.empty()) return found;
  return no_answer(url, fmt::format("there is no host named {}", quoted(url.host)),
                   "check the host's name");
}

std::string without_percent_signs(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      plain += static_cast<char>(byte);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string basic_authorization(std::string_view user_info) {
  const std::string plain = without_percent_signs(user_info);
  std::string encoded((plain.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                     reinterpret_cast<const unsigned char*>(plain.data()),
                                     static_cast<int>(plain.size()));
  encoded.resize(static_cast<std::size_t>(length));
  return "Basic " + encoded;
}

bool fits_a_header(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

Result<Request> request_for(http::verb verb, const Url& url, std::string_view body,
                            const HttpHeaders& headers) {
  Request request(verb, url.path.empty() ? "/" : url.path, 11);
  request.set(http::field::host, url.authority());
  request.set(http::field::user_agent, "tokenjoule");
  // No Accept-Encoding: a compressed page would have to be unpacked, and buys nothing here.
  request.set(http::field::accept,
              verb == http::verb::get ? "text/plain; version=0.0.4, */*" : "*/*");
  if (!url.user_info.empty()) {
    request.set(http::field::authorization, basic_authorization(url.user_info));
  }
  if (verb == http::verb::post) request.set(http::field::content_type, "application/json");
  for (const auto& [name, value] : headers) {
    if (name.empty() || !fits_a_header(name) || !fits_a_header(value)) {
      return failure(ErrorKind::usage, "a header holds a line end",
                     "write it as NAME: VALUE, on one line");
    }
    request.set(name, value);
  }
  request.body() = body;
  request.prepare_payload();
  return request;
}

bool begins_http(const beast::flat_buffer& buffer) {
  const std::string_view first(static_cast<const char*>(buffer.data().data()), buffer.size());
  return starts_with(first, std::string_view("HTTP/").substr(0, first.size()));
}

}  // namespace

struct HttpClient::Implementation {
  explicit Implementation(HttpOptions given) : options(std::move(given)) {}

  HttpOptions options;
  asio::io_context context{1};
  std::optional<TlsContext> tls;
  std::optional<asio::ssl::context> tls_of_asio;  ///< the same, as Asio wants it
  std::optional<beast::tcp_stream> plain;         ///< kept open between calls: this or `secure`
  std::optional<TlsStream> secure;
  std::string connected_to;                                    ///< base_of() the kept connection
  std::optional<std::pair<std::string, Endpoints>> looked_up;  ///< the last host's addresses

  static std::string base_of(const Url& url) { return url.scheme + "://" + url.authority(); }

  beast::tcp_stream& lowest() { return secure ? secure->next_layer() : *plain; }

  /// Starts one asynchronous operation and runs it to its end, which the stream's expiry bounds.
  template <typename Start>
  error_code finished(Start start) {
    error_code result;
    start([&result](const error_code& error, const auto&...) { result = error; });
    context.restart();
    context.run();
    return result;
  }

  void close() {
    plain.reset();
    secure.reset();
    connected_to.clear();
  }

  /// The stream of the URL's scheme, not yet connected.
  Status make_stream(const Url& url) {
    if (url.scheme != "https") {
      plain.emplace(context);
      return {};
    }
    if (!tls) {
      TRY(tls, TlsContext::create(options.tls));
      SSL_CTX_up_ref(tls->native());
      tls_of_asio.emplace(tls->native());  // which takes one reference
    }
    secure.emplace(beast::tcp_stream(context), *tls_of_asio);
    tls->prepare(secure->native_handle(), url.host);
    return {};
  }

  Status shake_hands(const Url& url, Deadline deadline) {
    const error_code error = finished([&](auto done) {
      secure->async_handshake(asio::ssl::stream_base::client, std::move(done));
    });
    if (!error) return {};
    const bool of_openssl = error.category() == asio::error::get_ssl_category();
    Error why = tls_error(secure->native_handle(), url.host,
                          of_openssl ? static_cast<unsigned long>(error.value()) : 0UL);
    close();
    if (has_passed(deadline)) return failed(url, beast::error::timeout);
    if (!of_openssl) {
      return no_answer(url, "the connection was closed during the TLS handshake",
                       "check the port, and whether it is https that is spoken there");
    }
    return unexpected(std::move(why).in(url.text()));
  }

  Status connect(const Url& url, Deadline deadline) {
    if (!looked_up || looked_up->first != url.authority()) {
      TRY(Endpoints found, endpoints_of(url, deadline));
      looked_up = {url.authority(), std::move(found)};
    }
    TRY_DO(make_stream(url));
    lowest().expires_at(deadline);
    const error_code error =
        finished([&](auto done) { lowest().async_connect(looked_up->second, std::move(done)); });
    if (error) {
      close();
      looked_up.reset();
      return has_passed(deadline) ? failed(url, beast::error::timeout) : failed(url, error);
    }
    error_code ignored;
    lowest().socket().set_option(tcp::no_delay(true), ignored);
    if (secure) TRY_DO(shake_hands(url, deadline));
    connected_to = base_of(url);
    return {};
  }

  struct Exchange {
    error_code error;
    bool silent = false;  ///< not one byte of an answer came
    HttpReply reply;
  };

  template <typename Stream>
  Exchange exchange_over(Stream& stream, const Request& request) {
    Exchange result;
    result.silent = true;
    result.error =
        finished([&](auto done) { http::async_write(stream, request, std::move(done)); });
    if (result.error) return result;
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(options.body_limit);
    result.error =
        finished([&](auto done) { http::async_read(stream, buffer, parser, std::move(done)); });
    result.silent = !parser.got_some() && buffer.size() == 0;
    if (result.error && buffer.size() > 0 && !parser.is_header_done() && !begins_http(buffer)) {
      result.error = http::error::bad_version;
    }
    if (result.error) return result;
    if (!parser.keep_alive()) close();
    auto& answer = parser.get();
    result.reply = {.status = static_cast<int>(answer.result_int()),
                    .content_type = std::string(answer[http::field::content_type]),
                    .location = std::string(answer[http::field::location]),
                    .auth_token = std::string(answer["X-Auth-Token"]),
                    .retry_after = std::string(answer[http::field::retry_after]),
                    .body = std::move(answer.body())};
    return result;
  }

  Exchange exchange(const Request& request, Deadline deadline) {
    lowest().expires_at(deadline);
    return secure ? exchange_over(*secure, request) : exchange_over(*plain, request);
  }

  Result<HttpReply> answer_to(const Url& url, const Request& request) {
    const Deadline deadline = std::chrono::steady_clock::now() +
                              std::chrono::nanoseconds(to_nanoseconds(options.timeout).count);
    // A request that changes something is never repeated, so that it gets a connection of its own.
    if (connected_to != base_of(url) || request.method() != http::verb::get) close();
    const bool reused = !connected_to.empty();
    if (!reused) TRY_DO(connect(url, deadline));
    Exchange result = exchange(request, deadline);
    if (result.error && result.silent && reused && result.error != beast::error::timeout) {
      TRY_DO(connect(url, deadline));  // the server had closed the kept connection meanwhile
      result = exchange(request, deadline);
    }
    if (!result.error) return std::move(result.reply);
    close();
    return failed(url, result.error);
  }

  Result<HttpReply> answer(http::verb verb, const Url& url, std::string_view body) {
    TRY(const Request request, request_for(verb, url, body, options.headers));
    try {
      return answer_to(url, request);
    } catch (const std::exception& fault) {  // out of descriptors or memory
      close();
      return no_answer(url, fault.what(), "close other programs, or raise the limit of open files");
    }
  }
};

namespace {

bool leads_elsewhere(const HttpReply& reply) {
  return reply.status >= 300 && reply.status < 400 && !reply.location.empty();
}

}  // namespace

std::string status_words(const HttpReply& reply) {
  if (!leads_elsewhere(reply)) return fmt::format("answers with status {}", reply.status);
  return fmt::format("sends on to \"{}\" (status {}), which is not followed",
                     shown_location(reply.location), reply.status);
}

std::string status_hint(const HttpReply& reply, std::string_view otherwise) {
  return std::string(leads_elsewhere(reply) ? "give the URL that it leads to" : otherwise);
}

HttpClient::HttpClient(HttpOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpReply> HttpClient::get(const Url& url) {
  return implementation_->answer(http::verb::get, url, {});
}
Result<HttpReply> HttpClient::post_json(const Url& url, std::string_view body) {
  return implementation_->answer(http::verb::post, url, body);
}
Result<HttpReply> HttpClient::remove(const Url& url) {
  return implementation_->answer(http::verb::delete_, url, {});
}
void HttpClient::set_header(const std::string& name, const std::string& value) {
  HttpHeaders& headers = implementation_->options.headers;
  std::erase_if(headers, [&](const auto& header) { return header.first == name; });
  if (!value.empty()) headers.emplace_back(name, value);
}

}  // namespace tokenjoule
