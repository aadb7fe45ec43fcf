#include "node_peers.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/testing_server.hpp"
#include "sensors/snmp/testing_snmp_agent.hpp"

namespace tokenjoule::bench {

namespace {

/// Each in a line of its own, as the child tells them.
struct Places {
  std::string controller, slow_controller, pdu;
};

std::string page_at(const std::string& path) {
  if (path == "/redfish/v1/Chassis")
    return R"({"Members":[{"@odata.id":"/redfish/v1/Chassis/1"}]})";
  if (path == "/redfish/v1/Chassis/1")
    return R"({"EnvironmentMetrics":{"@odata.id":"/environment"}})";
  if (path == "/environment")
    return R"({"PowerWatts":{"Reading":6400},"EnergykWh":{"Reading":1234.5}})";
  return "{}";
}

void serve_redfish(SocketServer& server, int socket, std::chrono::milliseconds reading_takes) {
  const std::string request = server.next_request(socket);
  if (request.empty()) return;
  const auto path = request.substr(4, request.find(' ', 4) - 4);
  if (path == "/environment") std::this_thread::sleep_for(reading_takes);
  const std::string body = page_at(path);
  SocketServer::reply(socket, fmt::format("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
                                          "application/json\r\nContent-Length: {}\r\n\r\n{}",
                                          body.size(), body));
}

SocketServer::Serve redfish(std::chrono::milliseconds reading_takes) {
  return [=](SocketServer& server, int socket) { serve_redfish(server, socket, reading_takes); };
}

/// The inlet of an APC rPDU2: power in 10 W, energy in 0.1 kWh.
std::map<std::string, ScriptedAgent::Value> apc_inlet() {
  return {{"1.3.6.1.4.1.318.1.1.26.4.3.1.5.1", {ScriptedAgent::kInteger, 641}},
          {"1.3.6.1.4.1.318.1.1.26.4.3.1.9.1", {ScriptedAgent::kInteger, 12345}}};
}

[[noreturn]] void serve_until_closed(int from_parent, int to_parent) {
  const SocketServer quick(redfish(std::chrono::milliseconds(0)));
  const SocketServer slow(redfish(std::chrono::milliseconds(3000)));
  const ScriptedAgent pdu(apc_inlet());
  const std::string places =
      fmt::format("{}\n{}\n{}\n", quick.url("").text(), slow.url("").text(), pdu.host());
  if (write(to_parent, places.data(), places.size()) < 0) _exit(1);
  close(to_parent);
  char ignored = 0;
  while (read(from_parent, &ignored, 1) > 0) continue;
  _exit(0);  // without the servers' ends, which would wait for who is in the middle of 3 s
}

std::string all_from(int descriptor) {
  std::string text;
  char buffer[512];
  for (ssize_t count = 0; (count = read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

void write_zone(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "name") << name << '\n';
  std::ofstream(folder / "energy_uj") << "123456789\n";
  std::ofstream(folder / "max_energy_range_uj") << "262143328850\n";
}

}  // namespace

NodePeers::NodePeers() {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) std::abort();
  child_ = fork();
  if (child_ < 0) std::abort();
  if (child_ == 0) {
    close(down[1]);
    close(up[0]);
    serve_until_closed(down[0], up[1]);
  }
  close(down[0]);
  close(up[1]);
  to_child_ = down[1];
  const std::string places = all_from(up[0]);
  close(up[0]);
  const auto first = places.find('\n');
  const auto second = places.find('\n', first + 1);
  if (second == std::string::npos) std::abort();
  controller_ = places.substr(0, first);
  slow_controller_ = places.substr(first + 1, second - first - 1);
  pdu_ = places.substr(second + 1, places.size() - second - 2);
}

NodePeers::~NodePeers() {
  close(to_child_);
  waitpid(child_, nullptr, 0);
}

CpuTree::CpuTree() {
  char name[] = "/tmp/tokenjoule-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) std::abort();
  root_ = name;
  for (int package = 0; package < 2; ++package) {
    const auto zone = root_ / fmt::format("sys/class/powercap/intel-rapl:{}", package);
    write_zone(zone, fmt::format("package-{}", package));
    write_zone(root_ / fmt::format("sys/class/powercap/intel-rapl:{0}:0", package), "dram");
    const auto topology = root_ / fmt::format("sys/devices/system/cpu/cpu{}/topology", package);
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "physical_package_id") << package << '\n';
  }
}

CpuTree::~CpuTree() { std::filesystem::remove_all(root_); }

}  // namespace tokenjoule::bench
