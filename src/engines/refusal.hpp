#pragma once

#include <string>
#include <string_view>

namespace tokenjoule {

/// Why a server did not do what it was asked, as a class to count by and what it said.
/// Classes: redirected, unauthorized, forbidden, rate_limited, unavailable, server_timeout,
/// context_too_long, model_not_found, token_ids_refused, not_found, too_large, bad_request,
/// server_error; http_<status> for what is none of these.
struct Refusal {
  std::string kind;
  std::string message;  ///< one line, at most 200 bytes; "" if it said nothing
};

/// @param status of the answer, outside 200..299.
/// @param body   as far as it was read; it may be cut, or be no JSON at all.
Refusal refusal_of(int status, std::string_view body);

/// The text with whatever looks like a key of an API (a word of 12 letters or more from "sk-" on,
/// as OpenAI's and those made after them) as "sk-***": servers repeat keys, not only ours.
std::string without_keys(std::string_view text);

/// What the body of a refusal says, in the form of any engine: {"error": {"message"}}, {"error"},
/// {"message"}, {"detail"}, {"detail": [{"loc", "msg"}]}; else its start. One line, at most 200
/// bytes, without the request that some servers repeat in it: a prompt is nobody's business.
std::string refusal_message(std::string_view body);

}  // namespace tokenjoule
