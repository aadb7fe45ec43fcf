#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sensors/snmp/snmp_value.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto number = snmp_number({.type = SnmpValue::Type::text, .number = 0, .text = text});
  if (number && !(std::isfinite(*number) && *number >= 0)) __builtin_trap();
  // What is an OID is written again as one.
  const auto oid = snmp_oid_in(text);
  if (!oid) return 0;
  const auto again = snmp_oid_in(text_of(*oid));
  if (!again || *again != *oid) __builtin_trap();
  return 0;
}
