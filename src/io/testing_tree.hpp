#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "io/clock.hpp"

namespace tokenjoule {

/// A folder of files in place of "/", for tests; removed with the object.
class TestTree {
 public:
  TestTree() {
    std::string name = (std::filesystem::temp_directory_path() / "tokenjoule-tree-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    std::filesystem::permissions(root_, std::filesystem::perms(0755));
  }
  ~TestTree() { std::filesystem::remove_all(root_); }
  TestTree(const TestTree&) = delete;
  TestTree& operator=(const TestTree&) = delete;

  const std::filesystem::path& root() const { return root_; }
  /// Writes a file in place, so that one who has it open sees the new text.
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::trunc | std::ios::binary) << text;
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::filesystem::create_symlink(target, root_ / name);
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(root_ / name); }
  void set_mode(const std::string& name, unsigned mode) const {
    std::filesystem::permissions(root_ / name, std::filesystem::perms(mode));
  }

 private:
  std::filesystem::path root_;
};

/// While it lives, the calling thread opens files as nobody where the tests run as root.
class WithoutRoot {
 public:
  WithoutRoot() : before_(setfsuid(kNobody)) {}
  ~WithoutRoot() { setfsuid(static_cast<uid_t>(before_)); }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  int before_;
};

/// A clock of which a sleep does something first: what a device does meanwhile.
class SleepingClock final : public Clock {
 public:
  explicit SleepingClock(std::function<void()> on_sleep) : on_sleep_(std::move(on_sleep)) {}
  MonoTime now() override { return clock_.now(); }
  WallTime wall_now() override { return clock_.wall_now(); }
  bool sleep_until(MonoTime due, const std::stop_token& stop) override {
    on_sleep_();
    return clock_.sleep_until(due, stop);
  }
  void advance(Nanoseconds by) { clock_.advance(by); }

 private:
  FakeClock clock_;
  std::function<void()> on_sleep_;
};

}  // namespace tokenjoule
