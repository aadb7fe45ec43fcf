#include "io/process_tree.hpp"

#include <fstream>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tokenjoule {
namespace {

// 8000 is 1F40 in hex, 8001 is 1F41.
constexpr std::string_view kTcpTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 00000000:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "4711 1 "
    "0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:1F41 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "4712 1 "
    "0000000000000000 100 0 0 10 0\n"
    "   2: 0100007F:1F40 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "4713 1 "
    "0000000000000000 20 4 30 10 -1\n";

TEST(ListeningInodes, AreThoseOfThePortInStateListen) {
  EXPECT_EQ(listening_inodes(kTcpTable, 8000), std::vector<std::uint64_t>{4711});
  EXPECT_EQ(listening_inodes(kTcpTable, 8001), std::vector<std::uint64_t>{4712});
}

TEST(ListeningInodes, AreNoneForAnotherPortOrNoTable) {
  EXPECT_TRUE(listening_inodes(kTcpTable, 8002).empty());
  EXPECT_TRUE(listening_inodes("", 8000).empty());
  EXPECT_TRUE(listening_inodes("a b c\n:: :\n", 8000).empty());
}

TEST(ListeningInodes, ReadTheLongAddressesOfTcp6) {
  EXPECT_EQ(listening_inodes("   0: 00000000000000000000000000000000:1F40 "
                             "00000000000000000000000000000000:0000 0A 0:0 0:0 0  1000  0 99 1 0\n",
                             8000),
            std::vector<std::uint64_t>{99});
}

TEST(ProcessEntry, TakesTheNameBetweenTheOutermostBrackets) {
  const auto process = process_entry_in("12 (a) b (c) S 1 12 7 0 -1 4194560 1 0");
  ASSERT_TRUE(process);
  EXPECT_EQ(process->pid, 12);
  EXPECT_EQ(process->parent, 1);
  EXPECT_EQ(process->group, 12);
  EXPECT_EQ(process->name, "a) b (c");
}

TEST(ProcessEntry, RefusesWhatIsNoStatLine) {
  EXPECT_FALSE(process_entry_in(""));
  EXPECT_FALSE(process_entry_in("12 a S 1 12"));
  EXPECT_FALSE(process_entry_in("12 (a) S 1"));
  EXPECT_FALSE(process_entry_in("x (a) S 1 12 7"));
}

TEST(SocketInode, IsReadFromSocketLinksOnly) {
  EXPECT_EQ(socket_inode_in("socket:[4711]"), 4711U);
  EXPECT_EQ(socket_inode_in("pipe:[4711]"), std::nullopt);
  EXPECT_EQ(socket_inode_in("socket:[x]"), std::nullopt);
  EXPECT_EQ(socket_inode_in("/dev/nvidia0"), std::nullopt);
}

TEST(EnvironmentValue, IsFoundByItsWholeName) {
  const std::string bytes("A=1\0CUDA_VISIBLE_DEVICES=2,3\0CUDA=\0", 35);
  EXPECT_EQ(environment_value(bytes, "CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(environment_value(bytes, "CUDA"), "");
  EXPECT_EQ(environment_value(bytes, "CUDA_VISIBLE"), std::nullopt);
}

TEST(Descendants, AreChildrenOfChildrenToo) {
  const std::vector<ProcessEntry> processes = {{1, 0, 1, "init"},      {10, 1, 10, "serve"},
                                               {11, 10, 10, "core"},   {12, 11, 10, "worker"},
                                               {13, 11, 10, "worker"}, {20, 1, 20, "other"}};
  EXPECT_EQ(descendants_of(10, processes), (std::vector<pid_t>{10, 11, 12, 13}));
  EXPECT_EQ(descendants_of(20, processes), (std::vector<pid_t>{20}));
  EXPECT_TRUE(descendants_of(99, processes).empty());
}

TEST(Descendants, EndEvenWhereParentsGoInACircle) {
  const std::vector<ProcessEntry> processes = {{1, 2, 1, "a"}, {2, 1, 1, "b"}};
  EXPECT_EQ(descendants_of(1, processes), (std::vector<pid_t>{1, 2}));
}

TEST(Listeners, AreFoundByTheirSocketInProc) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::uint16_t port = ntohs(address.sin_port);

  const auto found = listeners_at(port);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->pids, std::vector<pid_t>{getpid()});
  close(listener);
  const auto gone = listeners_at(port);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::missing);
}

/// A /proc of our own making, in which nobody's open files can be read.
TEST(Listeners, OfSomebodyElseAreSaidToBeSo) {
  char folder[] = "/tmp/tokenjoule-proc-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::filesystem::path proc = folder;
  std::filesystem::create_directories(proc / "net");
  std::filesystem::create_directories(proc / "77");
  std::ofstream(proc / "net/tcp") << kTcpTable;
  std::ofstream(proc / "77/stat") << "77 (serve) S 1 77 77 0";
  const auto found = listeners_at(8000, proc);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("belongs to somebody else"), std::string::npos);
  EXPECT_NE(found.error().hint.find("same user"), std::string::npos);
  EXPECT_EQ(processes_in(proc).size(), 1U);
  EXPECT_FALSE(sees_host_pids(proc));
  std::filesystem::remove_all(proc);
}

}  // namespace
}  // namespace tokenjoule
