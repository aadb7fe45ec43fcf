#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "report/formats.hpp"
#include "report/terminal.hpp"
#include "sample_reports.hpp"

namespace tokenjoule {
namespace {

bool updating() {
  const char* update = std::getenv("TOKENJOULE_UPDATE_GOLDEN");
  return update != nullptr && std::string(update) == "1";
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// Compares with the file of that name, or writes it where TOKENJOULE_UPDATE_GOLDEN=1.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TOKENJOULE_GOLDEN_DIR) + "/" + name;
  if (updating()) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(bytes_of(path), text)
      << "differs from tests/golden/" << name
      << "; if that is meant, run this test with TOKENJOULE_UPDATE_GOLDEN=1 and review the diff";
}

TEST(Golden, EachFormatWritesTheSampleReportsAsReviewed) {
  for (const SampleReport& sample :
       {SampleReport{"simulated", simulated_report()}, SampleReport{"unusable", unusable_report()},
        SampleReport{"modelled", modelled_report()}}) {
    for (const ReportFormat& format : report_formats()) {
      expect_golden(sample.name + std::string(format.extension), format.render(sample.report));
    }
  }
}

TEST(Golden, ANarrowTerminalWithoutUtf8AndColourAsReviewed) {
  expect_golden("simulated.ascii80.txt",
                terminal_table(simulated_report(), {.width = 80, .utf8 = false}));
}

TEST(Golden, SeveralPointsStandBesideEachOtherAsReviewed) {
  const Report reports[] = {modelled_report(), simulated_report(), unusable_report()};
  expect_golden("points.txt", points_table(reports));
}

}  // namespace
}  // namespace tokenjoule
