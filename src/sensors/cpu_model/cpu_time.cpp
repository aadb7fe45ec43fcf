#include "sensors/cpu_model/cpu_time.hpp"

#include <set>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

/// The words of a line, however many blanks stand between them.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words = split(line, ' ');
  std::erase_if(words, [](std::string_view word) { return trimmed(word).empty(); });
  return words;
}

std::optional<double> sum_of(const std::vector<std::string_view>& words,
                             std::initializer_list<std::size_t> places) {
  double sum = 0;
  for (const std::size_t place : places) {
    const auto ticks = place < words.size() ? integer_in(trimmed(words[place])) : std::nullopt;
    if (!ticks) return std::nullopt;
    sum += static_cast<double>(*ticks);
  }
  return sum;
}

std::vector<ProcessTimes> all_processes(const std::filesystem::path& proc,
                                        double ticks_per_second) {
  std::vector<ProcessTimes> processes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(proc, error)) {
    if (!integer_in(entry.path().filename().string())) continue;
    const auto stat = file_bytes(entry.path() / "stat");  // one that has just ended has none
    const auto times = stat ? process_times_in(*stat, ticks_per_second) : std::nullopt;
    if (times) processes.push_back(*times);
  }
  return processes;
}

}  // namespace

Result<Seconds> busy_time_in(std::string_view proc_stat, double ticks_per_second) {
  const auto words = words_of(proc_stat.substr(0, proc_stat.find('\n')));
  // cpu user nice system idle iowait irq softirq ...
  const auto ticks =
      !words.empty() && words[0] == "cpu" ? sum_of(words, {1, 2, 3, 6, 7}) : std::nullopt;
  if (!ticks) {
    return failure(
        ErrorKind::unavailable,
        fmt::format("/proc/stat does not begin with CPU times: \"{}\"", quoted(proc_stat)),
        "this needs Linux with procfs mounted at /proc");
  }
  return Seconds(*ticks / ticks_per_second);
}

std::optional<ProcessTimes> process_times_in(std::string_view stat, double ticks_per_second) {
  const auto name_begin = stat.find('(');
  const auto name_end = stat.rfind(')');
  if (name_begin == stat.npos || name_end == stat.npos) return std::nullopt;
  const auto pid = integer_in(trimmed(stat.substr(0, name_begin)));
  // Behind the name: state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime
  // ...
  const auto words = words_of(stat.substr(name_end + 1));
  const auto parent = words.size() > 1 ? integer_in(words[1]) : std::nullopt;
  const auto own = sum_of(words, {11, 12});
  const auto children = sum_of(words, {13, 14});
  if (!pid || !parent || !own || !children) return std::nullopt;
  return ProcessTimes{.pid = static_cast<int>(*pid),
                      .parent = static_cast<int>(*parent),
                      .own = Seconds(*own / ticks_per_second),
                      .children = Seconds(*children / ticks_per_second)};
}

Result<Seconds> tree_time(const std::filesystem::path& proc, int root, double ticks_per_second) {
  const auto processes = all_processes(proc, ticks_per_second);
  std::set<int> tree;
  Seconds sum;
  // Round after round the children of what is already in the tree are added, until none is left.
  for (bool grown = true; grown;) {
    grown = false;
    for (const ProcessTimes& process : processes) {
      if (process.pid != root && !tree.count(process.parent)) continue;
      if (!tree.insert(process.pid).second) continue;
      sum += process.own + process.children;
      grown = true;
    }
  }
  if (tree.empty()) {
    return failure(ErrorKind::gone, fmt::format("there is no process {}", root),
                   "check the number, for example with ps");
  }
  return sum;
}

}  // namespace tokenjoule
