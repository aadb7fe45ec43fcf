#include "devices/sysfs.hpp"

#include <gtest/gtest.h>

#include "io/testing_tree.hpp"

namespace tokenjoule {
namespace {

TEST(SysfsFile, IsReadAnewEachTimeThroughOneOpenFile) {
  const TestTree tree;
  tree.write("energy", "12\n");
  auto file = SysfsFile::open(tree.root() / "energy");
  ASSERT_TRUE(file.has_value());
  EXPECT_DOUBLE_EQ(*file->number(), 12);
  tree.write("energy", "9007199254740991\n");
  EXPECT_DOUBLE_EQ(*file->number(), 9007199254740991.0);
}

TEST(SysfsFile, WhatIsNoNumberIsAnErrorAndNotZero) {
  const TestTree tree;
  for (const char* text : {"", "\n", "N/A\n", "12 W\n"}) {
    tree.write("energy", text);
    auto file = SysfsFile::open(tree.root() / "energy");
    ASSERT_TRUE(file.has_value());
    const auto number = file->number();
    ASSERT_FALSE(number.has_value()) << text;
    EXPECT_EQ(number.error().kind, ErrorKind::retry);
  }
}

TEST(SysfsFile, AnAbsentOrForbiddenFileSaysWhichItIs) {
  const TestTree tree;
  EXPECT_NE(SysfsFile::open(tree.root() / "no").error().message.find("No such file"),
            std::string::npos);
  EXPECT_FALSE(is_denied(tree.root() / "no"));
  tree.write("secret", "1");
  tree.set_mode("secret", 0);
  const WithoutRoot nobody;
  EXPECT_TRUE(is_denied(tree.root() / "secret"));
  EXPECT_NE(SysfsFile::open(tree.root() / "secret").error().hint.find("chmod a+r"),
            std::string::npos);
}

TEST(NamesIn, AreSortedByTheirNumbers) {
  const TestTree tree;
  for (const char* name : {"card10", "card2", "card2-DP-1", "render"}) tree.write(name, "");
  EXPECT_EQ(names_in(tree.root(), "card"),
            (std::vector<std::string>{"card2", "card10", "card2-DP-1"}));
  EXPECT_TRUE(names_in(tree.root() / "no", "").empty());
}

}  // namespace
}  // namespace tokenjoule
