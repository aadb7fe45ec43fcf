#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tokenjoule {

/// One element of a large JSON text, as text.
struct JsonElement {
  std::string_view text;   ///< the value, without blanks around it
  std::string_view key;    ///< of an object's member, as written between its quotes; else empty
  std::size_t index = 0;   ///< counted from 0
  std::size_t offset = 0;  ///< where `text` begins
};

/// Cuts a JSON text into its elements without reading them, so that a fault inside of one loses no
/// other, and memory stays at one element. An array gives its items; objects that stand alone or
/// one after another (JSON lines) give themselves; `inside` gives the members of an object instead.
/// Brackets are counted outside of strings; deeper than 64 levels is a fault of that element.
class JsonElements {
 public:
  enum class Of { items, members };
  /// `text` must outlive this.
  explicit JsonElements(std::string_view text, Of of = Of::items);

  /// The next element; nullopt at the end, or where the text stops making sense: see `fault`.
  std::optional<JsonElement> next();
  /// Why the walk ended before the text did: cut off, stray characters, too deep.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  std::optional<JsonElement> element_at(std::size_t start, std::string_view key);
  std::size_t end_of_value(std::size_t start);
  std::size_t end_of_string(std::size_t start);
  std::optional<std::string_view> key_here();
  bool to_next();
  void skip_blanks();
  void fail(std::string_view what);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
  char close_ = '\0';  ///< bracket that ends the walk; none for objects in a row
  bool members_ = false;
  bool done_ = false;
  std::optional<Error> fault_;
};

/// One scalar of a JSON object as it is walked, nested objects included.
struct JsonScalar {
  /// `absent`: null, or a bare NaN or Infinity. `other`: an array.
  enum class Type { absent, boolean, number, string, other };
  std::string_view path;  ///< "metrics.mean_ttft": keys from the outermost on, joined by dots
  std::string_view key;   ///< the last of them
  Type type = Type::absent;
  bool boolean = false;
  double number = 0;
  std::string_view string;  ///< unescaped, of a string
  std::string_view text;    ///< the value as it stands in the file
};

/// Reads objects one after another with the same buffers. All views of a JsonScalar end with the
/// call that they were given to.
class JsonObjectReader {
 public:
  JsonObjectReader();
  ~JsonObjectReader();
  JsonObjectReader(const JsonObjectReader&) = delete;
  JsonObjectReader& operator=(const JsonObjectReader&) = delete;

  /// Calls `each` for every scalar and array of the object, in the order written. An error says
  /// that the text is no JSON object, or nested deeper than 64; what came before it was given.
  Status walk(std::string_view object, const std::function<void(const JsonScalar&)>& each);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace tokenjoule
