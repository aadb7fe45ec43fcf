#include "io/line_client.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.hpp"
#include "io/clock.hpp"

namespace tokenjoule {
namespace {

constexpr std::size_t kLongestLine = 1 << 16;

int milliseconds_of(Nanoseconds time) {
  return static_cast<int>(
      std::clamp<std::int64_t>((time.count + 999'999) / 1'000'000, 0, 86'400'000));
}

/// A connected socket, or -1 with errno set.
int connected_socket(const addrinfo& address, Nanoseconds timeout) {
  const int made = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  int code = 0;
  if (::connect(made, address.ai_addr, address.ai_addrlen) != 0) {
    code = errno;
    pollfd waiting{made, POLLOUT, 0};
    if (code == EINPROGRESS && ::poll(&waiting, 1, milliseconds_of(timeout)) == 1) {
      socklen_t size = sizeof code;
      ::getsockopt(made, SOL_SOCKET, SO_ERROR, &code, &size);
    } else if (code == EINPROGRESS) {
      code = ETIMEDOUT;
    }
  }
  if (code == 0) return made;
  ::close(made);
  errno = code;
  return -1;
}

}  // namespace

Result<LineClient> LineClient::connect(const std::string& host, std::uint16_t port,
                                       Nanoseconds timeout) {
  const std::string name = fmt::format("{}:{}", host, port);
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wish, &found) != 0) {
    return failure(ErrorKind::missing, fmt::format("there is no host named {}", quoted(host)),
                   "check the host's name");
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const int socket = connected_socket(*address, timeout);
    if (socket >= 0) return LineClient(socket, name);
  }
  return failure(ErrorKind::missing, fmt::format("{}: {}", quoted(name), std::strerror(errno)),
                 "start what should listen there, or check host and port");
}

LineClient::LineClient(LineClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      name_(std::move(other.name_)),
      unread_(std::move(other.unread_)) {}

LineClient& LineClient::operator=(LineClient&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(name_, other.name_);
  std::swap(unread_, other.unread_);
  return *this;
}

LineClient::~LineClient() {
  if (socket_ >= 0) ::close(socket_);
}

tl::unexpected<Error> LineClient::ended(std::string_view why) const {
  return failure(ErrorKind::missing, fmt::format("{}: {}", quoted(name_), why),
                 "see whether the program that listens there still runs");
}

Status LineClient::send(std::string_view line) {
  // Short lines: what does not fit into the socket's buffer at once means that nobody reads.
  const std::string bytes = std::string(line) + "\r\n";
  const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(bytes.size())) return {};
  return ended("the connection has ended");
}

Result<std::string> LineClient::next_line(Nanoseconds timeout) {
  SystemClock clock;
  const MonoTime deadline = clock.now() + timeout;
  while (true) {
    if (const auto end = unread_.find('\n'); end != unread_.npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    if (unread_.size() > kLongestLine) return ended("a line has no end");
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, milliseconds_of(deadline - clock.now()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return ended("no answer in time");
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return ended("the connection has ended");
    unread_.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace tokenjoule
