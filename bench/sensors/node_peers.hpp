#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <sys/types.h>

namespace tokenjoule::bench {

/// What stands around an eight-GPU node, in a process of its own so that its CPU time is not ours:
/// two management controllers (Redfish) of which one takes 3 s for each reading, and a PDU (SNMP).
class NodePeers {
 public:
  /// Must be called before this process has threads.
  NodePeers();
  ~NodePeers();
  NodePeers(const NodePeers&) = delete;
  NodePeers& operator=(const NodePeers&) = delete;

  const std::string& controller() const { return controller_; }
  const std::string& slow_controller() const { return slow_controller_; }
  const std::string& pdu() const { return pdu_; }

 private:
  pid_t child_ = -1;
  int to_child_ = -1;  ///< closed: the child ends
  std::string controller_;
  std::string slow_controller_;
  std::string pdu_;
};

/// A folder with the files of two CPU packages and their memory, removed with the object.
class CpuTree {
 public:
  CpuTree();
  ~CpuTree();
  CpuTree(const CpuTree&) = delete;
  CpuTree& operator=(const CpuTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace tokenjoule::bench
