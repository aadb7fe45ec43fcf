#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// A TCP connection over which lines of text go both ways, as with a telnet program. Used from one
/// thread.
class LineClient {
 public:
  /// Errors, of kind missing: no such host, refused, no answer in time.
  static Result<LineClient> connect(const std::string& host, std::uint16_t port,
                                    Nanoseconds timeout);
  LineClient(LineClient&& other) noexcept;
  LineClient& operator=(LineClient&& other) noexcept;
  LineClient(const LineClient&) = delete;
  LineClient& operator=(const LineClient&) = delete;
  ~LineClient();

  /// Sends the line with CR and LF behind it. An error, of kind missing, is the connection's end.
  Status send(std::string_view line);
  /// The next line, without CR and LF. Errors, of kind missing: none came in time, the connection
  /// has ended, or a line without an end.
  Result<std::string> next_line(Nanoseconds timeout);

 private:
  LineClient(int socket, std::string name) : socket_(socket), name_(std::move(name)) {}
  tl::unexpected<Error> ended(std::string_view why) const;

  int socket_ = -1;
  std::string name_;  ///< "host:port"
  std::string unread_;
};

}  // namespace tokenjoule
