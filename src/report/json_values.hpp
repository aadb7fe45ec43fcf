#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.hpp"

namespace tokenjoule {

/// How values of a report become JSON. `Json` is the library's type, which only .cpp files name.
template <typename Json>
struct JsonValues {
  /// Null where the number is not finite.
  static Json of(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }
  template <int E, int T, int C>
  static Json of(Quantity<E, T, C> quantity) {
    return of(quantity.value());
  }
  static Json of(bool flag) { return Json(flag); }
  static Json of(std::int64_t count) { return Json(count); }
  /// Null where the text is empty: that says nothing is known.
  static Json of(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
  template <typename T>
  static Json of(const std::optional<T>& value) {
    return value ? of(*value) : Json(nullptr);
  }

  /// A JSON text of the record, as JSON; text that is no JSON, or nested deeper than any of ours,
  /// stays as text.
  static Json embedded(const std::string& text) {
    constexpr int deepest = 32;
    bool deep = false;
    const auto watch_depth = [&deep](int depth, auto, auto&) {
      deep = deep || depth > deepest;
      return !deep;
    };
    if (text.empty()) return nullptr;
    Json value = Json::parse(text, watch_depth, false);
    return deep || value.is_discarded() ? Json(text) : value;
  }

  /// The reason beside a null: every unknown has one.
  static void put_reason(Json& json, const std::string& reason, const char* key = "reason") {
    json[key] = reason.empty() ? "no reason was recorded" : reason;
  }
};

}  // namespace tokenjoule
