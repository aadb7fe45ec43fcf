#include "io/digest.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include "base/check.hpp"

namespace tokenjoule {

namespace {

std::string hex_of(std::span<const unsigned char> bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
  return hex;
}

std::string digest_of(std::string_view bytes, const EVP_MD* kind) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, kind, nullptr);
  TJ_ASSERT(done == 1);
  return std::string(reinterpret_cast<const char*>(digest.data()), length);
}

std::string uuid_text(std::span<unsigned char, 16> bytes, unsigned version) {
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | (version << 4U));
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  std::string text = hex_of(bytes);
  for (const std::size_t dash : {20U, 16U, 12U, 8U}) text.insert(dash, 1, '-');
  return text;
}

void fill_random(std::span<unsigned char> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    TJ_ASSERT(count > 0);
    filled += static_cast<std::size_t>(count);
  }
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  const std::string digest = digest_of(bytes, EVP_sha256());
  return hex_of({reinterpret_cast<const unsigned char*>(digest.data()), digest.size()});
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  TJ_ASSERT(state_->context != nullptr &&
            EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;

void Sha256::put(std::string_view bytes) {
  TJ_ASSERT(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  TJ_ASSERT(EVP_DigestFinal_ex(state_->context, digest.data(), &length) == 1);
  return hex_of(std::span(digest).first(length));
}

std::string uuid_of(std::string_view name) {
  // The project's namespace: a random UUID drawn once, 5b0d8d3e-6a0f-4c39-9a5e-1f6e2f0c7a11.
  static constexpr std::array<unsigned char, 16> kNamespace = {0x5b, 0x0d, 0x8d, 0x3e, 0x6a, 0x0f,
                                                               0x4c, 0x39, 0x9a, 0x5e, 0x1f, 0x6e,
                                                               0x2f, 0x0c, 0x7a, 0x11};
  std::string input(reinterpret_cast<const char*>(kNamespace.data()), kNamespace.size());
  input += name;
  const std::string digest = digest_of(input, EVP_sha1());
  std::array<unsigned char, 16> bytes{};
  std::copy_n(digest.begin(), bytes.size(), bytes.begin());
  return uuid_text(bytes, 5);
}

std::string random_uuid() {
  std::array<unsigned char, 16> bytes{};
  fill_random(bytes);
  return uuid_text(bytes, 4);
}

std::string random_hex(std::size_t count) {
  std::string bytes(count, '\0');
  fill_random({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
  return hex_of({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

}  // namespace tokenjoule
