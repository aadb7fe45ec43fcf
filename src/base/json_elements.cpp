#include <array>
#include <bit>

#include <fmt/core.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/json_rows.hpp"

namespace tokenjoule {

namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Bytes that matter inside an array or an object; all others are passed over.
constexpr std::array<bool, 256> kMatters = [] {
  std::array<bool, 256> matters{};
  for (const char c : {'"', '{', '[', '}', ']'}) matters[static_cast<unsigned char>(c)] = true;
  return matters;
}();

#ifdef __SSE2__
constexpr std::size_t kBlock = sizeof(__m128i);

__m128i block_at(std::string_view text, std::size_t at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
}

/// Place of the first byte that `equal` marks; kBlock: none.
std::size_t first_marked(__m128i equal) {
  return static_cast<std::size_t>(
      std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(equal)) | 1U << kBlock));
}
#endif

/// The first byte from `at` on that matters; the end of the text where none does.
std::size_t next_that_matters(std::string_view text, std::size_t at) {
#ifdef __SSE2__
  for (; at + kBlock <= text.size(); at += kBlock) {
    const __m128i bytes = block_at(text, at);
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // [ and ] are { and } then
    const __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
                                          _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    const std::size_t place =
        first_marked(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))));
    if (place != kBlock) return at + place;
  }
#endif
  while (at < text.size() && !kMatters[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

/// The same of what matters inside of a string: its end, and what escapes.
std::size_t next_in_string(std::string_view text, std::size_t at) {
#ifdef __SSE2__
  for (; at + kBlock <= text.size(); at += kBlock) {
    const __m128i bytes = block_at(text, at);
    const std::size_t place = first_marked(_mm_or_si128(
        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    if (place != kBlock) return at + place;
  }
#endif
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  return at;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_scalar(char c) { return is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':'; }

}  // namespace

JsonElements::JsonElements(std::string_view text, Of of) : text_(text) {
  if (text_.substr(0, 3) == kByteOrderMark) at_ = 3;
  skip_blanks();
  const char first = at_ < text_.size() ? text_[at_] : '\0';
  members_ = of == Of::members && first == '{';
  if (first == '[' || members_) {
    close_ = first == '[' ? ']' : '}';
    ++at_;
    skip_blanks();
  }
  if (at_ < text_.size() && text_[at_] == close_) done_ = true;
}

void JsonElements::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

void JsonElements::fail(std::string_view what) {
  done_ = true;
  fault_ = Error{ErrorKind::missing, fmt::format("{} at byte {}", what, at_), ""};
}

std::size_t JsonElements::end_of_string(std::size_t start) {
  for (std::size_t at = next_in_string(text_, start + 1); at < text_.size();
       at = next_in_string(text_, at)) {
    if (text_[at] == '"') return at + 1;
    at += 2;  // and what it escapes
    if (at > text_.size()) break;
  }
  return std::string_view::npos;
}

std::size_t JsonElements::end_of_value(std::size_t start) {
  int depth = 0;
  for (std::size_t at = start; at < text_.size(); ++at) {
    if (depth > 0) at = next_that_matters(text_, at);
    if (at >= text_.size()) break;
    switch (text_[at]) {
      case '"':
        at = end_of_string(at);
        if (at == std::string_view::npos) return at;
        if (depth == 0) return at;
        --at;
        break;
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (--depth <= 0) return depth == 0 ? at + 1 : at;
        break;
      default:
        if (depth == 0 && at > start && ends_scalar(text_[at])) return at;
    }
    if (depth > kMaxDepth) {
      at_ = at;
      fail(fmt::format("nested deeper than {} levels", kMaxDepth));
      return std::string_view::npos;
    }
  }
  return depth == 0 ? text_.size() : std::string_view::npos;
}

std::optional<JsonElement> JsonElements::element_at(std::size_t start, std::string_view key) {
  const std::size_t end = end_of_value(start);
  if (end == std::string_view::npos) {
    at_ = start;
    if (!fault_) fail(fmt::format("the file is cut off inside element {}", count_ + 1));
    return std::nullopt;
  }
  if (end == start) {
    fail("a value is missing");
    return std::nullopt;
  }
  at_ = end;
  return JsonElement{text_.substr(start, end - start), key, count_++, start};
}

std::optional<std::string_view> JsonElements::key_here() {
  const std::size_t end =
      at_ < text_.size() && text_[at_] == '"' ? end_of_string(at_) : std::string_view::npos;
  if (end == std::string_view::npos) {
    fail("a member's name is missing");
    return std::nullopt;
  }
  const std::string_view key = text_.substr(at_ + 1, end - at_ - 2);
  at_ = end;
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != ':') {
    fail("a colon is missing");
    return std::nullopt;
  }
  ++at_;
  skip_blanks();
  return key;
}

/// Steps over what stands between two elements; false at the end.
bool JsonElements::to_next() {
  skip_blanks();
  if (close_ == '\0') {  // objects in a row: nothing but blanks between them
    done_ = at_ >= text_.size();
    return !done_;
  }
  if (at_ >= text_.size()) {
    if (count_ == 0)
      fail("the file is cut off");
    else
      fail(fmt::format("the file is cut off behind element {}", count_));
    return false;
  }
  if (text_[at_] == close_) {
    ++at_;
    skip_blanks();
    done_ = true;
    if (at_ < text_.size()) fail("something stands behind the end");
    return false;
  }
  if (count_ == 0) return true;
  if (text_[at_] != ',') {
    fail("a comma is missing");
    return false;
  }
  ++at_;
  skip_blanks();
  return true;
}

std::optional<JsonElement> JsonElements::next() {
  if (done_ || !to_next()) return std::nullopt;
  std::string_view key;
  if (members_) {
    const auto name = key_here();
    if (!name) return std::nullopt;
    key = *name;
  }
  return element_at(at_, key);
}

}  // namespace tokenjoule
