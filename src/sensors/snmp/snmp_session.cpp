// net-snmp's headers come first: they decide what the system's headers define.
#include <net-snmp/net-snmp-config.h>
// A line of its own: the rest of net-snmp needs what the configuration defines.
#include <net-snmp/library/large_fd_set.h>
#include <net-snmp/net-snmp-includes.h>

#include "sensors/snmp/snmp_session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>

#include <fmt/core.h>
#include <poll.h>

#include "base/text.hpp"

namespace tokenjoule {

namespace {

/// The library keeps users, engine times and request numbers for all sessions together.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Once, with the lock held.
void start_library() {
  static const bool started = [] {
    for (const int option :
         {NETSNMP_DS_LIB_DONT_READ_CONFIGS, NETSNMP_DS_LIB_DONT_PERSIST_STATE,
          NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE,
          NETSNMP_DS_LIB_DONT_LOAD_HOST_FILES}) {
      netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, option, 1);
    }
    // It would make a folder for certificates, of a kind of transport that is not used here; below
    // a file no folder can be made.
    set_persistent_directory("/dev/null");
    snmp_disable_log();
    netsnmp_register_loghandler(NETSNMP_LOGHANDLER_NONE, LOG_DEBUG);
    // OIDs are used as numbers: without this all MIB files of the machine would be read.
    netsnmp_set_mib_directory("");
    init_snmp("tokenjoule");
    snmp_disable_log();
    return true;
  }();
  static_cast<void>(started);
}

struct Protocol {
  const char* name;
  const oid* id;
  std::size_t length;
};
template <std::size_t N>
constexpr Protocol protocol(const char* name, const oid (&id)[N]) {
  return {name, id, N};
}
const std::array<Protocol, 6>& auth_protocols() {
  static const std::array<Protocol, 6> table = {
      {protocol("MD5", usmHMACMD5AuthProtocol), protocol("SHA", usmHMACSHA1AuthProtocol),
       protocol("SHA-224", usmHMAC128SHA224AuthProtocol),
       protocol("SHA-256", usmHMAC192SHA256AuthProtocol),
       protocol("SHA-384", usmHMAC256SHA384AuthProtocol),
       protocol("SHA-512", usmHMAC384SHA512AuthProtocol)}};
  return table;
}
const std::array<Protocol, 4>& priv_protocols() {
  static const std::array<Protocol, 4> table = {
      {protocol("AES", usmAESPrivProtocol), protocol("AES-192", usmAES192PrivProtocol),
       protocol("AES-256", usmAES256PrivProtocol), protocol("DES", usmDESPrivProtocol)}};
  return table;
}

template <std::size_t N>
std::vector<std::string> names_of(const std::array<Protocol, N>& table) {
  std::vector<std::string> names;
  for (const Protocol& row : table) names.emplace_back(row.name);
  return names;
}

std::string peer_name(const SnmpAccess& access) {
  return access.host.find(':') == std::string::npos
             ? fmt::format("udp:{}:{}", access.host, access.port)
             : fmt::format("udp6:[{}]:{}", access.host, access.port);
}

SnmpValue value_of(const variable_list& variable) {
  using Type = SnmpValue::Type;
  switch (variable.type) {
    case ASN_INTEGER:
      return {.type = Type::integer, .number = static_cast<double>(*variable.val.integer)};
    case ASN_UNSIGNED:
      return {.type = Type::unsigned32,
              .number = static_cast<double>(*variable.val.integer & 0xffffffff)};
    case ASN_COUNTER:
      return {.type = Type::counter32,
              .number = static_cast<double>(*variable.val.integer & 0xffffffff)};
    case ASN_COUNTER64:
      return {.type = Type::counter64,
              .number = static_cast<double>(variable.val.counter64->high) * 4294967296.0 +
                        static_cast<double>(variable.val.counter64->low)};
    case ASN_OPAQUE_FLOAT:
      return {.type = Type::text, .text = fmt::format("{}", *variable.val.floatVal)};
    case ASN_OPAQUE_DOUBLE:
      return {.type = Type::text, .text = fmt::format("{}", *variable.val.doubleVal)};
    case ASN_OCTET_STR:
      return {.type = Type::text,
              .text = std::string(reinterpret_cast<const char*>(variable.val.string),
                                  variable.val_len)};
    case SNMP_NOSUCHOBJECT: return {.absence = "no such object"};
    case SNMP_NOSUCHINSTANCE: return {.absence = "no such instance"};
    case SNMP_ENDOFMIBVIEW: return {.absence = "end of the view"};
    default: return {.absence = "of a type that is no number"};
  }
}

/// One request and what came of it. Outlives the call that sent it: the library may still answer.
struct Exchange {
  int request_id = 0;
  bool done = false;
  std::string error;  ///< "" with an answer
  std::vector<SnmpValue> values;
};

constexpr char kNoAnswer[] = "no answer";

void take_answer(Exchange& exchange, const netsnmp_pdu& answer) {
  if (answer.command == SNMP_MSG_REPORT) {
    const int type = snmpv3_get_report_type(const_cast<netsnmp_pdu*>(&answer));
    exchange.error = type == SNMPERR_SUCCESS ? "it sent a report" : snmp_api_errstring(type);
    return;
  }
  if (answer.errstat != SNMP_ERR_NOERROR) {
    exchange.error = snmp_errstring(static_cast<int>(answer.errstat));
    return;
  }
  for (const variable_list* variable = answer.variables; variable != nullptr;
       variable = variable->next_variable) {
    exchange.values.push_back(value_of(*variable));
  }
}

int on_event(int operation, netsnmp_session*, int request_id, netsnmp_pdu* answer, void* magic) {
  Exchange& exchange = *static_cast<Exchange*>(magic);
  // A report that refuses a request does not carry the request's number.
  const bool is_report = answer != nullptr && answer->command == SNMP_MSG_REPORT;
  if (exchange.done || (!is_report && request_id != exchange.request_id)) return 1;
  exchange.done = true;
  if (is_report || operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE) {
    take_answer(exchange, *answer);
  } else if (operation == NETSNMP_CALLBACK_OP_TIMED_OUT) {
    exchange.error = kNoAnswer;
  } else if (operation == NETSNMP_CALLBACK_OP_SEND_FAILED) {
    exchange.error = "cannot be sent to";
  } else {
    exchange.error = "its answer is not secured as asked for";
  }
  return 1;
}

/// What the library or the system says of a session or of opening one, in one line.
std::string words_of(void* session, netsnmp_session* unopened) {
  char* words = nullptr;
  int system_error = 0, library_error = 0;
  if (session != nullptr) {
    snmp_sess_error(session, &system_error, &library_error, &words);
  } else {
    snmp_error(unopened, &system_error, &library_error, &words);
  }
  std::string text = words != nullptr ? words : "unknown";
  free(words);  // the library's own, by malloc
  return text;
}

/// The bytes that the library wants as pointers to what it will copy.
struct SessionText {
  std::string peer, community, user;
};

Status set_keys(netsnmp_session& session, const SnmpAccess& access) {
  session.version = SNMP_VERSION_3;
  session.securityModel = SNMP_SEC_MODEL_USM;
  session.securityLevel = access.auth_protocol.empty()   ? SNMP_SEC_LEVEL_NOAUTH
                          : access.priv_protocol.empty() ? SNMP_SEC_LEVEL_AUTHNOPRIV
                                                         : SNMP_SEC_LEVEL_AUTHPRIV;
  if (access.auth_protocol.empty()) return {};
  const auto named = [](const auto& table, const std::string& name) {
    return std::find_if(table.begin(), table.end(),
                        [&](const Protocol& row) { return row.name == name; });
  };
  const Protocol& auth = *named(auth_protocols(), access.auth_protocol);
  session.securityAuthProto = const_cast<oid*>(auth.id);
  session.securityAuthProtoLen = auth.length;
  session.securityAuthKeyLen = USM_AUTH_KU_LEN;
  const auto key_from = [&](const std::string& password, u_char* key, std::size_t* length) {
    return generate_Ku(auth.id, static_cast<u_int>(auth.length),
                       reinterpret_cast<const u_char*>(password.data()), password.size(), key,
                       length) == SNMPERR_SUCCESS;
  };
  bool made = key_from(access.auth_password, session.securityAuthKey, &session.securityAuthKeyLen);
  if (!access.priv_protocol.empty()) {
    const Protocol& priv = *named(priv_protocols(), access.priv_protocol);
    session.securityPrivProto = const_cast<oid*>(priv.id);
    session.securityPrivProtoLen = priv.length;
    session.securityPrivKeyLen = USM_PRIV_KU_LEN;
    made = made &&
           key_from(access.priv_password, session.securityPrivKey, &session.securityPrivKeyLen);
  }
  if (made) return {};
  return failure(ErrorKind::usage, "a key cannot be made from a password of SNMP v3",
                 "passwords of SNMP v3 have at least 8 characters");
}

}  // namespace

std::vector<std::string> snmp_auth_protocols() { return names_of(auth_protocols()); }
std::vector<std::string> snmp_priv_protocols() { return names_of(priv_protocols()); }

struct SnmpSession::Implementation {
  SnmpAccess access;
  void* session = nullptr;
  std::unique_ptr<Exchange> exchange = std::make_unique<Exchange>();

  ~Implementation() {
    const std::lock_guard lock(library_mutex());
    if (session != nullptr) snmp_sess_close(session);
  }

  std::string agent() const { return fmt::format("{} port {}", access.host, access.port); }

  Status send(std::span<const SnmpOid> oids) {
    const std::lock_guard lock(library_mutex());
    *exchange = {};
    netsnmp_pdu* request = snmp_pdu_create(SNMP_MSG_GET);
    for (const SnmpOid& each : oids) {
      const std::vector<oid> name(each.begin(), each.end());
      snmp_add_null_var(request, name.data(), name.size());
    }
    exchange->request_id = static_cast<int>(request->reqid);
    if (snmp_sess_send(session, request) != 0) return {};
    snmp_free_pdu(request);
    return failure(ErrorKind::retry, fmt::format("{}: {}", agent(), words_of(session, nullptr)),
                   "see whether the network is up");
  }

  /// Waits for the answer of what was sent, until the library gives it up.
  void wait() {
    const int socket = snmp_sess_transport(session)->sock;
    // The library counts the time-outs itself; looking often costs little and waits for nobody.
    constexpr int kLookEveryMs = 20;
    const auto tries = access.retries + 1.0;
    const auto longest = std::chrono::duration<double>(access.timeout.value() * tries + 1);
    const auto give_up = std::chrono::steady_clock::now() + longest;
    while (!exchange->done) {
      if (std::chrono::steady_clock::now() > give_up) {
        exchange->done = true;
        exchange->error = kNoAnswer;
        return;
      }
      pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
      const int events = poll(&ready, 1, kLookEveryMs);
      const std::lock_guard lock(library_mutex());
      if (events > 0) {
        netsnmp_large_fd_set readable;
        netsnmp_large_fd_set_init(&readable, FD_SETSIZE);
        netsnmp_large_fd_setfd(socket, &readable);
        snmp_sess_read2(session, &readable);
        netsnmp_large_fd_set_cleanup(&readable);
      }
      if (!exchange->done) snmp_sess_timeout(session);
    }
  }
};

SnmpSession::SnmpSession(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
SnmpSession::SnmpSession(SnmpSession&&) noexcept = default;
SnmpSession& SnmpSession::operator=(SnmpSession&&) noexcept = default;
SnmpSession::~SnmpSession() = default;

Result<SnmpSession> SnmpSession::open(const SnmpAccess& access) {
  auto made = std::make_unique<Implementation>();
  made->access = access;
  {
    const std::lock_guard lock(library_mutex());
    start_library();
    netsnmp_session wanted;
    snmp_sess_init(&wanted);
    SessionText text{peer_name(access), access.community, access.user};
    wanted.peername = text.peer.data();
    wanted.timeout = static_cast<long>(access.timeout.value() * 1e6);
    wanted.retries = access.retries;
    wanted.callback = on_event;
    wanted.callback_magic = made->exchange.get();
    if (access.user.empty()) {
      wanted.version = SNMP_VERSION_2c;
      wanted.community = reinterpret_cast<u_char*>(text.community.data());
      wanted.community_len = text.community.size();
    } else {
      wanted.securityName = text.user.data();
      wanted.securityNameLen = text.user.size();
      TRY_DO(set_keys(wanted, access));
    }
    made->session = snmp_sess_open(&wanted);
    if (made->session == nullptr) {
      return failure(
          ErrorKind::missing,
          fmt::format("no SNMP session with {}: {}", made->agent(), words_of(nullptr, &wanted)),
          "check host, port and that the agent speaks the version asked for");
    }
  }
  return SnmpSession(std::move(made));
}

Result<std::vector<SnmpValue>> SnmpSession::get(std::span<const SnmpOid> oids) {
  Implementation& own = *implementation_;
  TRY_DO(own.send(oids));
  own.wait();
  Exchange& exchange = *own.exchange;
  if (exchange.error.empty() && exchange.values.size() == oids.size()) {
    return std::move(exchange.values);
  }
  const std::string why = exchange.error.empty() ? "an answer of another length" : exchange.error;
  return failure(ErrorKind::retry, fmt::format("{}: {}", own.agent(), why),
                 own.access.user.empty()
                     ? "check host, port and community: an agent is silent to a wrong one"
                     : "check user, protocols and passwords of SNMP v3");
}

}  // namespace tokenjoule
