#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "devices/ipmi_device.hpp"

namespace tokenjoule {

struct IpmiLan {
  std::string host;
  int port = 623;
  std::string user;
  std::string password;  ///< goes to ipmitool through its environment, never as an argument
  std::string privilege = "USER";
  std::string cipher;  ///< number of the cipher suite, "" for the best that the controller has
};

/// The reply in what `ipmitool raw` printed, its error output included: completion code, then data.
/// An error, of kind retry, quotes what it said instead.
Result<std::vector<std::uint8_t>> ipmitool_reply(std::string_view printed);

/// Asks a management controller over the network (RMCP+) by running ipmitool once. Errors are of
/// kind retry, but for ipmitool not being there: missing.
Result<std::vector<std::uint8_t>> ask_over_lan(const IpmiLan& lan, const IpmiRequest& request,
                                               Nanoseconds timeout);

}  // namespace tokenjoule
