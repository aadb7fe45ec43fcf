#include "sim/http_message.hpp"

#include <fmt/core.h>

namespace tokenjoule {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Payload Too Large";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Answer";
  }
}

std::string head(int status, std::string_view content_type, bool keep_alive) {
  return fmt::format("HTTP/1.1 {} {}\r\nserver: tokenjoule-simulate\r\ncontent-type: {}\r\n{}",
                     status, reason_of(status), content_type,
                     keep_alive ? "" : "connection: close\r\n");
}

}  // namespace

std::string http_text(const HttpAnswer& answer, bool keep_alive) {
  return head(answer.status, answer.content_type, keep_alive) +
         fmt::format("content-length: {}\r\n\r\n", answer.body.size()) + answer.body;
}

std::string stream_head(bool keep_alive) {
  return head(200, "text/event-stream; charset=utf-8", keep_alive) +
         "transfer-encoding: chunked\r\n\r\n";
}

}  // namespace tokenjoule
