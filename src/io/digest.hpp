#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tokenjoule {

/// SHA-256 in lower-case hex (64 characters).
std::string sha256_hex(std::string_view bytes);

/// The same of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();
  void put(std::string_view bytes);
  /// Of all so far; nothing can be put behind it.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A name-based UUID (RFC 9562, version 5) in our own namespace: same name, same UUID.
std::string uuid_of(std::string_view name);
/// A random UUID (version 4) from the kernel's random source.
std::string random_uuid();
/// `count` random bytes as lower-case hex, from the kernel's random source.
std::string random_hex(std::size_t count);

}  // namespace tokenjoule
