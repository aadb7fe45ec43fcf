#include "sensors/exec/exec_line.hpp"

#include <fmt/core.h>

#include "base/json_view.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

tl::unexpected<Error> no_reading(std::string why) {
  return failure(
      ErrorKind::retry, std::move(why),
      "print lines like {\"signal\": \"power\", \"device\": \"pdu-1\", \"boundary\": \"node_ac\", "
      "\"watts\": 812.5}");
}

Result<std::string> need_name(const JsonView& value) {
  TRY(std::string name, value.need_string());
  if (name.empty()) return no_reading(value.path() + " is empty");
  return name;
}

Result<Boundary> need_boundary(const JsonView& value) {
  TRY(const std::string name, value.need_string());
  const auto boundary = boundary_named(name);
  if (!boundary)
    return no_reading(fmt::format("{} \"{}\" is not known", value.path(), quoted(name)));
  return *boundary;
}

}  // namespace

Result<ExecReading> exec_line_in(std::string_view line) {
  const auto document = JsonDocument::parse(line);
  if (!document) return no_reading("it is not JSON");
  const JsonView root = document->root();
  if (!root.is(JsonNode::Type::object)) return no_reading("it is not a JSON object");
  ExecReading reading;
  TRY(reading.signal, need_name(root["signal"]));
  TRY(reading.device, need_name(root["device"]));
  TRY(reading.boundary, need_boundary(root["boundary"]));
  const bool has_watts = root["watts"].present();
  if (has_watts == root["joules"].present()) {
    return no_reading("exactly one of $.watts and $.joules must be there");
  }
  reading.measurand = has_watts ? Measurand::power : Measurand::energy;
  const JsonView value = has_watts ? root["watts"] : root["joules"];
  TRY(reading.value, value.need_number());
  if (reading.value < 0) return no_reading(value.path() + " is negative");
  if (root["t_unix_s"].present()) {
    TRY(reading.unix_s, root["t_unix_s"].need_number());
  }
  return reading;
}

DeviceKind device_kind_of(Boundary boundary) {
  switch (boundary) {
    case Boundary::chip:
    case Boundary::gpu_board:
    case Boundary::gpu_module: return DeviceKind::gpu;
    case Boundary::cpu_core:
    case Boundary::cpu_package: return DeviceKind::cpu;
    case Boundary::dram: return DeviceKind::memory;
    case Boundary::psys:
    case Boundary::node_dc:
    case Boundary::node_ac: return DeviceKind::node;
    case Boundary::rack:
    case Boundary::facility: return DeviceKind::other;
  }
  return DeviceKind::other;
}

}  // namespace tokenjoule
