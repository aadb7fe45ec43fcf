#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

// A program named ipmitool for tests. Nothing but tests includes this.
namespace tokenjoule {

/// Stands in PATH in front of all others, prints what it was told to, and notes how it was called.
class ScriptedIpmitool {
 public:
  ScriptedIpmitool()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("tokenjoule-ipmi-" + std::to_string(::getpid()))),
        path_(std::getenv("PATH")) {
    std::filesystem::create_directories(folder_);
    const std::string folder = folder_.string();
    write("ipmitool", "#!/bin/sh\necho \"$* PASSWORD=$IPMI_PASSWORD\" >> '" + folder +
                          "/calls'\ncase \"$*\" in *'raw 0x06 0x37'*) file=guid;; *) "
                          "file=power;; esac\ncat '" +
                          folder + "/'$file\n");
    std::filesystem::permissions(folder_ / "ipmitool", std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder + ":" + path_).c_str(), 1);
    ::setenv("TOKENJOULE_TEST_PASSWORD", "s3cret", 1);
    write("guid", " a1 23 45 67 89 ab cd ef a1 23 45 67 89 ab cd ef\n");
    answer("9c 01", "98 01", "e8 03 00 00", "40");  // 412 W, mean 408 W over 1000 ms, measuring
  }
  ~ScriptedIpmitool() {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("TOKENJOULE_TEST_PASSWORD");
    std::filesystem::remove_all(folder_);
  }
  ScriptedIpmitool(const ScriptedIpmitool&) = delete;
  ScriptedIpmitool& operator=(const ScriptedIpmitool&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  /// Bytes of the reply, least significant first.
  void answer(const std::string& current, const std::string& average, const std::string& period,
              const std::string& state) const {
    write("power", " dc " + current + " 90 01 b0 01 " + average + " 00 00 00 60 " + period + "\n " +
                       state + "\n");
  }
  std::string calls() const {
    std::ifstream file(folder_ / "calls");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace tokenjoule
