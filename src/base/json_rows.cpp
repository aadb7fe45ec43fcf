#include "base/json_rows.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace ondemand = simdjson::ondemand;

namespace {

constexpr int kMaxDepth = 64;

bool starts_bare_word(std::string_view token) {
  return !token.empty() && (token[0] == 'N' || token[0] == 'I' || starts_with(token, "-I"));
}

bool is_bare_word(std::string_view token) {
  token = trimmed(token);
  return token == "NaN" || token == "Infinity" || token == "-Infinity";
}

}  // namespace

struct JsonObjectReader::Parser {
  ondemand::parser parser;
  std::string buffer;
  std::string path;
  const std::function<void(const JsonScalar&)>* each = nullptr;

  simdjson::error_code object(ondemand::object members, int depth);
  simdjson::error_code member(ondemand::value value, JsonScalar& scalar, int depth);
  simdjson::error_code scalar(ondemand::value value, ondemand::json_type type, JsonScalar& into);
};

simdjson::error_code JsonObjectReader::Parser::scalar(ondemand::value value,
                                                      ondemand::json_type type, JsonScalar& into) {
  switch (type) {
    case ondemand::json_type::string:
      into.type = JsonScalar::Type::string;
      return value.get_string().get(into.string);
    case ondemand::json_type::boolean:
      into.type = JsonScalar::Type::boolean;
      return value.get_bool().get(into.boolean);
    case ondemand::json_type::number:
      into.type = JsonScalar::Type::number;
      return value.get_double().get(into.number);
    case ondemand::json_type::null: {
      bool is_null = false;
      if (const auto error = value.is_null().get(is_null)) return error;
      return is_null ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
    }
    default: return simdjson::INCORRECT_TYPE;
  }
}

simdjson::error_code JsonObjectReader::Parser::member(ondemand::value value, JsonScalar& found,
                                                      int depth) {
  found.text = trimmed(value.raw_json_token());
  if (starts_bare_word(found.text)) {
    if (!is_bare_word(found.text)) return simdjson::TAPE_ERROR;
    (*each)(found);
    return simdjson::SUCCESS;
  }
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  if (type == ondemand::json_type::object) {
    ondemand::object members;
    if (const auto error = value.get_object().get(members)) return error;
    return object(members, depth + 1);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array items;
    if (const auto error = value.get_array().get(items)) return error;
    if (const auto error = items.raw_json().get(found.text)) return error;
    found.type = JsonScalar::Type::other;
  } else if (const auto error = scalar(value, type, found)) {
    return error;
  }
  (*each)(found);
  return simdjson::SUCCESS;
}

simdjson::error_code JsonObjectReader::Parser::object(ondemand::object members, int depth) {
  if (depth >= kMaxDepth) return simdjson::DEPTH_ERROR;
  const std::size_t outer = path.size();
  for (auto field : members) {
    if (field.error() != simdjson::SUCCESS) return field.error();
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (outer != 0) path += '.';
    path += key;
    JsonScalar found;
    found.path = path;
    found.key = found.path.substr(found.path.size() - key.size());
    ondemand::value value;
    if (const auto error = std::move(field).value().get(value)) return error;
    if (const auto error = member(value, found, depth)) return error;
    path.resize(outer);
  }
  return simdjson::SUCCESS;
}

JsonObjectReader::JsonObjectReader() : parser_(std::make_unique<Parser>()) {}
JsonObjectReader::~JsonObjectReader() = default;

Status JsonObjectReader::walk(std::string_view text,
                              const std::function<void(const JsonScalar&)>& each) {
  // simdjson reads past the end of a text: it gets a copy with room behind it.
  Parser& reader = *parser_;
  reader.buffer.assign(text);
  reader.buffer.append(simdjson::SIMDJSON_PADDING, ' ');
  reader.path.clear();
  reader.each = &each;
  ondemand::document document;
  ondemand::object members;
  simdjson::error_code error =
      reader.parser.iterate(reader.buffer.data(), text.size(), reader.buffer.size()).get(document);
  if (!error) error = document.get_object().get(members);
  if (!error) error = reader.object(members, 0);
  if (!error) return {};
  return failure(ErrorKind::missing, fmt::format("\"{}\" is no JSON object that can be read: {}",
                                                 quoted(text, 60), simdjson::error_message(error)));
}

}  // namespace tokenjoule
