#include "sensors/ipmi/dcmi_power.hpp"

#include <fmt/core.h>

namespace tokenjoule {
namespace {

/// DCMI's group, first byte of all its requests and replies.
constexpr std::uint8_t kDcmi = 0xdc;
constexpr std::size_t kReplySize = 19;

std::uint32_t little_endian(std::span<const std::uint8_t> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

struct Code {
  std::uint8_t code;
  ErrorKind kind;
  const char* meaning;
};
constexpr Code kCodes[] = {
    {0xc0, ErrorKind::retry, "it is busy"},
    {0xc1, ErrorKind::unavailable, "it does not know the command"},
    {0xc3, ErrorKind::retry, "it took too long itself"},
    {0xc4, ErrorKind::retry, "it is out of space"},
    {0xc9, ErrorKind::unavailable, "a parameter is out of its range"},
    {0xcb, ErrorKind::unavailable, "what was asked for is not there"},
    {0xcc, ErrorKind::unavailable, "it does not know what was asked for"},
    {0xce, ErrorKind::retry, "it could give no answer"},
    {0xd0, ErrorKind::retry, "its data is being updated"},
    {0xd1, ErrorKind::retry, "its firmware is being updated"},
    {0xd2, ErrorKind::retry, "it is starting"},
    {0xd4, ErrorKind::unavailable, "the user may not do that"},
    {0xd5, ErrorKind::retry, "not in its present state"},
};

}  // namespace

const IpmiRequest kGetPowerReading{0x2c, 0x02, {kDcmi, 0x01, 0x00, 0x00}};

Error ipmi_refusal(std::uint8_t completion_code) {
  Code known{completion_code, ErrorKind::unavailable, "of which nothing more is known"};
  for (const Code& code : kCodes) {
    if (code.code == completion_code) known = code;
  }
  return {known.kind,
          fmt::format("the management controller refuses (code {:#04x}: {})", completion_code,
                      known.meaning),
          completion_code == 0xd4
              ? "give privilege=OPERATOR or privilege=ADMINISTRATOR, where the user has that"
              : "see whether it has DCMI power readings: ipmitool dcmi power "
                "reading; otherwise try redfish, or a PDU"};
}

bool is_power(Watts watts) { return watts > Watts(0) && watts < Watts(0xffff); }

Result<DcmiPower> dcmi_power_in(std::span<const std::uint8_t> reply) {
  if (!reply.empty() && reply[0] != 0) return unexpected(ipmi_refusal(reply[0]));
  if (reply.size() < kReplySize || reply[1] != kDcmi) {
    return failure(ErrorKind::unavailable,
                   fmt::format("the management controller's answer is no DCMI power reading: {} "
                               "bytes",
                               reply.size()),
                   "update its firmware, or try redfish, or a PDU");
  }
  const auto watts = [&](std::size_t at) { return Watts(little_endian(reply.subspan(at, 2))); };
  return DcmiPower{.current = watts(2),
                   .minimum = watts(4),
                   .maximum = watts(6),
                   .average = watts(8),
                   .unix_seconds = little_endian(reply.subspan(10, 4)),
                   .period = Seconds(little_endian(reply.subspan(14, 4)) / 1000.0),
                   .active = (reply[18] & 0x40) != 0};
}

}  // namespace tokenjoule
