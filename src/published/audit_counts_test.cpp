// The audit on MLPerf and ML.ENERGY: our own samples, and the results as they were published.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "published/audit_rules.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

const std::filesystem::path kData = TOKENJOULE_SOURCE_DIR "/../shared/data";

using Counts = std::map<std::string, int>;

/// "M01 note": how many findings.
Counts counts_of(const PublishedSet& set) {
  Counts counts;
  for (const AuditFinding& finding : audit(set, {}))
    ++counts[std::string(finding.rule->code) + ' ' + std::string(name_of(finding.severity))];
  return counts;
}

/// All files below a folder but what describes them.
PublishedSet set_of_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() != ".md") files.push_back(entry.path());
  }
  return set_of(files);
}

TEST(AuditOfSamples, CountsOfMlperf) {
  // One row taken over; 87 GPUs on nodes of 8, two kinds of GPU, and no count; two without tokens;
  // six whose notes state no limit.
  EXPECT_EQ(
      counts_of(set_of({kSamples / "mlperf.v6_0.json"})),
      (Counts{
          {"M01 note", 1}, {"M02 note", 1}, {"M02 warning", 2}, {"M03 note", 2}, {"M04 note", 6}}));
  // 14 measured rows of language models above the limits of their GPUs, five that repeat another.
  EXPECT_EQ(counts_of(set_of({kSamples / "mlperf.measured.json"})),
            (Counts{{"M03 note", 2}, {"M07 fact", 14}, {"M08 note", 5}}));
}

TEST(AuditOfSamples, CountsOfMlenergy) {
  EXPECT_EQ(counts_of(set_of({kSamples / "mlenergy.v3_task.json"})), (Counts{{"E05 note", 1}}));
  EXPECT_EQ(counts_of(set_of({kSamples / "mlenergy.v2.jsonl"})), Counts{});
}

TEST(AuditOfPublishedFiles, CountsOfMlperf) {
  if (!std::filesystem::exists(kData / "mlperf"))
    GTEST_SKIP() << "the published files are not here";
  EXPECT_EQ(counts_of(set_of_folder(kData / "mlperf/v4.1")), (Counts{{"M02 note", 110},
                                                                     {"M03 note", 608},
                                                                     {"M04 note", 241},
                                                                     {"M05 warning", 3},
                                                                     {"M07 fact", 12},
                                                                     {"M08 note", 5},
                                                                     {"M09 note", 64}}));
  EXPECT_EQ(counts_of(set_of_folder(kData / "mlperf/v5.1")), (Counts{{"M01 note", 536},
                                                                     {"M02 note", 880},
                                                                     {"M02 warning", 8},
                                                                     {"M03 note", 1042},
                                                                     {"M04 note", 214},
                                                                     {"M07 fact", 10},
                                                                     {"M08 note", 1},
                                                                     {"M09 note", 839}}));
  EXPECT_EQ(counts_of(set_of_folder(kData / "mlperf/v6.0")), (Counts{{"M01 note", 49},
                                                                     {"M02 note", 33},
                                                                     {"M02 warning", 12},
                                                                     {"M03 note", 136},
                                                                     {"M04 note", 188},
                                                                     {"M09 note", 16}}));
}

TEST(AuditOfPublishedFiles, CountsOfMlenergy) {
  if (!std::filesystem::exists(kData / "mlenergy"))
    GTEST_SKIP() << "the published files are not here";
  const PublishedSet set = set_of_folder(kData / "mlenergy/v3/tasks");
  EXPECT_EQ(set.rows.size(), 838U);
  // No row contradicts itself; of nine, energy per token rises with the batch.
  EXPECT_EQ(counts_of(set), (Counts{{"E05 note", 9}}));
}

}  // namespace
}  // namespace tokenjoule
