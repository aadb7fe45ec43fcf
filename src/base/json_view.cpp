#include "base/json_view.hpp"

#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace tokenjoule {

JsonNode::JsonNode() = default;
JsonNode::JsonNode(JsonNode&&) noexcept = default;
JsonNode& JsonNode::operator=(JsonNode&&) noexcept = default;
JsonNode::~JsonNode() = default;

JsonView JsonView::operator[](std::string_view key) const {
  std::string path = fmt::format("{}.{}", path_, key);
  if (is(JsonNode::Type::object)) {
    for (const auto& [name, value] : node_->members) {
      if (name == key) return {&value, std::move(path)};
    }
  }
  return {nullptr, std::move(path)};
}

JsonView JsonView::operator[](std::size_t index) const {
  std::string path = fmt::format("{}[{}]", path_, index);
  if (is(JsonNode::Type::array) && index < node_->items.size())
    return {&node_->items[index], std::move(path)};
  return {nullptr, std::move(path)};
}

std::size_t JsonView::size() const {
  if (is(JsonNode::Type::array)) return node_->items.size();
  return is(JsonNode::Type::object) ? node_->members.size() : 0;
}

std::string_view JsonView::key(std::size_t index) const {
  return is(JsonNode::Type::object) && index < size()
             ? std::string_view(node_->members[index].first)
             : std::string_view();
}

JsonView JsonView::member(std::size_t index) const {
  if (!is(JsonNode::Type::object) || index >= size()) return {nullptr, path_ + ".?"};
  return {&node_->members[index].second, fmt::format("{}.{}", path_, node_->members[index].first)};
}

std::optional<double> JsonView::number() const {
  return is(JsonNode::Type::number) ? std::optional(node_->number) : std::nullopt;
}

std::optional<std::int64_t> JsonView::integer() const {
  if (!is(JsonNode::Type::number)) return std::nullopt;
  if (node_->integer) return node_->integer;
  const bool whole =
      std::abs(node_->number) < 0x1.0p53 && node_->number == std::floor(node_->number);
  return whole ? std::optional(static_cast<std::int64_t>(node_->number)) : std::nullopt;
}

std::optional<std::string_view> JsonView::string() const {
  return is(JsonNode::Type::string) ? std::optional(std::string_view(node_->string)) : std::nullopt;
}

std::optional<bool> JsonView::boolean() const {
  return is(JsonNode::Type::boolean) ? std::optional(node_->boolean) : std::nullopt;
}

namespace {

template <typename T>
Result<T> needed(const std::optional<T>& value, const JsonView& view, std::string_view type) {
  if (value) return *value;
  return failure(ErrorKind::missing,
                 fmt::format("{} {}", view.path(),
                             view.present() ? fmt::format("is no {}", type) : "is missing"),
                 "");
}

}  // namespace

Result<double> JsonView::need_number() const { return needed(number(), *this, "number"); }
Result<std::int64_t> JsonView::need_integer() const { return needed(integer(), *this, "integer"); }
Result<bool> JsonView::need_boolean() const { return needed(boolean(), *this, "true or false"); }

Result<std::string> JsonView::need_string() const {
  TRY(const std::string_view text, needed(string(), *this, "string"));
  return std::string(text);
}

namespace {

nlohmann::ordered_json rebuilt(const JsonNode& node) {
  switch (node.type) {
    case JsonNode::Type::null: return nullptr;
    case JsonNode::Type::boolean: return node.boolean;
    case JsonNode::Type::number:
      if (node.integer) return *node.integer;
      return node.number;
    case JsonNode::Type::string: return node.string;
    case JsonNode::Type::array: {
      auto array = nlohmann::ordered_json::array();
      for (const auto& item : node.items) array.push_back(rebuilt(item));
      return array;
    }
    case JsonNode::Type::object: {
      auto object = nlohmann::ordered_json::object();
      for (const auto& [key, value] : node.members) object[key] = rebuilt(value);
      return object;
    }
  }
  return nullptr;
}

}  // namespace

std::string JsonView::text() const {
  if (node_ == nullptr) return "null";
  return rebuilt(*node_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tokenjoule
