#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/dialect.hpp"

namespace tokenjoule {

/// What an engine takes beyond the fields that all of them take.
struct RequestFields {
  std::string_view chat_limit = "max_tokens";  ///< its name for the output limit of a chat
  bool ignore_eos = false;
  /// Its names for the least number of tokens; "" where it takes none.
  std::string_view min_tokens = "";
  std::string_view chat_min_tokens = "";
  bool usage_option = true;  ///< stream_options.include_usage; else it never or always sends usage
  bool return_token_ids = false;  ///< return_token_ids: the ids of each event's tokens
  std::vector<std::pair<std::string, bool>> switches =
      {};  ///< sent with every request, as written here
};

/// The JSON body of a streaming request. Bytes of the text that are no UTF-8 become U+FFFD.
std::string request_body_with(const RequestFields& fields, const RequestSpec& spec);

}  // namespace tokenjoule
