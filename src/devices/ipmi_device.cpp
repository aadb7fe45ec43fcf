#include "devices/ipmi_device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "devices/ipmi_abi.hpp"
#include "io/clock.hpp"

namespace tokenjoule {
namespace {

int system_ioctl(int descriptor, unsigned long request, void* argument) {
  return ::ioctl(descriptor, request, argument);
}

tl::unexpected<Error> failed(const char* what) {
  return failure(ErrorKind::retry,
                 fmt::format("the IPMI device {}: {}", what, std::strerror(errno)),
                 "see the kernel's log: dmesg | grep -i ipmi");
}

}  // namespace

Result<IpmiDevice> IpmiDevice::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor >= 0) return IpmiDevice(descriptor, system_ioctl);
  const int code = errno;
  return failure(
      ErrorKind::missing, fmt::format("cannot open {}: {}", path, std::strerror(code)),
      code == EACCES || code == EPERM
          ? fmt::format("run as root, or let your user open it: sudo setfacl -m u:$USER:rw {}",
                        path)
          : "load the kernel's driver, sudo modprobe -a ipmi_si ipmi_devintf, or ask the "
            "management "
            "controller over the network: --sensor ipmi:host=HOST,user=NAME,password_file=FILE");
}

IpmiDevice::IpmiDevice(IpmiDevice&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      call_(other.call_),
      last_id_(other.last_id_) {}

IpmiDevice& IpmiDevice::operator=(IpmiDevice&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(call_, other.call_);
  std::swap(last_id_, other.last_id_);
  return *this;
}

IpmiDevice::~IpmiDevice() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status IpmiDevice::send(const IpmiRequest& request) {
  ipmi_abi::SystemInterfaceAddress address;
  std::vector<std::uint8_t> data = request.data;
  ipmi_abi::Request wire{.address = reinterpret_cast<unsigned char*>(&address),
                         .address_size = sizeof address,
                         .id = ++last_id_,
                         .message = {request.network_function, request.command,
                                     static_cast<unsigned short>(data.size()), data.data()}};
  if (call_(descriptor_, ipmi_abi::kSendCommand, &wire) != 0) return failed("takes no request");
  return {};
}

Result<std::vector<std::uint8_t>> IpmiDevice::ask(const IpmiRequest& request, Nanoseconds timeout) {
  TRY_DO(send(request));
  SystemClock clock;
  const MonoTime deadline = clock.now() + timeout;
  std::array<std::uint8_t, ipmi_abi::kLongestMessage> data{};
  while (true) {
    const std::int64_t left = std::max<std::int64_t>((deadline - clock.now()).count, 0);
    pollfd waiting{descriptor_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>((left + 999'999) / 1'000'000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return failed("cannot be waited for");
    if (ready == 0) {
      return failure(ErrorKind::retry, "the management controller gave no answer in time",
                     "allow it more with timeout=");
    }
    ipmi_abi::SystemInterfaceAddress address;
    ipmi_abi::Response wire{
        .type = 0,
        .address = reinterpret_cast<unsigned char*>(&address),
        .address_size = sizeof address,
        .id = 0,
        .message = {0, 0, static_cast<unsigned short>(data.size()), data.data()}};
    if (call_(descriptor_, ipmi_abi::kReceiveTruncated, &wire) != 0) {
      if (errno == EAGAIN || errno == EINTR) continue;
      return failed("gives no answer");
    }
    // An event, or what answers a request that was given up before.
    if (wire.type != ipmi_abi::kIsResponse || wire.id != last_id_) continue;
    return std::vector<std::uint8_t>(data.begin(), data.begin() + wire.message.data_size);
  }
}

}  // namespace tokenjoule
