#pragma once

#include <cstddef>

#include <sys/ioctl.h>

// What the kernel's IPMI device speaks (Linux, include/uapi/linux/ipmi.h), declared anew: that
// header is not everywhere, and its layout never changes. Held against it by a test.
namespace tokenjoule::ipmi_abi {

struct SystemInterfaceAddress {
  int type = 0x0c;      ///< the controller of this machine
  short channel = 0xf;  ///< likewise
  unsigned char lun = 0;
};

struct Message {
  unsigned char network_function;
  unsigned char command;
  unsigned short data_size;
  unsigned char* data;
};

struct Request {
  unsigned char* address;
  unsigned address_size;
  long id;  ///< comes back with the response
  Message message;
};

struct Response {
  int type;
  unsigned char* address;
  unsigned address_size;  ///< of the buffer; of the address afterwards
  long id;
  Message message;  ///< likewise with data_size
};

constexpr int kIsResponse = 1;
constexpr std::size_t kLongestMessage = 272;
constexpr unsigned long kSendCommand = _IOR('i', 13, Request);
constexpr unsigned long kReceiveTruncated = _IOWR('i', 11, Response);

}  // namespace tokenjoule::ipmi_abi
