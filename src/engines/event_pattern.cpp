#include "engines/event_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tokenjoule {

namespace {

static_assert(std::endian::native == std::endian::little, "special_in takes the lowest byte first");

// Longer numbers are left to the parser, so that none overflows.
constexpr std::ptrdiff_t kMostDigits = 15;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Behind the number that begins at `at`, which must be one that JSON allows; null if there is
/// none.
const char* past_number(const char* at, const char* end, std::int64_t& value) {
  const char* const begin = at;
  value = 0;
  for (; at < end && is_digit(*at); ++at) {
    if (at - begin == kMostDigits) return nullptr;
    value = value * 10 + (*at - '0');
  }
  const bool leading_zero = at - begin > 1 && *begin == '0';
  return at == begin || leading_zero ? nullptr : at;
}

const char* past_numbers(const char* at, const char* end, std::int64_t& count) {
  std::int64_t value = 0;
  for (count = 1;; ++count) {
    at = past_number(at, end, value);
    if (at == nullptr || at == end || *at != ',') return at;
    ++at;
  }
}

/// The lowest high bit that is set is that of the first of eight bytes that is no plain character
/// of a string: a quote, a backslash, a control character, or beyond ASCII. Each subtraction
/// borrows into the high bit of a byte that is too small; what that does to the bytes above is no
/// matter.
std::uint64_t special_in(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  const std::uint64_t quote = bytes ^ (kOnes * '"'), backslash = bytes ^ (kOnes * '\\');
  return (bytes | (bytes - kOnes * ' ') | (quote - kOnes) | (backslash - kOnes)) & kHigh;
}

/// Behind the plain characters that begin at `at`.
const char* past_plain(const char* at, const char* end) {
  while (true) {
    std::uint64_t bytes = 0;  // what is not filled is special as well: it ends there
    if (end - at >= 8) {
      std::memcpy(&bytes, at, sizeof bytes);
    } else {
      std::memcpy(&bytes, at, static_cast<std::size_t>(end - at));
    }
    if (const std::uint64_t special = special_in(bytes); special != 0) {
      return at + std::countr_zero(special) / 8;
    }
    at += sizeof bytes;
  }
}

bool one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

/// Walks over JSON that is known to be valid and notes its open places.
class EventPattern::Finder {
 public:
  explicit Finder(std::string_view json) : json_(json) {}

  /// By the names of members alone, at any depth: of() makes sure that the counts among them are
  /// those that the event was read from, and of the rest nothing depends on what they say. nullopt
  /// where names are not written as they are, or ids stand in two places.
  std::optional<std::vector<Place>> places() && {
    while (at_ < json_.size()) {
      const char c = json_[at_];
      if (c == '"') {
        string();
      } else if (c == '[') {
        ++at_;
        if (one_of(key_, {"token_ids", "gen_tokens"})) ids();
        key_ = {};
      } else if (is_digit(c) || c == '-') {
        number();
      } else {
        if (c != ':' && c != ' ') key_ = {};
        ++at_;
      }
    }
    if (escaped_key_ || id_lists_ > 1) return std::nullopt;
    return std::move(places_);
  }

 private:
  void string() {
    const std::size_t begin = ++at_;
    while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2U : 1U;
    const std::string_view inside = json_.substr(begin, at_ - begin);
    if (one_of(key_, {"id", "model", "text", "content", "reasoning", "reasoning_content"}) &&
        !inside.empty()) {
      places_.push_back({Kind::text, begin, at_});
    }
    const std::size_t next = json_.find_first_not_of(" \t\r\n", ++at_);
    const bool is_key = next != std::string_view::npos && json_[next] == ':';
    key_ = is_key ? inside : std::string_view();
    if (key_.find('\\') != std::string_view::npos) escaped_key_ = true;
  }
  void number() {
    const std::size_t begin = at_;
    at_ = std::min(json_.find_first_not_of("+-.0123456789eE", at_), json_.size());
    const bool counts = key_ == "completion_tokens";
    if (counts || key_ == "created" || key_ == "total_tokens") {
      places_.push_back({counts ? Kind::tokens : Kind::number, begin, at_});
    }
    key_ = {};
  }
  void ids() {
    ++id_lists_;
    const std::size_t end = json_.find_first_not_of("0123456789,", at_);
    if (end == at_ || end == std::string_view::npos || json_[end] != ']') return;
    places_.push_back({Kind::ids, at_, end});
    at_ = end;
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::string_view key_;  ///< of the member whose value comes next; "" for none
  bool escaped_key_ = false;
  int id_lists_ = 0;
  std::vector<Place> places_;
};

std::optional<EventPattern> EventPattern::of(std::string_view json, const AnswerEvent& event) {
  if (!event.carries_tokens || event.error || !event.finish_reason.empty()) return std::nullopt;
  EventPattern pattern;
  pattern.text_ = json;
  auto places = Finder(json).places();
  if (!places) return std::nullopt;
  pattern.places_ = *std::move(places);
  const auto counts = std::count_if(pattern.places_.begin(), pattern.places_.end(),
                                    [](const Place& it) { return it.kind == Kind::tokens; });
  const bool counted = event.usage && event.usage->output_tokens;
  if (counts != (counted ? 1 : 0)) return std::nullopt;
  // It must read itself as it was parsed.
  pattern.event_ = event;
  if (!pattern.matches(json) || pattern.event_ != event) return std::nullopt;
  return pattern;
}

bool EventPattern::matches(std::string_view json) {
  const char* at = json.data();
  const char* const end = at + json.size();
  std::size_t from = 0;
  const auto same_up_to = [&](std::size_t to) {
    const std::size_t length = to - from;
    const bool same = static_cast<std::size_t>(end - at) >= length &&
                      std::memcmp(at, text_.data() + from, length) == 0;
    if (same) at += length;
    return same;
  };
  for (const Place& place : places_) {
    if (!same_up_to(place.begin)) return false;
    at = fill(place.kind, at, end);
    if (at == nullptr) return false;
    from = place.end;
  }
  return same_up_to(text_.size()) && at == end;
}

/// Takes what stands in an open place of the new event; null if that may not stand there.
const char* EventPattern::fill(Kind kind, const char* at, const char* end) {
  std::int64_t value = 0;
  switch (kind) {
    case Kind::text: {
      const char* const behind = past_plain(at, end);
      return behind == at ? nullptr : behind;
    }
    case Kind::number: return past_number(at, end, value);
    case Kind::tokens:
      at = past_number(at, end, value);
      event_.usage->output_tokens = value;
      return at;
    case Kind::ids:
      at = past_numbers(at, end, value);
      event_.token_ids = value;
      return at;
  }
  return nullptr;
}

}  // namespace tokenjoule
