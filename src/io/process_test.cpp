#include "io/process.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// All output of a command until it closes; gives up after a minute of silence.
std::string all_output_of(ChildProcess& child) {
  std::string bytes;
  for (bool closed = false; !closed && child.wait_for_output(whole_seconds(60));) {
    const ChildProcess::Output output = child.read();
    bytes += output.bytes;
    closed = output.closed;
  }
  return bytes;
}

TEST(ChildProcess, GivesTheOutputOfAShellCommandAndSaysHowItEnded) {
  auto child = ChildProcess::start("echo one; echo two; exit 3");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(all_output_of(*child), "one\ntwo\n");
  auto ending = child->ending();
  while (!ending) ending = child->ending();
  EXPECT_EQ(*ending, "exit status 3");
}

TEST(ChildProcess, StandardInputIsEmpty) {
  auto child = ChildProcess::start("cat; echo end");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(all_output_of(*child), "end\n");
}

TEST(ChildProcess, LookingWhereNothingHasComeGivesNothing) {
  auto child = ChildProcess::start("exec tail -f /dev/null");
  ASSERT_TRUE(child.has_value());
  EXPECT_FALSE(child->wait_for_output({0}));
  const ChildProcess::Output output = child->read();
  EXPECT_EQ(output.bytes, "");
  EXPECT_FALSE(output.closed);
  EXPECT_FALSE(child->ending().has_value());
}

TEST(ChildProcess, TheWholeGroupEndsWithTheObject) {
  pid_t grandchild = 0;
  {
    auto child = ChildProcess::start("sh -c 'echo $$; exec tail -f /dev/null' & wait");
    ASSERT_TRUE(child.has_value());
    ASSERT_TRUE(child->wait_for_output(whole_seconds(60)));
    grandchild = static_cast<pid_t>(std::stol(child->read().bytes));
    ASSERT_EQ(kill(grandchild, 0), 0);
    ASSERT_EQ(getpgid(grandchild), child->pid());
  }
  // Gone, or a zombie that its new parent has not looked at yet: in no state to run.
  const std::string stat = "/proc/" + std::to_string(grandchild) + "/stat";
  std::string state = "Z";
  if (FILE* file = std::fopen(stat.c_str(), "r")) {
    char letter = '?';
    if (std::fscanf(file, "%*d (tail) %c", &letter) == 1) state = letter;
    std::fclose(file);
  }
  EXPECT_TRUE(state == "Z" || state == "X") << state;
}

TEST(ChildProcess, ADeathBySignalIsNamed) {
  auto child = ChildProcess::start("kill -9 $$");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(all_output_of(*child), "");
  auto ending = child->ending();
  while (!ending) ending = child->ending();
  EXPECT_EQ(*ending, "signal 9 (Killed)");
}

TEST(ChildProcess, AProgramIsStartedWithoutAShellAndWithItsOwnEnvironment) {
  setenv("TOKENJOULE_TEST_SETTING", "ours", 1);
  const char* command = "printf '%s %s' \"$1\" \"$TOKENJOULE_TEST_SETTING\"; echo bad >&2";
  auto child =
      ChildProcess::start(ChildProgram{.arguments = {"sh", "-c", command, "name", "$(one); 'two'"},
                                       .environment = {{"TOKENJOULE_TEST_SETTING", "its own"}},
                                       .with_errors = true});
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(all_output_of(*child), "$(one); 'two' its ownbad\n");
  EXPECT_STREQ(getenv("TOKENJOULE_TEST_SETTING"), "ours");
  unsetenv("TOKENJOULE_TEST_SETTING");
}

TEST(ChildProcess, AProgramThatIsNotThereIsMissing) {
  const auto child = ChildProcess::start(ChildProgram{.arguments = {"tokenjoule-no-such-program"}});
  ASSERT_FALSE(child.has_value());
  EXPECT_EQ(child.error().kind, ErrorKind::missing);
  EXPECT_NE(child.error().hint.find("install tokenjoule-no-such-program"), std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
