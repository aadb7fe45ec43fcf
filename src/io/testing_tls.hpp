#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

// Certificates and a TLS server for tests. Nothing but tests includes this.
namespace tokenjoule {

/// A key with its certificate, made on the spot, and what to sign others with.
struct TestCertificate {
  std::shared_ptr<EVP_PKEY> key;
  std::shared_ptr<X509> certificate;

  /// Writes the certificate as PEM; the name of the file.
  std::string file() const {
    const std::string path = fmt::format("{}/tokenjoule-{}-{}.pem", testing::TempDir(), ::getpid(),
                                         static_cast<const void*>(certificate.get()));
    BIO* const out = BIO_new_file(path.c_str(), "w");
    PEM_write_bio_X509(out, certificate.get());
    BIO_free(out);
    return path;
  }
};

struct CertificateWish {
  std::string names = "IP:127.0.0.1,IP:::1,DNS:localhost";  ///< subjectAltName
  int first_day = -1;                                       ///< from today on
  int last_day = 30;
  const TestCertificate* signer = nullptr;  ///< null: signed by itself
};

inline void add_extension(X509* certificate, int what, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

inline TestCertificate make_certificate(const CertificateWish& wish = {}) {
  constexpr long kDay = 24 * 3600;
  static std::atomic<long> serial{1};
  TestCertificate made;
  char curve[] = "P-256";  // the function that makes keys takes no constant
  made.key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve), EVP_PKEY_free);
  made.certificate.reset(X509_new(), X509_free);
  X509* const certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), wish.first_day * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), wish.last_day * kDay);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME* const name = X509_get_subject_name(certificate);
  const std::string common = fmt::format("test {}", serial.load());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0);
  const TestCertificate& signer = wish.signer != nullptr ? *wish.signer : made;
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get()));
  add_extension(certificate, NID_subject_alt_name, wish.names);
  if (wish.signer == nullptr) add_extension(certificate, NID_basic_constraints, "CA:TRUE");
  EXPECT_GT(X509_sign(certificate, signer.key.get(), EVP_sha256()), 0);
  return made;
}

/// A TLS server on loopback in front of a plain one: what it decrypts goes there, and what comes
/// back is encrypted, a record for each piece that it reads. One thread a connection.
class TlsFront {
 public:
  struct Options {
    /// Puts the bytes of the wire onto the socket; empty: all at once.
    std::function<void(int socket, std::string_view wire)> deliver;
    bool says_goodbye = true;  ///< close_notify before the end of the connection
    int version = 0;           ///< TLS1_2_VERSION, …; 0: any
    bool ipv6 = false;
  };

  TlsFront(std::uint16_t behind, const TestCertificate& identity)
      : TlsFront(behind, identity, Options()) {}
  TlsFront(std::uint16_t behind, const TestCertificate& identity, Options options)
      : behind_(behind), options_(std::move(options)), context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_use_certificate(context_, identity.certificate.get());
    SSL_CTX_use_PrivateKey(context_, identity.key.get());
    if (options_.version != 0) SSL_CTX_set_max_proto_version(context_, options_.version);
    if (options_.version != 0) SSL_CTX_set_min_proto_version(context_, options_.version);
    SSL_CTX_set_security_level(context_, 0);  // so that old versions can be offered at all
    SSL_CTX_set_alpn_select_cb(context_, note_alpn, this);
    listener_ = loopback(true, 0);
    sockaddr_in6 address{};
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin6_port);  // at the same place for IPv4
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~TlsFront() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& worker : workers_) worker.join();
    ::close(listener_);
    SSL_CTX_free(context_);
  }
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  std::string url(const std::string& host = "127.0.0.1") const {
    return fmt::format("https://{}:{}", host, port_);
  }
  int handshakes() const { return handshakes_; }
  std::string alpn() const {
    const std::lock_guard lock(mutex_);
    return alpn_;
  }
  std::string server_name() const {
    const std::lock_guard lock(mutex_);
    return server_name_;
  }

 private:
  struct Wire {
    SSL* tls;
    int outside;
    int inside;
  };

  /// A socket that listens at a free port of the loopback address, or is connected to one there.
  int loopback(bool listens, std::uint16_t port) const {
    const bool ipv6 = listens && options_.ipv6;
    sockaddr_storage storage{};
    auto* const six = reinterpret_cast<sockaddr_in6*>(&storage);
    auto* const four = reinterpret_cast<sockaddr_in*>(&storage);
    if (ipv6) {
      six->sin6_family = AF_INET6;
      six->sin6_addr = in6addr_loopback;
      six->sin6_port = htons(port);
    } else {
      four->sin_family = AF_INET;
      four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      four->sin_port = htons(port);
    }
    const socklen_t length = ipv6 ? sizeof *six : sizeof *four;
    const int made = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* const generic = reinterpret_cast<sockaddr*>(&storage);
    const bool works = listens ? ::bind(made, generic, length) == 0 && ::listen(made, 64) == 0
                               : ::connect(made, generic, length) == 0;
    EXPECT_TRUE(works);
    return made;
  }

  static int note_alpn(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                       const unsigned char* offered, unsigned int size, void* front) {
    auto& self = *static_cast<TlsFront*>(front);
    const std::lock_guard lock(self.mutex_);
    self.alpn_.assign(reinterpret_cast<const char*>(offered), size);
    *chosen = offered + 1;
    *chosen_size = offered[0];
    return SSL_TLSEXT_ERR_OK;
  }

  void accept_all() {
    while (!stopping_) {
      const int outside = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (outside < 0) return;
      const int on = 1;
      ::setsockopt(outside, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      workers_.emplace_back([this, outside] { serve(outside); });
    }
  }

  void serve(int outside) {
    SSL* const tls = SSL_new(context_);
    SSL_set_accept_state(tls);
    SSL_set_bio(tls, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    const Wire wire{tls, outside, -1};
    if (shake_hands(wire)) {
      ++handshakes_;
      const int inside = loopback(false, behind_);
      relay({tls, outside, inside});
      ::close(inside);
    }
    SSL_free(tls);
    ERR_clear_error();
    ::close(outside);
  }

  /// Bytes of the client into OpenSSL; false at their end.
  static bool take(const Wire& wire) {
    char bytes[16384];
    const ssize_t count = ::recv(wire.outside, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    BIO_write(SSL_get_rbio(wire.tls), bytes, static_cast<int>(count));
    return true;
  }

  void flush(const Wire& wire, bool shaped) const {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(wire.tls), &bytes);
    const std::string all(bytes, static_cast<std::size_t>(size));
    (void)BIO_reset(SSL_get_wbio(wire.tls));
    if (all.empty()) return;
    if (shaped && options_.deliver) {
      options_.deliver(wire.outside, all);
    } else {
      (void)!::send(wire.outside, all.data(), all.size(), MSG_NOSIGNAL);
    }
  }

  bool shake_hands(const Wire& wire) {
    while (true) {
      const int returned = SSL_do_handshake(wire.tls);
      flush(wire, false);
      if (returned == 1) break;
      if (SSL_get_error(wire.tls, returned) != SSL_ERROR_WANT_READ || !take(wire)) return false;
    }
    const std::lock_guard lock(mutex_);
    if (const char* name = SSL_get_servername(wire.tls, TLSEXT_NAMETYPE_host_name)) {
      server_name_ = name;
    }
    return true;
  }

  void relay(const Wire& wire) {
    // A request may have come together with the end of the handshake.
    if (!inwards(wire)) return;
    while (!stopping_) {
      pollfd ready[] = {{wire.outside, POLLIN, 0}, {wire.inside, POLLIN, 0}};
      if (::poll(ready, 2, 20) < 0) return;
      if (ready[0].revents != 0 && !(take(wire) && inwards(wire))) return;
      if (ready[1].revents != 0 && !outwards(wire)) return;
    }
  }

  static bool inwards(const Wire& wire) {
    char bytes[16384];
    int count = 0;
    while ((count = SSL_read(wire.tls, bytes, sizeof bytes)) > 0) {
      (void)!::send(wire.inside, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
    }
    return SSL_get_error(wire.tls, count) == SSL_ERROR_WANT_READ;
  }

  bool outwards(const Wire& wire) const {
    char bytes[16384];
    const ssize_t count = ::recv(wire.inside, bytes, sizeof bytes, 0);
    if (count > 0) {
      SSL_write(wire.tls, bytes, static_cast<int>(count));
      flush(wire, true);
      return true;
    }
    if (options_.says_goodbye) SSL_shutdown(wire.tls);
    flush(wire, false);
    return false;
  }

  std::uint16_t behind_;
  Options options_;
  SSL_CTX* context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> handshakes_{0};
  mutable std::mutex mutex_;
  std::string alpn_;
  std::string server_name_;
  std::list<std::thread> workers_;
  std::thread acceptor_;
};

}  // namespace tokenjoule
