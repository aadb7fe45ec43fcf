#include "devices/ipmi_device.hpp"

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>
#include <linux/ipmi.h>
#include <sys/socket.h>
#include <unistd.h>

#include "devices/ipmi_abi.hpp"

namespace tokenjoule {
namespace {

static_assert(ipmi_abi::kSendCommand == IPMICTL_SEND_COMMAND);
static_assert(ipmi_abi::kReceiveTruncated == IPMICTL_RECEIVE_MSG_TRUNC);
static_assert(ipmi_abi::kIsResponse == IPMI_RESPONSE_RECV_TYPE);
static_assert(ipmi_abi::kLongestMessage == IPMI_MAX_MSG_LENGTH);
static_assert(sizeof(ipmi_abi::SystemInterfaceAddress) == sizeof(ipmi_system_interface_addr));
static_assert(offsetof(ipmi_abi::SystemInterfaceAddress, lun) ==
              offsetof(ipmi_system_interface_addr, lun));
static_assert(sizeof(ipmi_abi::Request) == sizeof(ipmi_req));
static_assert(offsetof(ipmi_abi::Request, message) == offsetof(ipmi_req, msg));
static_assert(sizeof(ipmi_abi::Response) == sizeof(ipmi_recv));
static_assert(offsetof(ipmi_abi::Response, id) == offsetof(ipmi_recv, msgid));
static_assert(offsetof(ipmi_abi::Response, message) == offsetof(ipmi_recv, msg));
static_assert(offsetof(ipmi_abi::Message, data) == offsetof(ipmi_msg, data));

/// What stands in for the kernel: takes one request, then gives an event, an answer to an older
/// request, and the answer meant.
struct Kernel {
  ipmi_req seen{};
  ipmi_system_interface_addr address{};
  std::vector<unsigned char> data;
  int calls = 0;
  bool refuses = false;
};
Kernel kernel;

int kernel_call(int, unsigned long request, void* argument) {
  if (kernel.refuses) {
    errno = ENODEV;
    return -1;
  }
  if (request == IPMICTL_SEND_COMMAND) {
    kernel.seen = *static_cast<ipmi_req*>(argument);
    std::memcpy(&kernel.address, kernel.seen.addr, sizeof kernel.address);
    kernel.data.assign(kernel.seen.msg.data, kernel.seen.msg.data + kernel.seen.msg.data_len);
    return 0;
  }
  auto& answer = *static_cast<ipmi_recv*>(argument);
  const int call = kernel.calls++;
  answer.recv_type = call == 0 ? IPMI_ASYNC_EVENT_RECV_TYPE : IPMI_RESPONSE_RECV_TYPE;
  answer.msgid = call == 1 ? kernel.seen.msgid - 1 : kernel.seen.msgid;
  answer.msg.data[0] = static_cast<unsigned char>(call);
  answer.msg.data[1] = 0xdc;
  answer.msg.data_len = 2;
  return 0;
}

/// A device whose descriptor is always ready to be read.
IpmiDevice ready_device(int (&ends)[2]) {
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  kernel = {};
  return {ends[0], kernel_call};
}

TEST(IpmiDevice, AsksTheControllerOfThisMachineAndTakesTheAnswerToThatRequest) {
  int ends[2];
  IpmiDevice device = ready_device(ends);
  const auto reply = device.ask({0x2c, 0x02, {0xdc, 0x01}}, whole_seconds(60));
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(*reply, (std::vector<std::uint8_t>{2, 0xdc}));  // the third message
  EXPECT_EQ(kernel.address.addr_type, IPMI_SYSTEM_INTERFACE_ADDR_TYPE);
  EXPECT_EQ(kernel.address.channel, IPMI_BMC_CHANNEL);
  EXPECT_EQ(kernel.seen.addr_len, sizeof kernel.address);
  EXPECT_EQ(kernel.seen.msg.netfn, 0x2c);
  EXPECT_EQ(kernel.seen.msg.cmd, 0x02);
  EXPECT_EQ(kernel.data, (std::vector<unsigned char>{0xdc, 0x01}));
  close(ends[1]);
}

TEST(IpmiDevice, AControllerThatDoesNotAnswerAndAKernelThatRefusesAreTriedAgain) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  kernel = {};
  IpmiDevice device(ends[0], kernel_call);
  const auto late = device.ask({0x2c, 0x02, {}}, milliseconds(1));
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().kind, ErrorKind::retry);
  EXPECT_NE(late.error().message.find("in time"), std::string::npos);
  kernel.refuses = true;
  EXPECT_EQ(device.ask({0x2c, 0x02, {}}, milliseconds(1)).error().kind, ErrorKind::retry);
  close(ends[1]);
}

TEST(IpmiDevice, WithoutTheKernelsDriverTheHintSaysHowToLoadIt) {
  const auto device = IpmiDevice::open("/no/such/ipmi0");
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().kind, ErrorKind::missing);
  EXPECT_NE(device.error().hint.find("modprobe"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
