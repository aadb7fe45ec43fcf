#include "io/tls_server.hpp"

#include <cstdint>
#include <memory>

#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

struct FreeOpenssl {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(ASN1_OCTET_STRING* bytes) const { ASN1_OCTET_STRING_free(bytes); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenssl>;

tl::unexpected<Error> unusable_file(const std::string& path, std::string_view what) {
  const char* const reason = ERR_reason_error_string(take_tls_code());
  return failure(ErrorKind::usage,
                 fmt::format("no {} can be used from {}: {}", what, quoted(path),
                             reason != nullptr ? reason : "it holds none"),
                 "give PEM files, and the key that the certificate was made with: --tls-cert FILE "
                 "--tls-key FILE");
}

/// "IP:127.0.0.1,DNS:localhost", as OpenSSL's configuration writes it.
std::string alternative_names(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    const Owned<ASN1_OCTET_STRING> address(a2i_IPADDRESS(name.c_str()));
    all += fmt::format("{}{}:{}", all.empty() ? "" : ",", address ? "IP" : "DNS", name);
  }
  ERR_clear_error();
  return all;
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  const Owned<X509_EXTENSION> made(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
  return made && X509_add_ext(certificate, made.get(), -1) == 1;
}

/// Serial numbers are random, so that a browser or a trust store never meets one twice.
void set_serial(X509* certificate) {
  std::uint64_t serial = 0;
  TJ_ASSERT(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1U);
}

void set_name(X509* certificate) {
  constexpr unsigned char kName[] = "tokenjoule simulate";
  X509_NAME* const name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, kName, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
}

void set_validity(X509* certificate) {
  constexpr long kHour = 3600;
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 30 * 24 * kHour);
}

std::string pem_of(X509* certificate) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  TJ_ASSERT(out && PEM_write_bio_X509(out.get(), certificate) == 1);
  BUF_MEM* bytes = nullptr;
  BIO_get_mem_ptr(out.get(), &bytes);
  return {bytes->data, bytes->length};
}

}  // namespace

Result<TlsContext> server_context(const std::string& certificate_file,
                                  const std::string& key_file) {
  const TlsContext context = TlsContext::create_server();
  SSL_CTX* const native = context.native();
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(native, certificate_file.c_str()) != 1)
    return unusable_file(certificate_file, "certificate");
  if (SSL_CTX_use_PrivateKey_file(native, key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return unusable_file(key_file, "key");
  return context;
}

Result<MadeCertificate> make_certificate_for(const std::vector<std::string>& names) {
  char curve[] = "P-256";  // the function that makes keys takes no constant
  const Owned<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
  const Owned<X509> made(X509_new());
  X509* const certificate = made.get();
  TJ_ASSERT(key && certificate != nullptr);
  X509_set_version(certificate, 2);  // counted from 0: version 3
  set_serial(certificate);
  set_name(certificate);
  set_validity(certificate);
  X509_set_pubkey(certificate, key.get());
  if (!add_extension(certificate, NID_subject_alt_name, alternative_names(names)) ||
      !add_extension(certificate, NID_basic_constraints, "CA:TRUE"))
    return failure(ErrorKind::usage, "no certificate can be made for these names",
                   "give an address or a name of this machine");
  TJ_ASSERT(X509_sign(certificate, key.get(), EVP_sha256()) > 0);
  const TlsContext context = TlsContext::create_server();
  TJ_ASSERT(SSL_CTX_use_certificate(context.native(), certificate) == 1);
  TJ_ASSERT(SSL_CTX_use_PrivateKey(context.native(), key.get()) == 1);
  return MadeCertificate{context, pem_of(certificate)};
}

}  // namespace tokenjoule
