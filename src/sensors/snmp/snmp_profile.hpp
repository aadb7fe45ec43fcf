#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sensors/snmp/snmp_value.hpp"
#include "sensors/stated_unit.hpp"

namespace tokenjoule {

/// Which part of a PDU is read.
struct SnmpPart {
  enum class Kind { inlet, phase, outlet };
  Kind kind = Kind::inlet;
  int number = 1;
};
std::string_view name_of(SnmpPart::Kind kind);

/// The place of a part: a PDU of a chain and, where the maker counts them, its inlet.
struct SnmpPlace {
  std::optional<int> pdu;    ///< as the maker counts them; absent: the first
  std::optional<int> inlet;  ///< absent: the first
};

/// One value to read of a PDU.
struct SnmpPoint {
  SnmpOid oid;
  StatedUnit unit;
  /// Raritan: where the agent tells the decimal digits of its value (raw = value * 10^digits), and
  /// the unit's number (3 watt, 5 watt-hour). Empty where the unit is fixed.
  SnmpOid digits_oid = {};
  SnmpOid unit_oid = {};
  int unit_number = 0;
};

/// Names of the makers whose tables are known, as `profile` takes them.
std::vector<std::string> snmp_profiles();

/// What is read of that part: power, and energy where the maker has a counter there. Sources of all
/// OIDs stand in README.md. Errors: an unknown profile; a part of which that maker tells nothing.
Result<std::vector<SnmpPoint>> snmp_points(std::string_view profile, const SnmpPart& part,
                                           const SnmpPlace& place);

}  // namespace tokenjoule
