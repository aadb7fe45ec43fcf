#include "io/data_files.hpp"

#include <cstdlib>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <minizip/zip.h>
#include <zlib.h>

namespace tokenjoule {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone when the test is.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "tokenjoule-data-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << bytes;
    return path / name;
  }
};

std::string gzip(const std::string& plain) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string input = plain;
  std::string packed(deflateBound(&stream, input.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

fs::path zip(const Folder& folder, const std::vector<std::pair<std::string, std::string>>& files) {
  const fs::path path = folder.path / "x.zip";
  const zipFile archive = zipOpen64(path.c_str(), 0);
  for (const auto& [name, bytes] : files) {
    zipOpenNewFileInZip(archive, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                        9);
    zipWriteInFileInZip(archive, bytes.data(), static_cast<unsigned>(bytes.size()));
    zipCloseFileInZip(archive);
  }
  zipClose(archive, nullptr);
  return path;
}

/// "name=bytes" for each file, "name!why" for each problem, without the folder.
std::vector<std::string> found(const Folder& folder, const fs::path& path,
                               const DataFileBounds& bounds = {}) {
  std::vector<std::string> lines;
  const auto bare = [&](const std::string& name) {
    return name.substr(std::min(name.size(), folder.path.string().size() + 1));
  };
  const auto status = for_each_data_file(
      path, bounds, [&](DataFile&& file) { lines.push_back(bare(file.name) + "=" + file.bytes); },
      [&](const std::string& name, const std::string& why) {
        lines.push_back(bare(name) + "!" + why);
      });
  EXPECT_TRUE(status);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(DataFiles, ReadPlainAndPackedByContent) {
  const Folder folder;
  EXPECT_EQ(found(folder, folder.write("a.json", "[1]")), Lines{"a.json=[1]"});
  EXPECT_EQ(found(folder, folder.write("b.json", gzip("[2]"))), Lines{"b.json=[2]"});
  EXPECT_EQ(found(folder, folder.write("c.gz", gzip("[3") + gzip("]"))), Lines{"c.gz=[3]"});
  EXPECT_EQ(found(folder, zip(folder, {{"d.json", "[4]"}, {"sub/e.json", gzip("[5]")}})),
            (Lines{"x.zip!d.json=[4]", "x.zip!sub/e.json=[5]"}));
}

TEST(DataFiles, FoldersAreReadInTheOrderOfNamesWithoutHiddenFiles) {
  const Folder folder;
  folder.write("f/b", "2");
  folder.write("f/a/z", "1");
  folder.write("f/.hidden", "3");
  EXPECT_EQ(found(folder, folder.path / "f"), (Lines{"f/a/z=1", "f/b=2"}));
}

TEST(DataFiles, AFileThatIsNotThereIsAnError) {
  EXPECT_FALSE(for_each_data_file(
      "/nonexistent", {}, [](DataFile&&) {}, [](const auto&, const auto&) {}));
}

TEST(DataFiles, ABombIsRefusedWhileItUnpacks) {
  const Folder folder;
  DataFileBounds bounds;
  bounds.ratio_from = 1000;
  const std::string zeros(1'000'000, '0');
  const auto gz = found(folder, folder.write("bomb.gz", gzip(zeros)), bounds);
  ASSERT_EQ(gz.size(), 1U);
  EXPECT_NE(gz[0].find("zip bomb"), std::string::npos);
  const auto zipped = found(folder, zip(folder, {{"bomb", zeros}, {"good", "[1]"}}), bounds);
  ASSERT_EQ(zipped.size(), 2U);
  EXPECT_NE(zipped[0].find("zip bomb"), std::string::npos);
  EXPECT_EQ(zipped[1], "x.zip!good=[1]");
}

TEST(DataFiles, AFileBeyondTheBoundIsNotEvenRead) {
  const Folder folder;
  const auto path = folder.write("large", "");
  fs::resize_file(path, std::uint64_t{2} << 30);  // sparse: takes no room
  const auto lines = found(folder, path);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "large!it has 2.1 GB, more than the 1.1 GB that are read at once");
}

TEST(DataFiles, DamagedArchivesAndArchivesInArchivesGetOneLine) {
  const Folder folder;
  const std::string packed = gzip("[1,2,3,4,5,6,7,8]");
  EXPECT_EQ(found(folder, folder.write("cut.gz", packed.substr(0, packed.size() / 2))),
            Lines{"cut.gz!its gzip data is damaged or cut off"});
  EXPECT_EQ(found(folder, folder.write("cut.zip", "PK\x03\x04rest")),
            Lines{"cut.zip!its zip directory is damaged or cut off"});
  EXPECT_EQ(found(folder, folder.write("twice.gz", gzip(packed))),
            Lines{"twice.gz!an archive inside an archive is not opened: unpack it first"});
}

TEST(DataFiles, TheNumberOfFilesHasABound) {
  const Folder folder;
  for (const auto* name : {"f/a", "f/b", "f/c", "f/d"}) folder.write(name, "x");
  DataFileBounds bounds;
  bounds.files = 2;
  EXPECT_EQ(
      found(folder, folder.path / "f", bounds),
      (Lines{"f/a=x", "f/b=x", "f/c!it and those behind it are left out: more than 2 files"}));
}

}  // namespace
}  // namespace tokenjoule
