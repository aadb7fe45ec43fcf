#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tokenjoule {

using SnmpOid = std::vector<std::uint64_t>;

/// Takes "1.3.6.1.4.1.318.1.1.26.4.3.1.5.1", with or without a leading dot: 2 to 128 numbers.
Result<SnmpOid> snmp_oid_in(std::string_view text);
std::string text_of(const SnmpOid& oid);

/// What an agent gave for one OID.
struct SnmpValue {
  enum class Type {
    absent,      ///< noSuchObject, noSuchInstance, endOfMibView, null, or of another type
    integer,     ///< Integer32
    unsigned32,  ///< Gauge32, Unsigned32
    counter32,
    counter64,
    text,  ///< some agents write decimals so; or an opaque float
  };
  Type type = Type::absent;
  double number = 0;         ///< of all but absent and text
  std::string text = {};     ///< of text
  std::string absence = {};  ///< of absent: why, "no such instance"
};

/// The value as a number; nullopt where it is absent, no number, negative (agents write -1 for what
/// they do not support), or an unsigned one with the bits of -1.
std::optional<double> snmp_number(const SnmpValue& value);

/// Where a counter of that type starts again; nullopt: not in practice, or not known.
std::optional<double> snmp_modulus(SnmpValue::Type type);

}  // namespace tokenjoule
