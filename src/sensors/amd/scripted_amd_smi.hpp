#pragma once

#include <cstdlib>
#include <string>

#include "io/testing_tree.hpp"

namespace tokenjoule {

/// For tests: points the fake AMD SMI library at a script that can be rewritten at any time.
class ScriptedAmdSmi {
 public:
  explicit ScriptedAmdSmi(const std::string& script) {
    write(script);
    setenv("TOKENJOULE_FAKE_AMD_SMI_SCRIPT", (tree_.root() / "script").c_str(), 1);
  }
  ~ScriptedAmdSmi() { unsetenv("TOKENJOULE_FAKE_AMD_SMI_SCRIPT"); }
  ScriptedAmdSmi(const ScriptedAmdSmi&) = delete;
  ScriptedAmdSmi& operator=(const ScriptedAmdSmi&) = delete;

  void write(const std::string& script) const { tree_.write("script", script); }
  /// A folder in place of "/".
  const TestTree& tree() const { return tree_; }

 private:
  TestTree tree_;
};

}  // namespace tokenjoule
