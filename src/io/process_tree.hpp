#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"

namespace tokenjoule {

/// A process as /proc/PID/stat tells it.
struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  std::string name;  ///< at most 15 bytes: the kernel's short name
};

/// The line of /proc/PID/stat; nullopt if it is none. The name may hold blanks and brackets.
std::optional<ProcessEntry> process_entry_in(std::string_view stat_line);

/// Inodes of the sockets that listen at the port, in the text of /proc/net/tcp or tcp6.
std::vector<std::uint64_t> listening_inodes(std::string_view tcp_table, std::uint16_t port);

/// The inode in a link of /proc/PID/fd: "socket:[12345]"; nullopt for anything else.
std::optional<std::uint64_t> socket_inode_in(std::string_view link);

/// The value of a variable in the bytes of /proc/PID/environ; nullopt if it is not set.
std::optional<std::string> environment_value(std::string_view environ_bytes, std::string_view name);

/// The process and all that it started, and those again; sorted. Without `root` in the list: empty.
std::vector<pid_t> descendants_of(pid_t root, const std::vector<ProcessEntry>& processes);

/// All processes that /proc shows to us.
std::vector<ProcessEntry> processes_in(const std::filesystem::path& proc = "/proc");

/// The processes that hold the socket that listens at a port of this machine.
struct Listeners {
  std::vector<pid_t> pids;  ///< sorted; the workers of a server share its socket
  bool unreadable = false;  ///< some processes' open files could not be read
};
/// Errors, all `missing`: nothing listens there (in our network namespace); something does, but
/// whose it is cannot be read.
Result<Listeners> listeners_at(std::uint16_t port, const std::filesystem::path& proc = "/proc");

/// Whether we see all processes by the numbers that the kernel's drivers use: not in a container
/// with a pid namespace of its own.
bool sees_host_pids(const std::filesystem::path& proc = "/proc");

}  // namespace tokenjoule
