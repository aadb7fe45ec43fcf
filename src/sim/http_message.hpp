#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace tokenjoule {

/// A request as the server read it.
struct HttpQuestion {
  std::string method;
  std::string path;   ///< without the query
  std::string query;  ///< behind '?', "" if none
  std::string body;
  bool keep_alive = true;
  bool takes_chunks = true;  ///< HTTP/1.1
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  Nanoseconds delay;  ///< sent this much later
};

/// The bytes of an answer with a known body.
std::string http_text(const HttpAnswer& answer, bool keep_alive);
/// The head of a stream of server-sent events in HTTP chunks.
std::string stream_head(bool keep_alive);

}  // namespace tokenjoule
