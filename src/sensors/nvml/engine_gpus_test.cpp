#include "sensors/nvml/engine_gpus.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sensors/nvml/scripted_nvml.hpp"
#include "sensors/nvml/visible_devices.hpp"

namespace tokenjoule {
namespace {

// A shell starts two engines; the first is a front end with a core and two workers.
const std::vector<ProcessEntry> kProcesses = {
    {1, 0, 1, "init"},     {5, 1, 5, "bash"},        {10, 5, 10, "vllm"},
    {11, 10, 10, "core"},  {12, 11, 10, "worker"},   {13, 11, 10, "worker"},
    {20, 5, 20, "sglang"}, {21, 20, 20, "schedule"}, {30, 5, 30, "tokenjoule"}};
const std::vector<GpuProcesses> kGpus = {{.uuid = "GPU-a", .pids = {12}},
                                         {.uuid = "GPU-b", .pids = {13, 99}},
                                         {.uuid = "GPU-c", .pids = {21}},
                                         {.uuid = "GPU-d", .pids = {}}};
constexpr pid_t kOwn = 30;

TEST(EngineTree, HasTheWorkersOfTheListener) {
  const auto tree = engine_tree({10}, kProcesses, kGpus, kOwn);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->processes, (std::vector<pid_t>{10, 11, 12, 13}));
  EXPECT_EQ(gpus_of_processes(tree->processes, kGpus),
            (std::vector<std::string>{"GPU-a", "GPU-b"}));
}

TEST(EngineTree, OfWorkersThatShareTheSocketBeginsAtTheTopmost) {
  const auto tree = engine_tree({10, 11, 12}, kProcesses, kGpus, kOwn);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->root, 10);
}

TEST(EngineTree, OfAFrontEndBesideItsCoresIsThatOfTheirParent) {
  const std::vector<ProcessEntry> processes = {
      {10, 1, 10, "serve"}, {11, 10, 10, "api"}, {12, 10, 10, "core"}, {30, 1, 30, "tokenjoule"}};
  const auto tree = engine_tree({11}, processes, {{.uuid = "GPU-a", .pids = {12}}}, kOwn);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->root, 10);
}

TEST(EngineTree, StopsAtAScriptThatStartedUsAsWell) {
  // One script, one process group: two engines and us. The front end at the port has no GPU.
  const std::vector<ProcessEntry> processes = {{10, 1, 10, "script"},
                                               {11, 10, 10, "router"},
                                               {12, 10, 10, "other"},
                                               {30, 10, 10, "tokenjoule"}};
  const auto tree = engine_tree({11}, processes, {{.uuid = "GPU-a", .pids = {12}}}, kOwn);
  ASSERT_FALSE(tree);
  EXPECT_NE(tree.error().message.find("router (pid 11)"), std::string::npos);
}

TEST(EngineTree, DoesNotLeaveTheProcessGroup) {
  const auto tree = engine_tree({10}, kProcesses, {{.uuid = "GPU-c", .pids = {21}}}, 999);
  EXPECT_FALSE(tree);  // bash started both, but each is a job of its own
}

TEST(EngineTree, OfTwoProgramsAtOnePortIsNotGuessed) {
  const auto tree = engine_tree({10, 20}, kProcesses, kGpus, kOwn);
  ASSERT_FALSE(tree);
  EXPECT_NE(tree.error().message.find("several programs"), std::string::npos);
}

TEST(ForeignProcesses, AreThoseOnTheChosenGpusOutsideTheEngine) {
  const auto foreign = foreign_on({"GPU-a", "GPU-b"}, {10, 11, 12, 13}, kGpus, kProcesses);
  ASSERT_EQ(foreign.size(), 1U);
  EXPECT_EQ(foreign[0].gpu, "GPU-b");
  EXPECT_EQ(foreign[0].pid, 99);
  EXPECT_EQ(foreign[0].name, "");
}

TEST(VisibleDevices, MayBeNumbersUuidsAndMigInstances) {
  using Kind = VisibleDevice::Kind;
  const auto devices = visible_devices_in("2, GPU-8f6a,MIG-51d0");
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[0].kind, Kind::number);
  EXPECT_EQ(devices[0].text, "2");
  EXPECT_EQ(devices[1].kind, Kind::gpu_uuid);
  EXPECT_EQ(devices[2].kind, Kind::mig_instance);
}

TEST(VisibleDevices, EndAtTheFirstThatIsNone) {
  EXPECT_EQ(visible_devices_in("0,1,-1,2").size(), 2U);
  EXPECT_EQ(visible_devices_in("x,0").size(), 0U);
  EXPECT_TRUE(visible_devices_in("").empty());
  EXPECT_TRUE(visible_devices_in("NoDevFiles").empty());
}

/// A listening socket of this very process, on a free port.
class OwnListener {
 public:
  OwnListener() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    bind(socket_, reinterpret_cast<sockaddr*>(&address), length);
    listen(socket_, 1);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
  }
  ~OwnListener() { close(socket_); }
  OwnListener(const OwnListener&) = delete;
  OwnListener& operator=(const OwnListener&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

std::string simulated_gpu(int number, const std::string& more) {
  return "[gpu]\nuuid = GPU-51d0000" + std::to_string(number) + "\narchitecture = 9\n" + more;
}

Result<EngineGpus> ask(const OwnListener& listener) {
  return engine_gpus({.port = listener.port(), .library = TOKENJOULE_FAKE_NVML_LIBRARY});
}

TEST(EngineGpus, AreThoseOnWhichTheListenerComputes) {
  const OwnListener listener;
  const std::string own = std::to_string(getpid());
  const ScriptedNvml nvml(simulated_gpu(0, "processes = 1:5\n") +
                          simulated_gpu(1, "processes = " + own + ":7 1:5\n"));
  const auto found = ask(listener);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->uuids, std::vector<std::string>{"GPU-51d00001"});
  EXPECT_NE(found->how.find("pid " + own), std::string::npos);
  ASSERT_EQ(found->foreign.size(), 1U);
  EXPECT_EQ(found->foreign[0].pid, 1);
}

TEST(EngineGpus, AreFoundInTheLongEntriesOfOldDrivers) {
  const OwnListener listener;
  const std::string own = std::to_string(getpid());
  const ScriptedNvml nvml(simulated_gpu(
      0, "flags = counter power long_processes\nprocesses = 1:5 2:5 " + own + ":5\n"));
  const auto found = ask(listener);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->foreign.size(), 2U);
}

TEST(EngineGpus, AreFoundThroughMigInstances) {
  const OwnListener listener;
  const ScriptedNvml nvml(
      simulated_gpu(0, "mig_instances = 2\nprocesses = " + std::to_string(getpid()) + ":5\n"));
  const auto found = ask(listener);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->uuids, std::vector<std::string>{"GPU-51d00000"});
}

TEST(EngineGpus, AreNotGuessedWhereTheListenerHasNone) {
  const OwnListener listener;
  const ScriptedNvml nvml(simulated_gpu(0, "processes = 1:5\n"));
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);  // in our environment now, not in the one we began with
  const auto found = ask(listener);
  unsetenv("CUDA_VISIBLE_DEVICES");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::missing);
  EXPECT_NE(found.error().message.find("computes on a GPU"), std::string::npos);
  EXPECT_NE(found.error().hint.find("--gpus"), std::string::npos);
}

TEST(EngineGpus, CannotBeSeenByHostPidsFromAContainer) {
  const OwnListener listener;
  // Real GPUs, and a /proc that does not say that it is the host's.
  const ScriptedNvml nvml("[gpu]\nuuid = GPU-8f6a\nprocesses = 1:5\n");
  const auto foreign = foreign_processes({"GPU-8f6a"}, {},
                                         {.library = TOKENJOULE_FAKE_NVML_LIBRARY, .proc = "/tmp"});
  EXPECT_TRUE(foreign.processes.empty());
  EXPECT_NE(foreign.unknown.find("container"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
