// What TLS adds to the reading of an event: one record of 302 plain bytes (an event on the wire) a
// read, decrypted by the session of the load client. CPU time of this thread, without sockets:
// those cost the same with and without TLS. Prints one line; exits 1 above 4 us an event.

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/check.hpp"
#include "io/tls_session.hpp"

namespace tokenjoule::bench {
namespace {

constexpr int kEvents = 200'000;
constexpr int kRounds = 5;
constexpr double kMostMicroseconds = 4;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The server's end, in memory.
class Server {
 public:
  Server() : context_(SSL_CTX_new(TLS_server_method())) {
    char curve[] = "P-256";  // the function that makes keys takes no constant
    EVP_PKEY* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve);
    X509* const certificate = X509_new();
    X509_set_version(certificate, 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86'400);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    SSL_CTX_use_certificate(context_, certificate);
    SSL_CTX_use_PrivateKey(context_, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    tls_ = SSL_new(context_);
    SSL_set_accept_state(tls_);
    SSL_set_bio(tls_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  }
  ~Server() {
    SSL_free(tls_);
    SSL_CTX_free(context_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string answer_to(std::string_view bytes) {
    BIO_write(SSL_get_rbio(tls_), bytes.data(), static_cast<int>(bytes.size()));
    SSL_do_handshake(tls_);
    return outgoing();
  }
  std::string record(const std::string& plain) {
    SSL_write(tls_, plain.data(), static_cast<int>(plain.size()));
    return outgoing();
  }

 private:
  std::string outgoing() {
    std::string bytes(BIO_ctrl_pending(SSL_get_wbio(tls_)), '\0');
    BIO_read(SSL_get_wbio(tls_), bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }

  SSL_CTX* context_;
  SSL* tls_ = nullptr;
};

void shake_hands(TlsSession& client, Server& server) {
  std::string received;
  bool done = false;
  while (!done) {
    done = client.shake_hands(received).value();
    const std::string sent(client.outgoing());
    client.sent(sent.size());
    received = server.answer_to(sent);
  }
  std::vector<char> plain(received.size() + TlsSession::kMostKept);
  TJ_ASSERT(!client.read(received, plain).failure);  // tickets
}

/// Microseconds for each event of one round.
double round(TlsSession& client, Server& server) {
  const std::string event(302, 'x');
  std::vector<std::string> records;
  for (int i = 0; i < kEvents; ++i) records.push_back(server.record(event));
  std::vector<char> plain(2 * TlsSession::kMostKept);
  std::size_t bytes = 0;
  const double begin = cpu_seconds();
  for (const std::string& record : records) bytes += client.read(record, plain).count;
  const double taken = cpu_seconds() - begin;
  TJ_ASSERT(bytes == event.size() * kEvents);
  return taken * 1e6 / kEvents;
}

int run() {
  const TlsContext context =
      TlsContext::create({.verification = TlsOptions::Verification::none}).value();
  Server server;
  TlsSession client(context, "localhost");
  shake_hands(client, server);
  double least = 0;
  double most = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double cost = round(client, server);
    least = i == 0 ? cost : std::min(least, cost);
    most = std::max(most, cost);
  }
  fmt::print("TLS adds {:.2f} to {:.2f} us of CPU an event of 302 bytes (must be at most {})\n",
             least, most, kMostMicroseconds);
  return least <= kMostMicroseconds ? 0 : 1;
}

}  // namespace
}  // namespace tokenjoule::bench

int main() { return tokenjoule::bench::run(); }
