#include "report/safe_text.hpp"

#include <cstdint>
#include <iterator>
#include <utility>

namespace tokenjoule {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Character {
  char32_t code = kReplacement;
  std::size_t bytes = 1;
};

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// The first character of a text that is not empty. A byte that begins no valid sequence (too long,
/// a surrogate, cut off) is one U+FFFD by itself.
Character first_of(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return {static_cast<char32_t>(lead), 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte_at(text, i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[length] || code > 0x10FFFF || surrogate) return {};
  return {static_cast<char32_t>(code), length};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(char32_t code, const Range (&ranges)[N]) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

/// What would end a line, move the cursor or turn the direction of writing.
bool disturbs_a_line(char32_t code) {
  constexpr Range ranges[] = {{0, 0x1F},         {0x7F, 0x9F},     {0x200B, 0x200F},
                              {0x2028, 0x202E},  {0x2060, 0x2069}, {0xFEFF, 0xFEFF},
                              {0xE0000, 0xE007F}};
  return within(code, ranges);
}

int width_of_character(char32_t code) {
  // The blocks of Unicode's East Asian Width "W" and "F" that are in use, coarsely; and the
  // combining marks of Latin, Greek and Cyrillic, the only ones likely in a model's name.
  constexpr Range none[] = {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  constexpr Range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                            {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                            {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                            {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (within(code, none)) return 0;
  return within(code, wide) ? 2 : 1;
}

}  // namespace

std::string one_line(std::string_view foreign) {
  std::string safe;
  safe.reserve(foreign.size());
  while (!foreign.empty()) {
    const Character character = first_of(foreign);
    if (character.code == kReplacement) {
      safe += "\xEF\xBF\xBD";
    } else if (disturbs_a_line(character.code)) {
      safe += ' ';
    } else {
      safe += foreign.substr(0, character.bytes);
    }
    foreign.remove_prefix(character.bytes);
  }
  return safe;
}

std::string ascii_line(std::string_view foreign) {
  constexpr std::pair<char32_t, std::string_view> spelt[] = {
      {U'±', "+-"}, {U'×', "x"}, {U'µ', "u"}, {U'μ', "u"}, {U'°', "deg"},
      {U'–', "-"},  {U'—', "-"}, {U'…', "~"}, {U'→', "->"}};
  const std::string line = one_line(foreign);
  std::string ascii;
  for (std::string_view rest = line; !rest.empty();) {
    const Character character = first_of(rest);
    if (character.code < 0x80) {
      ascii += static_cast<char>(character.code);
    } else {
      std::string_view replacement = "?";
      for (const auto& [code, spelling] : spelt) {
        if (code == character.code) replacement = spelling;
      }
      ascii += replacement;
    }
    rest.remove_prefix(character.bytes);
  }
  return ascii;
}

int columns_of(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    const Character character = first_of(text);
    columns += width_of_character(character.code);
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string cut_to(std::string_view text, int columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::string cut;
  int used = 0;
  while (!text.empty()) {
    const Character character = first_of(text);
    used += width_of_character(character.code);
    if (used > columns - 1) break;
    cut += text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return columns > 0 ? cut + "~" : std::string();
}

}  // namespace tokenjoule
