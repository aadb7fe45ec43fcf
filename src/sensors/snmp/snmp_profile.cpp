#include "sensors/snmp/snmp_profile.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

using Kind = SnmpPart::Kind;

/// An OID with {pdu}, {inlet} and {n} (the part's own number), and the unit of its value.
struct Column {
  std::string_view oid = {};  ///< "" for none
  std::string_view unit = {};
  std::string_view digits_oid = {};
  std::string_view unit_oid = {};
  int unit_number = 0;
};
struct Row {
  std::string_view profile;
  Kind kind;
  Column power;
  Column energy;
};

// Sources of each: README.md.
constexpr std::array<Row, 12> kRows = {{
    {"apc",
     Kind::inlet,
     {"1.3.6.1.4.1.318.1.1.26.4.3.1.5.{pdu}", "0.01kW"},
     {"1.3.6.1.4.1.318.1.1.26.4.3.1.9.{pdu}", "0.1kWh"}},
    {"apc", Kind::phase, {"1.3.6.1.4.1.318.1.1.26.6.3.1.7.{n}", "0.01kW"}, {}},
    {"apc",
     Kind::outlet,
     {"1.3.6.1.4.1.318.1.1.26.9.4.3.1.7.{n}", "W"},
     {"1.3.6.1.4.1.318.1.1.26.9.4.3.1.11.{n}", "0.1kWh"}},
    {"raritan",
     Kind::inlet,
     {"1.3.6.1.4.1.13742.6.5.2.3.1.4.{pdu}.{n}.5", "W", "1.3.6.1.4.1.13742.6.3.3.4.1.7.{pdu}.{n}.5",
      "1.3.6.1.4.1.13742.6.3.3.4.1.6.{pdu}.{n}.5", 3},
     {"1.3.6.1.4.1.13742.6.5.2.3.1.4.{pdu}.{n}.8", "Wh",
      "1.3.6.1.4.1.13742.6.3.3.4.1.7.{pdu}.{n}.8", "1.3.6.1.4.1.13742.6.3.3.4.1.6.{pdu}.{n}.8", 5}},
    {"raritan",
     Kind::phase,
     {"1.3.6.1.4.1.13742.6.5.2.4.1.4.{pdu}.{inlet}.{n}.5", "W",
      "1.3.6.1.4.1.13742.6.3.3.6.1.7.{pdu}.{inlet}.{n}.5",
      "1.3.6.1.4.1.13742.6.3.3.6.1.6.{pdu}.{inlet}.{n}.5", 3},
     {"1.3.6.1.4.1.13742.6.5.2.4.1.4.{pdu}.{inlet}.{n}.8", "Wh",
      "1.3.6.1.4.1.13742.6.3.3.6.1.7.{pdu}.{inlet}.{n}.8",
      "1.3.6.1.4.1.13742.6.3.3.6.1.6.{pdu}.{inlet}.{n}.8", 5}},
    {"raritan",
     Kind::outlet,
     {"1.3.6.1.4.1.13742.6.5.4.3.1.4.{pdu}.{n}.5", "W", "1.3.6.1.4.1.13742.6.3.5.4.1.7.{pdu}.{n}.5",
      "1.3.6.1.4.1.13742.6.3.5.4.1.6.{pdu}.{n}.5", 3},
     {"1.3.6.1.4.1.13742.6.5.4.3.1.4.{pdu}.{n}.8", "Wh",
      "1.3.6.1.4.1.13742.6.3.5.4.1.7.{pdu}.{n}.8", "1.3.6.1.4.1.13742.6.3.5.4.1.6.{pdu}.{n}.8", 5}},
    {"servertech",
     Kind::inlet,
     {"1.3.6.1.4.1.1718.4.1.3.3.1.3.{pdu}.{n}", "W"},
     {"1.3.6.1.4.1.1718.4.1.3.3.1.10.{pdu}.{n}", "0.1kWh"}},
    {"servertech",
     Kind::phase,
     {"1.3.6.1.4.1.1718.4.1.5.3.1.8.{pdu}.{inlet}.{n}", "W"},
     {"1.3.6.1.4.1.1718.4.1.5.3.1.13.{pdu}.{inlet}.{n}", "0.1kWh"}},
    {"servertech",
     Kind::outlet,
     {"1.3.6.1.4.1.1718.4.1.8.3.1.7.{pdu}.{inlet}.{n}", "W"},
     {"1.3.6.1.4.1.1718.4.1.8.3.1.14.{pdu}.{inlet}.{n}", "Wh"}},
    {"eaton",
     Kind::inlet,
     {"1.3.6.1.4.1.534.6.6.7.3.5.1.4.{pdu}.{n}", "W"},
     {"1.3.6.1.4.1.534.6.6.7.3.5.1.5.{pdu}.{n}", "Wh"}},
    {"eaton",
     Kind::phase,
     {"1.3.6.1.4.1.534.6.6.7.3.4.1.4.{pdu}.{inlet}.{n}", "W"},
     {"1.3.6.1.4.1.534.6.6.7.3.4.1.5.{pdu}.{inlet}.{n}", "Wh"}},
    {"eaton",
     Kind::outlet,
     {"1.3.6.1.4.1.534.6.6.7.6.5.1.3.{pdu}.{n}", "W"},
     {"1.3.6.1.4.1.534.6.6.7.6.5.1.4.{pdu}.{n}", "Wh"}},
}};

/// Eaton counts the units of a chain from 0, all others from 1.
int first_pdu(std::string_view profile) { return profile == "eaton" ? 0 : 1; }

void put(std::string& text, std::string_view name, int number) {
  const auto at = text.find(name);
  if (at != std::string::npos) text.replace(at, name.size(), std::to_string(number));
}

SnmpOid oid_of(std::string_view pattern, const Row& row, const SnmpPart& part,
               const SnmpPlace& place) {
  std::string text(pattern);
  put(text, "{pdu}", place.pdu.value_or(first_pdu(row.profile)));
  put(text, "{inlet}", place.inlet.value_or(1));
  put(text, "{n}", part.number);
  return text.empty() ? SnmpOid() : *snmp_oid_in(text);
}

}  // namespace

std::string_view name_of(SnmpPart::Kind kind) {
  switch (kind) {
    case Kind::inlet: return "inlet";
    case Kind::phase: return "phase";
    case Kind::outlet: return "outlet";
  }
  return "";
}

std::vector<std::string> snmp_profiles() { return {"apc", "raritan", "servertech", "eaton"}; }

Result<std::vector<SnmpPoint>> snmp_points(std::string_view profile, const SnmpPart& part,
                                           const SnmpPlace& place) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) {
    return each.profile == profile && each.kind == part.kind;
  });
  if (row == kRows.end()) {
    const auto names = snmp_profiles();
    return failure(
        ErrorKind::usage,
        fmt::format("profile={} is not known{}", quoted(profile), did_you_mean(profile, names)),
        "write profile=apc, raritan, servertech or eaton; or state oid, unit and boundary");
  }
  std::vector<SnmpPoint> points;
  for (const Column& column : {row->power, row->energy}) {
    if (column.oid.empty()) continue;
    points.push_back({.oid = oid_of(column.oid, *row, part, place),
                      .unit = *stated_unit_in(column.unit),
                      .digits_oid = oid_of(column.digits_oid, *row, part, place),
                      .unit_oid = oid_of(column.unit_oid, *row, part, place),
                      .unit_number = column.unit_number});
  }
  return points;
}

}  // namespace tokenjoule
