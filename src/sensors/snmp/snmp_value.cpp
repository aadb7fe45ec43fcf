#include "sensors/snmp/snmp_value.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {
constexpr double kTwo31 = 2147483648.0;
constexpr double kTwo32 = 4294967296.0;
}  // namespace

Result<SnmpOid> snmp_oid_in(std::string_view text) {
  constexpr std::size_t kFewest = 2, kMost = 128;  // RFC 2578, section 3.5
  const auto bad = [&] {
    return failure(ErrorKind::usage, fmt::format("oid={} is no object identifier", quoted(text)),
                   "write it in numbers: oid=1.3.6.1.4.1.318.1.1.26.4.3.1.5.1");
  };
  std::string_view numbers = text;
  if (!numbers.empty() && numbers.front() == '.') numbers.remove_prefix(1);
  SnmpOid oid;
  for (const std::string_view part : split(numbers, '.')) {
    const auto number = integer_in(part);
    if (!number || *number < 0 || *number > INT64_C(4294967295) || part.front() == '+') {
      return bad();
    }
    oid.push_back(static_cast<std::uint64_t>(*number));
  }
  if (oid.size() < kFewest || oid.size() > kMost) return bad();
  return oid;
}

std::string text_of(const SnmpOid& oid) { return fmt::format("{}", fmt::join(oid, ".")); }

std::optional<double> snmp_number(const SnmpValue& value) {
  switch (value.type) {
    case SnmpValue::Type::absent: return std::nullopt;
    case SnmpValue::Type::text: {
      const auto number = number_in(trimmed(value.text));
      return number && *number >= 0 ? number : std::nullopt;
    }
    case SnmpValue::Type::unsigned32:
      if (value.number == kTwo32 - 1) return std::nullopt;
      break;
    case SnmpValue::Type::integer:
    case SnmpValue::Type::counter32:
    case SnmpValue::Type::counter64: break;
  }
  return value.number >= 0 ? std::optional(value.number) : std::nullopt;
}

std::optional<double> snmp_modulus(SnmpValue::Type type) {
  switch (type) {
    case SnmpValue::Type::integer: return kTwo31;
    case SnmpValue::Type::unsigned32:
    case SnmpValue::Type::counter32: return kTwo32;
    case SnmpValue::Type::counter64:
    case SnmpValue::Type::text:
    case SnmpValue::Type::absent: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tokenjoule
