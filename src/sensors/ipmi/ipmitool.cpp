#include "sensors/ipmi/ipmitool.hpp"

#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/clock.hpp"
#include "io/process.hpp"

namespace tokenjoule {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::optional<std::uint8_t> byte_in(std::string_view digits) {
  std::uint8_t byte = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, byte, 16);
  if (digits.size() != 2 || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return byte;
}

/// A line of nothing but pairs of hex digits.
std::optional<Bytes> bytes_in(std::string_view line) {
  Bytes bytes;
  for (const std::string_view word : split(trimmed(line), ' ')) {
    const auto byte = byte_in(word);
    if (!byte) return std::nullopt;
    bytes.push_back(*byte);
  }
  return bytes;
}

ChildProgram program_for(const IpmiLan& lan, const IpmiRequest& request) {
  // Two tries of a second each: what is lost then is made good by the next poll.
  std::vector<std::string> arguments = {
      "ipmitool", "-I",     "lanplus", "-H", lan.host,      "-p", std::to_string(lan.port),
      "-U",       lan.user, "-E",      "-L", lan.privilege, "-N", "1",
      "-R",       "2"};
  if (!lan.cipher.empty()) arguments.insert(arguments.end(), {"-C", lan.cipher});
  arguments.insert(arguments.end(), {"raw", fmt::format("{:#04x}", request.network_function),
                                     fmt::format("{:#04x}", request.command)});
  for (const std::uint8_t byte : request.data) arguments.push_back(fmt::format("{:#04x}", byte));
  return {.arguments = std::move(arguments),
          .environment = {{"IPMI_PASSWORD", lan.password}},
          .with_errors = true};
}

}  // namespace

Result<Bytes> ipmitool_reply(std::string_view printed) {
  Bytes reply{0};
  std::string_view said;
  for (const std::string_view line : split(printed, '\n')) {
    if (trimmed(line).empty()) continue;
    constexpr std::string_view kCode = "rsp=0x";
    const auto code = line.find(kCode);
    if (code != line.npos) {
      const auto byte = byte_in(line.substr(code + kCode.size(), 2));
      if (byte && *byte != 0) return Bytes{*byte};
    }
    if (const auto bytes = bytes_in(line)) {
      reply.insert(reply.end(), bytes->begin(), bytes->end());
    } else {
      said = trimmed(line);
    }
  }
  if (reply.size() > 1) return reply;
  return failure(ErrorKind::retry,
                 said.empty() ? std::string("ipmitool printed nothing")
                              : fmt::format("ipmitool says \"{}\"", quoted(said)),
                 "check host, user, password and that IPMI over LAN is switched on there");
}

Result<Bytes> ask_over_lan(const IpmiLan& lan, const IpmiRequest& request, Nanoseconds timeout) {
  TRY(ChildProcess child, ChildProcess::start(program_for(lan, request)));
  SystemClock clock;
  const MonoTime deadline = clock.now() + timeout;
  std::string printed;
  while (clock.now() < deadline) {
    if (!child.wait_for_output(deadline - clock.now())) break;
    const ChildProcess::Output output = child.read();
    printed += output.bytes;
    if (output.closed) return ipmitool_reply(printed);
  }
  return failure(ErrorKind::retry,
                 fmt::format("{} gave no answer to ipmitool in time", quoted(lan.host)),
                 "check the host, or allow it more with timeout=");
}

}  // namespace tokenjoule
