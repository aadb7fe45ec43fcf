#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "io/tls.hpp"

namespace tokenjoule {

/// For the connections that a server takes, with its certificate (first in the file, those that
/// signed it behind it) and its key, both PEM. Errors, of kind usage: a file that cannot be read,
/// holds neither, or a key of another certificate.
Result<TlsContext> server_context(const std::string& certificate_file, const std::string& key_file);

/// A certificate made on the spot, signed by itself; its key never leaves the program.
struct MadeCertificate {
  TlsContext context;  ///< for the connections of a server that shows it
  std::string pem;     ///< what a client has to trust
};

/// @param names who may be reached with it: names and IP addresses. Valid from an hour ago (clocks
/// differ) for 30 days. Errors: a name that cannot stand in a certificate.
Result<MadeCertificate> make_certificate_for(const std::vector<std::string>& names);

}  // namespace tokenjoule
