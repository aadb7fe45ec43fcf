#pragma once

#include <memory>
#include <string>

#include "base/json_view.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/url.hpp"
#include "io/http_client.hpp"

namespace tokenjoule {

struct RedfishAccess {
  enum class Login {
    none,     ///< no user was given
    session,  ///< a session is made, its token sent, and the session deleted at the end
    basic,    ///< user and password go with every request
  };
  Url base;  ///< scheme, host and port
  Login login = Login::none;
  std::string user;
  std::string password;
  Seconds timeout{10.0};  ///< of one exchange
  TlsOptions tls;
};

/// Reads the JSON pages of a Redfish service (DMTF DSP0266) and deletes its session at the end,
/// whichever way that comes: a management controller allows but a few of them.
class RedfishClient {
 public:
  explicit RedfishClient(RedfishAccess access);
  ~RedfishClient();
  RedfishClient(const RedfishClient&) = delete;
  RedfishClient& operator=(const RedfishClient&) = delete;

  /// The page at a path such as "/redfish/v1/Chassis". A session that has expired is made anew,
  /// once. Errors: `unavailable` for a user who is refused, who is never tried again, since a
  /// controller locks an account after a few tries; `missing` for all else, which may pass.
  Result<JsonDocument> get(const std::string& path);
  const Url& base() const { return access_.base; }

 private:
  Result<HttpReply> reply_of(const std::string& path);
  Status log_in();
  void log_out();
  Result<JsonDocument> document_of(const std::string& path, const HttpReply& reply) const;

  RedfishAccess access_;
  HttpClient http_;
  std::string session_path_;  ///< what to delete at the end; "" if there is no session
  bool logged_in_ = false;
};

}  // namespace tokenjoule
