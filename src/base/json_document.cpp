#include <fmt/core.h>
#include <simdjson.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

namespace ondemand = simdjson::ondemand;
constexpr int kMaxDepth = 64;

/// Fills a JsonNode tree from simdjson's forward-only values. simdjson is built to report errors as
/// codes here; the only exception left is bad_alloc.
class TreeBuilder {
 public:
  simdjson::error_code fill(JsonNode& node, ondemand::value value, int depth);
  simdjson::error_code fill_document(JsonNode& node, ondemand::document& document);
  int not_numbers() const { return not_numbers_; }

 private:
  template <typename Value>
  simdjson::error_code scalar(JsonNode& node, Value& value,
                              simdjson::simdjson_result<ondemand::json_type> type);
  simdjson::error_code number(JsonNode& node, ondemand::number number);
  simdjson::error_code array(JsonNode& node, ondemand::array array, int depth);
  simdjson::error_code object(JsonNode& node, ondemand::object object, int depth);
  simdjson::error_code bare_word(JsonNode& node, std::string_view token);

  int not_numbers_ = 0;
};

simdjson::error_code TreeBuilder::bare_word(JsonNode& node, std::string_view token) {
  token = trimmed(token);
  if (token != "NaN" && token != "Infinity" && token != "-Infinity") return simdjson::TAPE_ERROR;
  ++not_numbers_;
  node.type = JsonNode::Type::null;
  return simdjson::SUCCESS;
}

simdjson::error_code TreeBuilder::number(JsonNode& node, ondemand::number number) {
  node.type = JsonNode::Type::number;
  node.number = number.as_double();
  if (number.is_int64()) node.integer = number.get_int64();
  return simdjson::SUCCESS;
}

template <typename Value>
simdjson::error_code TreeBuilder::scalar(JsonNode& node, Value& value,
                                         simdjson::simdjson_result<ondemand::json_type> type) {
  if (type.error() != simdjson::SUCCESS) return type.error();
  switch (type.value_unsafe()) {
    case ondemand::json_type::string: {
      std::string_view text;
      if (const auto error = value.get_string().get(text)) return error;
      node.type = JsonNode::Type::string;
      node.string = text;
      return simdjson::SUCCESS;
    }
    case ondemand::json_type::boolean:
      node.type = JsonNode::Type::boolean;
      return value.get_bool().get(node.boolean);
    case ondemand::json_type::null: {
      bool is_null = false;
      if (const auto error = value.is_null().get(is_null)) return error;
      if (!is_null) return simdjson::TAPE_ERROR;
      node.type = JsonNode::Type::null;
      return simdjson::SUCCESS;
    }
    default: return simdjson::INCORRECT_TYPE;
  }
}

simdjson::error_code TreeBuilder::array(JsonNode& node, ondemand::array array, int depth) {
  node.type = JsonNode::Type::array;
  for (auto item : array) {
    if (item.error() != simdjson::SUCCESS) return item.error();
    node.items.emplace_back();
    if (const auto error = fill(node.items.back(), item.value_unsafe(), depth)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code TreeBuilder::object(JsonNode& node, ondemand::object object, int depth) {
  node.type = JsonNode::Type::object;
  for (auto field : object) {
    if (field.error() != simdjson::SUCCESS) return field.error();
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    node.members.emplace_back(std::string(key), JsonNode{});
    ondemand::value value;
    if (const auto error = std::move(field).value().get(value)) return error;
    if (const auto error = fill(node.members.back().second, value, depth)) return error;
  }
  return simdjson::SUCCESS;
}

bool starts_bare_word(std::string_view token) {
  return !token.empty() && (token[0] == 'N' || token[0] == 'I' || starts_with(token, "-I"));
}

simdjson::error_code TreeBuilder::fill(JsonNode& node, ondemand::value value, int depth) {
  if (depth >= kMaxDepth) return simdjson::DEPTH_ERROR;
  const auto type = value.type();
  const std::string_view token = value.raw_json_token();
  if (starts_bare_word(token)) {
    if (const auto error = bare_word(node, token)) return error;
    // The token is consumed by reading it as a number that fails: simdjson then stands behind it.
    return simdjson::SUCCESS;
  }
  if (type.error() != simdjson::SUCCESS) return type.error();
  switch (type.value_unsafe()) {
    case ondemand::json_type::array: {
      ondemand::array items;
      if (const auto error = value.get_array().get(items)) return error;
      return array(node, items, depth + 1);
    }
    case ondemand::json_type::object: {
      ondemand::object members;
      if (const auto error = value.get_object().get(members)) return error;
      return object(node, members, depth + 1);
    }
    case ondemand::json_type::number: {
      ondemand::number read;
      if (const auto error = value.get_number().get(read)) return error;
      return number(node, read);
    }
    default: return scalar(node, value, type);
  }
}

simdjson::error_code TreeBuilder::fill_document(JsonNode& node, ondemand::document& document) {
  const auto type = document.type();
  std::string_view token;
  if (document.raw_json_token().get(token) == simdjson::SUCCESS && starts_bare_word(token)) {
    return bare_word(node, token);
  }
  if (type.error() != simdjson::SUCCESS) return type.error();
  switch (type.value_unsafe()) {
    case ondemand::json_type::array: {
      ondemand::array items;
      if (const auto error = document.get_array().get(items)) return error;
      return array(node, items, 1);
    }
    case ondemand::json_type::object: {
      ondemand::object members;
      if (const auto error = document.get_object().get(members)) return error;
      return object(node, members, 1);
    }
    case ondemand::json_type::number: {
      ondemand::number read;
      if (const auto error = document.get_number().get(read)) return error;
      return number(node, read);
    }
    default: return scalar(node, document, type);
  }
}

Error not_json(std::string_view text, simdjson::error_code error) {
  return {ErrorKind::missing,
          fmt::format("\"{}\" is not JSON: {}", quoted(text, 60), simdjson::error_message(error)),
          ""};
}

}  // namespace

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  thread_local ondemand::parser parser;
  const simdjson::padded_string padded(text);
  ondemand::document document;
  if (const auto error = parser.iterate(padded).get(document))
    return unexpected(not_json(text, error));
  auto root = std::make_unique<JsonNode>();
  TreeBuilder builder;
  if (const auto error = builder.fill_document(*root, document))
    return unexpected(not_json(text, error));
  const bool is_container =
      root->type == JsonNode::Type::array || root->type == JsonNode::Type::object;
  // Behind a whole document there is no current location; before its end there is one.
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (is_container && !at_end) return unexpected(not_json(text, simdjson::TRAILING_CONTENT));
  JsonDocument parsed;
  parsed.root_ = std::move(root);
  parsed.not_numbers_ = builder.not_numbers();
  return parsed;
}

}  // namespace tokenjoule
