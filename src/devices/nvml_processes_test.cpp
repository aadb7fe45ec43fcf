#include "devices/nvml_processes.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "devices/nvml_abi.hpp"

namespace tokenjoule {
namespace {

template <typename Entry>
std::vector<std::byte> written_by_driver(std::initializer_list<Entry> entries) {
  std::vector<std::byte> buffer(8 * kLongestProcessEntry, kProcessFill);
  std::size_t at = 0;
  for (const Entry& entry : entries) {
    std::memcpy(buffer.data() + at, &entry, sizeof entry);
    at += sizeof entry;
  }
  return buffer;
}

template <typename Entry>
class ProcessLayout : public testing::Test {};
using Layouts = testing::Types<nvml::ProcessInfoV1, nvml::ProcessInfoV2, nvml::ProcessInfoLong>;
TYPED_TEST_SUITE(ProcessLayout, Layouts);

TYPED_TEST(ProcessLayout, IsFoundByHowMuchWasWritten) {
  TypeParam first{}, second{};
  first.pid = 100;
  first.memory_used = 1 << 20;
  second.pid = 200;
  second.memory_used = nvml::kMemoryNotAvailable;
  const auto processes = nvml_processes_in(written_by_driver({first, second}), 2);
  ASSERT_TRUE(processes) << processes.error().message;
  ASSERT_EQ(processes->size(), 2U);
  EXPECT_EQ((*processes)[0].pid, 100U);
  EXPECT_EQ((*processes)[0].memory_bytes, 1U << 20);
  EXPECT_EQ((*processes)[1].pid, 200U);
  EXPECT_EQ((*processes)[1].memory_bytes, std::nullopt);
}

TYPED_TEST(ProcessLayout, IsFoundFromOneEntryAlone) {
  TypeParam only{};
  only.pid = 7;
  const auto processes = nvml_processes_in(written_by_driver({only}), 1);
  ASSERT_TRUE(processes);
  EXPECT_EQ(processes->front().pid, 7U);
}

TEST(NvmlProcesses, OfNoneAreNone) {
  const std::vector<std::byte> buffer(64, kProcessFill);
  EXPECT_TRUE(nvml_processes_in(buffer, 0)->empty());
}

TEST(NvmlProcesses, InAnUnknownLayoutAreAnErrorAndNotGarbage) {
  const std::vector<std::byte> forty_bytes(40, std::byte{1});
  EXPECT_FALSE(nvml_processes_in(forty_bytes, 1));
}

TEST(NvmlProcesses, MoreThanFitTheBufferAreAnError) {
  const std::vector<std::byte> buffer(16, std::byte{1});
  EXPECT_FALSE(nvml_processes_in(buffer, 100));
}

}  // namespace
}  // namespace tokenjoule
