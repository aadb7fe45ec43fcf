#include "sensors/redfish/redfish_client.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tokenjoule {
namespace {

constexpr char kSessions[] = "/redfish/v1/SessionService/Sessions";

Url at(const Url& base, const std::string& path) {
  Url url = base;
  url.path = path;
  return url;
}

Url base_with_user(const RedfishAccess& access) {
  Url base = access.base;
  if (access.login == RedfishAccess::Login::basic) {
    base.user_info = user_info_of(access.user, access.password);
  }
  return base;
}

tl::unexpected<Error> refused(const RedfishAccess& access, int status) {
  if (access.login == RedfishAccess::Login::none) {
    return failure(ErrorKind::unavailable,
                   fmt::format("{} wants to know who asks (status {})", access.base.text(), status),
                   "give user=NAME and password_file=FILE or password_env=VARIABLE");
  }
  return failure(ErrorKind::unavailable,
                 fmt::format("{} refuses the user {} (status {})", access.base.text(),
                             quoted(access.user), status),
                 "check user, password and that the user may log in and read; it is not tried "
                 "again, since controllers lock an account after a few tries");
}

/// Where the session stands: the path of the Location header, which may be a whole URL.
std::string session_path(const HttpReply& reply) {
  std::string where = reply.location;
  if (where.empty()) {
    const auto body = JsonDocument::parse(reply.body);
    if (body) where = std::string(body->root()["@odata.id"].string().value_or(""));
  }
  if (starts_with(where, "/")) return where;
  const auto url = url_in(where);
  return url ? url->path : std::string();
}

}  // namespace

RedfishClient::RedfishClient(RedfishAccess access)
    : access_(std::move(access)),
      http_({.timeout = access_.timeout,
             .headers = {{"Accept", "application/json"}, {"OData-Version", "4.0"}},
             .tls = access_.tls}) {}

RedfishClient::~RedfishClient() { log_out(); }

void RedfishClient::log_out() {
  // A controller that does not answer any more lets the session expire by itself.
  if (!session_path_.empty()) (void)http_.remove(at(access_.base, session_path_));
  session_path_.clear();
  http_.set_header("X-Auth-Token", "");
  logged_in_ = false;
}

Status RedfishClient::log_in() {
  const nlohmann::json body = {{"UserName", access_.user}, {"Password", access_.password}};
  TRY(const HttpReply reply,
      http_.post_json(at(access_.base, kSessions),
                      body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  if (reply.status == 400 || reply.status == 401 || reply.status == 403) {
    return refused(access_, reply.status);
  }
  session_path_ = session_path(reply);
  if (reply.status < 200 || reply.status > 299 || reply.auth_token.empty()) {
    session_path_.clear();
    return failure(ErrorKind::missing,
                   fmt::format("{}{} gives no session: it {}", access_.base.text(), kSessions,
                               status_words(reply)),
                   "where it has no sessions give auth=basic; where there are too many of them end "
                   "some, or wait until they expire");
  }
  http_.set_header("X-Auth-Token", reply.auth_token);
  logged_in_ = true;
  return {};
}

Result<HttpReply> RedfishClient::reply_of(const std::string& path) {
  const Url url = at(base_with_user(access_), path);
  if (access_.login != RedfishAccess::Login::session) return http_.get(url);
  const bool had_session = logged_in_;
  if (!had_session) TRY_DO(log_in());
  auto reply = http_.get(url);
  if (!reply || reply->status != 401 || !had_session) return reply;
  session_path_.clear();  // it has expired: there is nothing to delete
  log_out();
  TRY_DO(log_in());
  return http_.get(url);
}

Result<JsonDocument> RedfishClient::document_of(const std::string& path,
                                                const HttpReply& reply) const {
  if (reply.status == 401 || reply.status == 403) return refused(access_, reply.status);
  const std::string page = access_.base.text() + path;
  if (reply.status != 200) {
    return failure(ErrorKind::missing, fmt::format("{} {}", page, status_words(reply)),
                   "check that this is the URL of a management controller that speaks Redfish");
  }
  auto document = JsonDocument::parse(reply.body);
  if (document) return document;
  return failure(ErrorKind::missing, fmt::format("{}: {}", page, document.error().message),
                 "check that this is the URL of a management controller that speaks Redfish");
}

Result<JsonDocument> RedfishClient::get(const std::string& path) {
  TRY(const HttpReply reply, reply_of(path));
  return document_of(path, reply);
}

}  // namespace tokenjoule
