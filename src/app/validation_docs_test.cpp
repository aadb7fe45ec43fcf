// The table of rules in docs/validation.md names tests that exist.

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// All of the sources' tests, one after another.
std::string all_tests() {
  std::string tests;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TOKENJOULE_SOURCE_DIR "/src")) {
    const std::string name = entry.path().filename();
    if (name.size() > 9 && name.rfind("_test.cpp") == name.size() - 9) {
      tests += text_of(entry.path());
    }
  }
  return tests;
}

TEST(ValidationDocs, NameTestsThatExist) {
  const std::string page = text_of(TOKENJOULE_SOURCE_DIR "/docs/validation.md");
  const std::string tests = all_tests();
  const std::regex named("`([A-Z][A-Za-z0-9]+)\\.([A-Z][A-Za-z0-9]+)`");
  int count = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), named), end; at != end; ++at, ++count) {
    const std::string test = "(" + (*at)[1].str() + ", " + (*at)[2].str() + ")";
    EXPECT_TRUE(tests.find("TEST" + test) != std::string::npos ||
                tests.find("TEST_F" + test) != std::string::npos)
        << test;
  }
  EXPECT_GE(count, 100);
}

}  // namespace
}  // namespace tokenjoule
