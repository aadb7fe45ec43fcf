#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "sensors/snmp/snmp_value.hpp"

namespace tokenjoule {

/// How to reach an agent. Exactly one of a community (v2c) and a user (v3).
struct SnmpAccess {
  std::string host;  ///< name, IPv4, or IPv6 without brackets
  std::uint16_t port = 161;
  Seconds timeout{1.0};  ///< for one try
  int retries = 1;
  std::string community = {};      ///< v2c; "" for v3
  std::string user = {};           ///< v3; "" for v2c
  std::string auth_protocol = {};  ///< MD5, SHA, SHA-224, SHA-256, SHA-384, SHA-512; "" for none
  std::string auth_password = {};
  std::string priv_protocol = {};  ///< AES, AES-192, AES-256, DES; "" for none
  std::string priv_password = {};
};

/// The protocol names that SnmpAccess takes.
std::vector<std::string> snmp_auth_protocols();
std::vector<std::string> snmp_priv_protocols();

/// A conversation with one SNMP agent over UDP, by net-snmp's library. Used from one thread; any
/// number of sessions may be used by as many threads: the library is entered by one of them at a
/// time, and waiting for answers is done outside it. The library reads no configuration file,
/// writes no state file and no log.
class SnmpSession {
 public:
  /// For v3 this asks the agent for its identity, within the time-out. Errors: `missing`.
  static Result<SnmpSession> open(const SnmpAccess& access);
  SnmpSession(SnmpSession&&) noexcept;
  SnmpSession& operator=(SnmpSession&&) noexcept;
  ~SnmpSession();

  /// The values of those OIDs, in order, in one exchange of at most 40 OIDs. Takes at most
  /// (retries + 1) time-outs. Errors: `retry`, with what the agent or the library said.
  Result<std::vector<SnmpValue>> get(std::span<const SnmpOid> oids);

 private:
  struct Implementation;
  explicit SnmpSession(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tokenjoule
