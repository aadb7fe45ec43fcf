#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tokenjoule {

/// For tests: points the fake NVML library at a script, on a time of the test's own.
class ScriptedNvml {
 public:
  explicit ScriptedNvml(const std::string& script) {
    char name[] = "/tmp/tokenjoule-nvml-XXXXXX";
    if (mkdtemp(name) == nullptr) std::abort();
    folder_ = name;
    const auto script_file = folder_ / "script";
    std::ofstream(script_file) << "clock_file = " << (folder_ / "clock").string() << '\n' << script;
    setenv("TOKENJOULE_FAKE_NVML_SCRIPT", script_file.c_str(), 1);
    set_time(0);
  }
  ~ScriptedNvml() {
    unsetenv("TOKENJOULE_FAKE_NVML_SCRIPT");
    std::filesystem::remove_all(folder_);
  }
  ScriptedNvml(const ScriptedNvml&) = delete;
  ScriptedNvml& operator=(const ScriptedNvml&) = delete;

  void set_time(double seconds) { std::ofstream(folder_ / "clock") << seconds; }
  /// Where a test may put files of its own; removed at the end.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace tokenjoule
