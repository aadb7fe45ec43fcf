#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tokenjoule {

struct IpmiRequest {
  std::uint8_t network_function = 0;  ///< IPMI 2.0, section 5.1
  std::uint8_t command = 0;
  std::vector<std::uint8_t> data;
};

/// The management controller of this machine, through the kernel's device file. Needs root as a
/// rule. Used from one thread.
class IpmiDevice {
 public:
  /// ioctl(2), or what a test puts in its place.
  using Ioctl = int (*)(int descriptor, unsigned long request, void* argument);

  /// Errors, of kind missing: no such file, no rights.
  static Result<IpmiDevice> open(const std::string& path);
  /// Takes the descriptor over.
  IpmiDevice(int descriptor, Ioctl call) : descriptor_(descriptor), call_(call) {}
  IpmiDevice(IpmiDevice&& other) noexcept;
  IpmiDevice& operator=(IpmiDevice&& other) noexcept;
  IpmiDevice(const IpmiDevice&) = delete;
  IpmiDevice& operator=(const IpmiDevice&) = delete;
  ~IpmiDevice();

  /// The reply: first its completion code, which may tell of an error, then its data. Errors, of
  /// kind retry: no reply in time, or the kernel refuses.
  Result<std::vector<std::uint8_t>> ask(const IpmiRequest& request, Nanoseconds timeout);

 private:
  Status send(const IpmiRequest& request);

  int descriptor_ = -1;
  Ioctl call_;
  long last_id_ = 0;
};

}  // namespace tokenjoule
