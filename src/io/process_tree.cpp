#include "io/process_tree.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kListening = "0A";  // TCP_LISTEN, include/net/tcp_states.h
/// PROC_PID_INIT_INO of include/linux/proc_ns.h: the number of the first pid namespace.
constexpr std::string_view kHostPidNamespace = "pid:[4026531836]";

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::optional<std::uint16_t> hex_port_in(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint16_t port = 0;
  const std::string_view digits = address.substr(colon + 1);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port, 16);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return port;
}

std::vector<pid_t> numbered_folders(const std::filesystem::path& proc) {
  std::vector<pid_t> pids;
  std::error_code code;
  for (std::filesystem::directory_iterator at(proc, code), end; !code && at != end;
       at.increment(code)) {
    if (const auto pid = integer_in(at->path().filename().string())) {
      pids.push_back(static_cast<pid_t>(*pid));
    }
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

enum class Holds { yes, no, cannot_tell };

Holds holds_socket(const std::filesystem::path& process, const std::set<std::uint64_t>& inodes) {
  std::error_code code;
  std::filesystem::directory_iterator at(process / "fd", code), end;
  if (code == std::errc::permission_denied) return Holds::cannot_tell;
  for (; !code && at != end; at.increment(code)) {
    std::error_code link_code;
    const auto inode =
        socket_inode_in(std::filesystem::read_symlink(at->path(), link_code).string());
    if (inode && inodes.count(*inode) != 0) return Holds::yes;
  }
  return Holds::no;
}

}  // namespace

std::optional<ProcessEntry> process_entry_in(std::string_view stat_line) {
  const auto open = stat_line.find('(');
  const auto close = stat_line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const auto pid = integer_in(trimmed(stat_line.substr(0, open)));
  const auto fields = words_in(trimmed(stat_line.substr(close + 1)));  // state, ppid, pgrp, …
  if (!pid || fields.size() < 3) return std::nullopt;
  const auto parent = integer_in(fields[1]);
  const auto group = integer_in(fields[2]);
  if (!parent || !group) return std::nullopt;
  return ProcessEntry{.pid = static_cast<pid_t>(*pid),
                      .parent = static_cast<pid_t>(*parent),
                      .group = static_cast<pid_t>(*group),
                      .name = std::string(stat_line.substr(open + 1, close - open - 1))};
}

std::vector<std::uint64_t> listening_inodes(std::string_view tcp_table, std::uint16_t port) {
  // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …
  std::vector<std::uint64_t> inodes;
  for (const std::string_view line : split(tcp_table, '\n')) {
    const auto words = words_in(line);
    if (words.size() < 10 || words[3] != kListening || hex_port_in(words[1]) != port) continue;
    if (const auto inode = integer_in(words[9])) {
      inodes.push_back(static_cast<std::uint64_t>(*inode));
    }
  }
  return inodes;
}

std::optional<std::uint64_t> socket_inode_in(std::string_view link) {
  constexpr std::string_view kStart = "socket:[";
  if (!starts_with(link, kStart) || !ends_with(link, "]")) return std::nullopt;
  const auto inode = integer_in(link.substr(kStart.size(), link.size() - kStart.size() - 1));
  if (!inode) return std::nullopt;
  return static_cast<std::uint64_t>(*inode);
}

std::optional<std::string> environment_value(std::string_view environ_bytes,
                                             std::string_view name) {
  for (const std::string_view entry : split(environ_bytes, '\0')) {
    if (starts_with(entry, name) && entry.size() > name.size() && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

std::vector<pid_t> descendants_of(pid_t root, const std::vector<ProcessEntry>& processes) {
  std::multimap<pid_t, pid_t> children;
  bool there = false;
  for (const ProcessEntry& process : processes) {
    children.emplace(process.parent, process.pid);
    there = there || process.pid == root;
  }
  std::set<pid_t> tree;
  std::vector<pid_t> left;
  if (there) left.push_back(root);
  while (!left.empty()) {
    const pid_t pid = left.back();
    left.pop_back();
    if (!tree.insert(pid).second) continue;
    const auto [first, last] = children.equal_range(pid);
    for (auto child = first; child != last; ++child) left.push_back(child->second);
  }
  return {tree.begin(), tree.end()};
}

std::vector<ProcessEntry> processes_in(const std::filesystem::path& proc) {
  std::vector<ProcessEntry> processes;
  for (const pid_t pid : numbered_folders(proc)) {
    // One that has ended meanwhile has no file any more.
    const auto stat = file_bytes(proc / std::to_string(pid) / "stat");
    if (!stat) continue;
    if (auto process = process_entry_in(*stat)) processes.push_back(std::move(*process));
  }
  return processes;
}

Result<Listeners> listeners_at(std::uint16_t port, const std::filesystem::path& proc) {
  std::set<std::uint64_t> inodes;
  for (const char* table : {"net/tcp", "net/tcp6"}) {
    const auto text = file_bytes(proc / table);
    if (!text) continue;
    for (const std::uint64_t inode : listening_inodes(*text, port)) inodes.insert(inode);
  }
  if (inodes.empty()) {
    return failure(ErrorKind::missing,
                   fmt::format("no process of this machine listens at port {}: it may be forwarded "
                               "into a container or to another machine",
                               port));
  }
  Listeners listeners;
  for (const pid_t pid : numbered_folders(proc)) {
    const Holds holds = holds_socket(proc / std::to_string(pid), inodes);
    if (holds == Holds::yes) listeners.pids.push_back(pid);
    listeners.unreadable = listeners.unreadable || holds == Holds::cannot_tell;
  }
  if (!listeners.pids.empty()) return listeners;
  return failure(ErrorKind::missing,
                 fmt::format("the process that listens at port {} belongs to somebody else: its "
                             "open files cannot be read",
                             port),
                 "run as the same user as the engine, or as root");
}

bool sees_host_pids(const std::filesystem::path& proc) {
  std::error_code code;
  return std::filesystem::read_symlink(proc / "self/ns/pid", code).string() == kHostPidNamespace;
}

}  // namespace tokenjoule
