#include "io/library.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

constexpr char kMathLibrary[] = "libm.so.6";

TEST(SharedLibrary, GivesAFunctionByItsName) {
  const auto library = SharedLibrary::open(kMathLibrary);
  ASSERT_TRUE(library) << library.error().message;
  const auto cube_root = library->need_function<double(double)>("cbrt");
  ASSERT_TRUE(cube_root);
  EXPECT_DOUBLE_EQ((*cube_root)(27.0), 3.0);
}

TEST(SharedLibrary, KnowsWhatItCallsItself) {
  EXPECT_EQ(SharedLibrary::open(kMathLibrary)->soname(), "libm.so.6");
}

TEST(SharedLibrary, SaysWhichFunctionIsNotThere) {
  const auto library = SharedLibrary::open(kMathLibrary);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->function<int()>("no_such_function"), nullptr);
  const auto missing = library->need_function<int()>("no_such_function");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::missing);
  EXPECT_NE(missing.error().message.find("no_such_function"), std::string::npos);
  EXPECT_NE(missing.error().message.find("libm.so.6"), std::string::npos);
}

TEST(SharedLibrary, SaysWhichLibraryIsNotThere) {
  const auto library = SharedLibrary::open("libno-such-library.so.7");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::missing);
  EXPECT_NE(library.error().message.find("libno-such-library.so.7"), std::string::npos);
}

TEST(SharedLibrary, RefusesAFileThatIsNoLibrary) {
  EXPECT_FALSE(SharedLibrary::open(TOKENJOULE_SOURCE_DIR "/CMakeLists.txt"));
}

}  // namespace
}  // namespace tokenjoule
