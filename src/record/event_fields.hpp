#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

namespace tokenjoule {

// How the fields of an event are read from its line: what is missing or cannot be is an error of
// kind `missing` with the path of the field.

/// "samples[3].end_ns lies before begin_ns".
tl::unexpected<Error> bad_field(const JsonView& view, std::string_view why);

std::string text_or_empty(const JsonView& view);
/// A time of a run; nullopt if it is absent or cannot be one.
std::optional<MonoTime> instant(const JsonView& view);
std::optional<Seconds> seconds_in(const JsonView& view);

/// Errors if one of the fields is there and below 0, or not above 0.
Status no_negative(const JsonView& json, std::initializer_list<const char*> fields);
Status positive(const JsonView& json, std::initializer_list<const char*> fields);

Result<MonoTime> need_instant(const JsonView& view);
/// `begin_ns` and `end_ns`, in this order.
Result<TimeSpan> need_span(const JsonView& json);

/// A word of a list of ours, as `named` knows it.
template <typename Enum>
Result<Enum> need_word(const JsonView& view, std::optional<Enum> (*named)(std::string_view)) {
  TRY(const std::string word, view.need_string());
  const auto value = named(word);
  if (value) return *value;
  return bad_field(view, fmt::format("is \"{}\", which is no word of this version", quoted(word)));
}

}  // namespace tokenjoule
