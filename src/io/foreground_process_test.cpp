#include "io/foreground_process.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace tokenjoule {
namespace {

/// The code that a program ends with.
int code_of(const std::vector<std::string>& words) {
  auto process = ForegroundProcess::start(words);
  if (!process) return -1;
  const auto ending = process->wait_for_end(whole_seconds(30));
  return ending ? ending->code : -2;
}

TEST(ForegroundProcess, GivesTheExitStatusOfTheProgram) {
  EXPECT_EQ(code_of({"true"}), 0);
  EXPECT_EQ(code_of({"sh", "-c", "exit 7"}), 7);
}

TEST(ForegroundProcess, OneThatASignalEndedHas128AndItsNumber) {
  EXPECT_EQ(code_of({"sh", "-c", "kill -TERM $$"}), 128 + SIGTERM);
}

TEST(ForegroundProcess, DoesNotInheritThatWeIgnoreBrokenPipes) {
  std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(code_of({"sh", "-c", "kill -PIPE $$"}), 128 + SIGPIPE);
}

TEST(ForegroundProcess, OneThatStillRunsHasNoEndingYet) {
  auto process = ForegroundProcess::start({"tail", "-f", "/dev/null"});
  ASSERT_TRUE(process.has_value());
  EXPECT_FALSE(process->wait_for_end(milliseconds(1)).has_value());
  kill(process->pid(), SIGKILL);
  const auto ending = process->wait_for_end(whole_seconds(30));
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->code, 128 + SIGKILL);
  EXPECT_NE(ending->words.find("signal 9"), std::string::npos);
}

TEST(CheckProgram, FindsThoseOfPathAndSaysWhichItDoesNot) {
  EXPECT_TRUE(check_program("sh").has_value());
  EXPECT_TRUE(check_program("/bin/sh").has_value());
  for (const char* name : {"no-such-program-here", "/no/such/program"}) {
    const Status found = check_program(name);
    ASSERT_FALSE(found.has_value()) << name;
    EXPECT_EQ(found.error().kind, ErrorKind::missing);
    EXPECT_NE(found.error().message.find(name), std::string::npos);
    EXPECT_FALSE(found.error().hint.empty());
  }
}

}  // namespace
}  // namespace tokenjoule
