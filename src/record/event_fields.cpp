#include "record/event_fields.hpp"

namespace tokenjoule {

namespace {

/// Times of a run lie within 73 years of its origin, so that differences of two never overflow.
bool is_plausible(std::int64_t ns) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
  return ns >= -kFarthest && ns <= kFarthest;
}

}  // namespace

tl::unexpected<Error> bad_field(const JsonView& view, std::string_view why) {
  return failure(ErrorKind::missing, fmt::format("{} {}", view.path(), why), "");
}

std::string text_or_empty(const JsonView& view) { return std::string(view.string().value_or("")); }

std::optional<MonoTime> instant(const JsonView& view) {
  const auto ns = view.integer();
  return ns && is_plausible(*ns) ? std::optional(MonoTime{*ns}) : std::nullopt;
}

std::optional<Seconds> seconds_in(const JsonView& view) {
  const auto value = view.number();
  return value ? std::optional(Seconds(*value)) : std::nullopt;
}

Status no_negative(const JsonView& json, std::initializer_list<const char*> fields) {
  for (const char* field : fields) {
    if (json[field].number().value_or(0) < 0) return bad_field(json[field], "must be 0 or more");
  }
  return {};
}

Status positive(const JsonView& json, std::initializer_list<const char*> fields) {
  for (const char* field : fields) {
    if (json[field].number().value_or(1) <= 0) return bad_field(json[field], "must be above 0");
  }
  return {};
}

Result<MonoTime> need_instant(const JsonView& view) {
  TRY(const std::int64_t ns, view.need_integer());
  if (!is_plausible(ns)) return bad_field(view, "is no time of a run");
  return MonoTime{ns};
}

Result<TimeSpan> need_span(const JsonView& json) {
  TRY(const MonoTime begin, need_instant(json["begin_ns"]));
  TRY(const MonoTime end, need_instant(json["end_ns"]));
  if (end < begin) return bad_field(json["end_ns"], "lies before begin_ns");
  return TimeSpan{begin, end};
}

}  // namespace tokenjoule
