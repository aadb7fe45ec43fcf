#include "app/host_info.hpp"

#include <sys/utsname.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "io/file.hpp"

namespace tokenjoule {

namespace {

/// The value of the first "NAME : VALUE" line of a /proc file.
nlohmann::ordered_json proc_value(const char* path, std::string_view name) {
  const auto bytes = file_bytes(path);
  if (!bytes) return nullptr;
  for (const auto line : split(*bytes, '\n')) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == name) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return nullptr;
}

}  // namespace

std::string host_json() {
  nlohmann::ordered_json host;
  utsname kernel{};
  if (uname(&kernel) == 0) {
    host["name"] = kernel.nodename;
    host["kernel"] = std::string(kernel.sysname) + " " + kernel.release;
    host["architecture"] = kernel.machine;
  }
  host["cpu"] = proc_value("/proc/cpuinfo", "model name");
  host["cpus_online"] = sysconf(_SC_NPROCESSORS_ONLN);
  host["memory"] = proc_value("/proc/meminfo", "MemTotal");
  return host.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tokenjoule
