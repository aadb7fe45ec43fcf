#include "published/importers.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "published/testing_published.hpp"

namespace tokenjoule {
namespace {

/// testdata/<importer>.<what it is>.<extension>
std::string owner_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

TEST(Importers, EachRecognisesItsOwnSamplesAndNobodyElses) {
  for (const auto& sample : std::filesystem::directory_iterator(kSamples)) {
    const std::string bytes = bytes_of(sample.path());
    for (const Importer& importer : importers()) {
      EXPECT_EQ(importer.recognises(bytes), importer.name == owner_of(sample.path()))
          << importer.name << " and " << sample.path().filename();
    }
  }
}

TEST(Importers, EachHasASampleAndReadsAllOfThemWithoutAProblem) {
  for (const Importer& importer : importers()) {
    int samples = 0;
    for (const auto& sample : std::filesystem::directory_iterator(kSamples)) {
      if (owner_of(sample.path()) != importer.name) continue;
      ++samples;
      PublishedSet set;
      read_published(sample.path().filename().string(), bytes_of(sample.path()), set);
      EXPECT_GT(set.rows.size() + set.sidecars.size(), 0U) << sample.path();
      for (const auto& problem : set.problems) ADD_FAILURE() << sample.path() << problem.message;
    }
    EXPECT_GT(samples, 0) << importer.name;
    EXPECT_FALSE(importer.what.empty());
  }
}

TEST(Importers, ACutOffSampleGivesAtMostOneProblemAndNoMoreRowsThanTheWhole) {
  for (const auto& sample : std::filesystem::directory_iterator(kSamples)) {
    const std::string bytes = bytes_of(sample.path());
    PublishedSet whole;
    read_published("whole", bytes, whole);
    for (const std::size_t length : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 3}) {
      PublishedSet set;
      read_published("cut", std::string_view(bytes).substr(0, length), set);
      EXPECT_LE(set.rows.size(), whole.rows.size() + 1) << sample.path();
      EXPECT_LE(set.problems.size(), 1U) << sample.path();
    }
  }
}

std::string problem_of(std::string_view bytes) {
  PublishedSet set;
  read_published("file", bytes, set);
  return set.problems.size() == 1 && set.rows.empty() ? set.problems.front().message : "";
}

TEST(Importers, AFileThatNobodyKnowsGetsOneLineThatSaysWhatItLooksLike) {
  EXPECT_NE(problem_of("<!DOCTYPE html><html><body>").find("HTML page"), std::string::npos);
  EXPECT_NE(problem_of("").find("empty"), std::string::npos);
  EXPECT_NE(problem_of("{\"a\":1}").find("no key"), std::string::npos);
  EXPECT_NE(problem_of("a,b\n1,2\n").find("table"), std::string::npos);
  EXPECT_NE(problem_of("version https://git-lfs.github.com/spec/v1\noid x\n").find("LFS"),
            std::string::npos);
}

}  // namespace
}  // namespace tokenjoule
