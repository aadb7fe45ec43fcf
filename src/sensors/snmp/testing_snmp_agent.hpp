#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sensors/snmp/snmp_value.hpp"

// An SNMP v2c agent on loopback for tests. Nothing but tests includes this.
namespace tokenjoule {

/// Answers GET requests from a map of OIDs, in BER (RFC 3416). Values may be changed meanwhile.
class ScriptedAgent {
 public:
  /// ASN.1 tags of values (RFC 2578).
  static constexpr int kInteger = 0x02, kText = 0x04, kCounter32 = 0x41, kGauge32 = 0x42,
                       kCounter64 = 0x46;
  struct Value {
    int tag = kInteger;
    std::int64_t number = 0;
    std::string text = {};  ///< of kText
  };

  explicit ScriptedAgent(std::map<std::string, Value> values) : values_(std::move(values)) {
    socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(socket_, generic, length), 0);
    EXPECT_EQ(getsockname(socket_, generic, &length), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedAgent() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  ScriptedAgent(const ScriptedAgent&) = delete;
  ScriptedAgent& operator=(const ScriptedAgent&) = delete;

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  void set(const std::string& oid, Value value) {
    const std::lock_guard lock(mutex_);
    values_[oid] = std::move(value);
  }
  void set_silent(bool silent) {
    const std::lock_guard lock(mutex_);
    silent_ = silent;
  }
  int requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  /// A tag with its content, off the front of `bytes`.
  static std::string take(std::string& bytes) {
    std::size_t length = static_cast<unsigned char>(bytes[1]), head = 2;
    if (length & 0x80) {
      const std::size_t count = length & 0x7f;
      for (length = 0; head < 2 + count; ++head)
        length = length << 8 | static_cast<unsigned char>(bytes[head]);
    }
    std::string content = bytes.substr(head, length);
    bytes.erase(0, head + length);
    return content;
  }
  static std::string tagged(int tag, const std::string& content) {
    std::string bytes(1, static_cast<char>(tag));
    if (content.size() < 128) return bytes + static_cast<char>(content.size()) + content;
    bytes += static_cast<char>(0x82);
    bytes += static_cast<char>(content.size() >> 8);
    return bytes + static_cast<char>(content.size() & 0xff) + content;
  }
  static SnmpOid oid_in(const std::string& bytes) {
    SnmpOid oid = {static_cast<unsigned char>(bytes[0]) / 40u,
                   static_cast<unsigned char>(bytes[0]) % 40u};
    std::uint64_t number = 0;
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      number = number << 7 | (static_cast<unsigned char>(bytes[i]) & 0x7f);
      if (static_cast<unsigned char>(bytes[i]) & 0x80) continue;
      oid.push_back(number);
      number = 0;
    }
    return oid;
  }
  static std::string bytes_of(const Value& value) {
    if (value.tag == kText) return tagged(kText, value.text);
    std::string content;
    for (int shift = 56; shift >= 0; shift -= 8)
      content += static_cast<char>(value.number >> shift & 0xff);
    // As few bytes as hold the number and its sign.
    while (content.size() > 1 && ((content[0] == 0 && !(content[1] & 0x80)) ||
                                  (content[0] == '\xff' && content[1] & 0x80))) {
      content.erase(0, 1);
    }
    return tagged(value.tag, content);
  }

  std::string answer_to(std::string message) {
    std::string request = take(message);
    const std::string version = request.substr(0, 3);
    take(request);
    const std::string community = take(request);
    std::string pdu = take(request);
    const std::string id = take(pdu);
    take(pdu);
    take(pdu);
    std::string bindings = take(pdu), answers;
    while (!bindings.empty()) {
      std::string binding = take(bindings);
      const std::string name = take(binding);
      const auto at = values_.find(text_of(oid_in(name)));
      answers += tagged(0x30, tagged(0x06, name) + (at == values_.end() ? std::string("\x81\0", 2)
                                                                        : bytes_of(at->second)));
    }
    const std::string zero("\x02\x01\0", 3);
    return tagged(0x30, version + tagged(0x04, community) +
                            tagged(0xa2, tagged(0x02, id) + zero + zero + tagged(0x30, answers)));
  }

  void serve() {
    std::string bytes(65536, '\0');
    for (;;) {
      sockaddr_in from{};
      socklen_t length = sizeof from;
      auto* generic = reinterpret_cast<sockaddr*>(&from);
      const auto size = recvfrom(socket_, bytes.data(), bytes.size(), 0, generic, &length);
      if (size <= 0) return;
      const std::lock_guard lock(mutex_);
      ++requests_;
      if (silent_) continue;
      const std::string answer = answer_to(bytes.substr(0, static_cast<std::size_t>(size)));
      sendto(socket_, answer.data(), answer.size(), 0, generic, length);
    }
  }

  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::map<std::string, Value> values_;
  bool silent_ = false;
  int requests_ = 0;
  std::thread thread_;
};

}  // namespace tokenjoule
