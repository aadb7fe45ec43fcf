#include "load/descriptor_limit.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/resource.h>

namespace tokenjoule {

namespace {

// Sensors, run files, libraries and scrapes hold descriptors of their own.
constexpr std::uint64_t kForOthers = 128;

}  // namespace

Status allow_descriptors(std::uint64_t count) {
  const std::uint64_t wanted = count + kForOthers;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return failure(ErrorKind::missing,
                   fmt::format("cannot read the limit on open files: {}", std::strerror(errno)));
  }
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted) return {};
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted) {
    return failure(ErrorKind::missing,
                   fmt::format("{} open files are needed, but the hard limit (RLIMIT_NOFILE) is {}",
                               wanted, limit.rlim_max),
                   fmt::format("raise it (ulimit -n {} as root, or LimitNOFILE= of the unit), or "
                               "take a lower --concurrency",
                               wanted));
  }
  limit.rlim_cur = wanted;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return failure(
        ErrorKind::missing,
        fmt::format("cannot raise the limit on open files to {}: {}", wanted, std::strerror(errno)),
        fmt::format("ulimit -n {}", wanted));
  }
  return {};
}

}  // namespace tokenjoule
