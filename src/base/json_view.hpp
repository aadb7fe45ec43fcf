#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

/// One value of a JSON document, kept as read.
struct JsonNode {
  enum class Type { null, boolean, number, string, array, object };
  Type type = Type::null;
  bool boolean = false;
  double number = 0;
  std::optional<std::int64_t>
      integer;  ///< set where the number was written as an integer that fits
  std::string string;
  std::vector<JsonNode> items;                            ///< of an array
  std::vector<std::pair<std::string, JsonNode>> members;  ///< of an object, in the order written

  // Defined elsewhere: here, clang 14 would ask for the size of a type that is not complete yet.
  JsonNode();
  JsonNode(JsonNode&&) noexcept;
  JsonNode& operator=(JsonNode&&) noexcept;
  ~JsonNode();
};

/// A place in a JSON document that knows its own path ("$.usage.completion_tokens"), so that errors
/// name it. A view must not outlive its JsonDocument. A missing member, null, and the bare NaN and
/// Infinity that some programs write are all absent.
class JsonView {
 public:
  JsonView(const JsonNode* node, std::string path) : node_(node), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool present() const { return node_ != nullptr && node_->type != JsonNode::Type::null; }
  bool is(JsonNode::Type type) const { return node_ != nullptr && node_->type == type; }

  /// The member of that name (the first, if written twice); an absent view where there is none.
  JsonView operator[](std::string_view key) const;
  JsonView operator[](std::size_t index) const;
  /// Items of an array or members of an object; 0 for anything else.
  std::size_t size() const;
  std::string_view key(std::size_t index) const;  ///< of an object's member
  JsonView member(std::size_t index) const;       ///< value of an object's member

  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;  ///< also 3.0; not 3.5
  std::optional<std::string_view> string() const;
  std::optional<bool> boolean() const;

  /// The same, where absence or another type is an error that names the path.
  Result<double> need_number() const;
  Result<std::int64_t> need_integer() const;
  Result<std::string> need_string() const;
  Result<bool> need_boolean() const;
  /// The value written again as compact JSON text.
  std::string text() const;

 private:
  const JsonNode* node_;
  std::string path_;
};

class JsonDocument {
 public:
  /// Whole text is one JSON value (depth at most 64); anything after it is an error.
  static Result<JsonDocument> parse(std::string_view text);

  JsonView root() const { return {root_.get(), "$"}; }
  /// How many bare NaN, Infinity and -Infinity were taken as absent.
  int not_numbers() const { return not_numbers_; }

 private:
  std::unique_ptr<const JsonNode> root_;
  int not_numbers_ = 0;
};

}  // namespace tokenjoule
