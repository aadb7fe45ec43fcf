#include <map>

#include <fmt/core.h>

#include "app/output.hpp"
#include "app/published_command.hpp"
#include "base/text.hpp"
#include "io/data_files.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kLinesTold = 10;  ///< files with problems, then their number

/// Files met in a folder or an archive need not be results: they are counted, not complained about.
struct Gathered {
  PublishedSet set;
  std::size_t passed_over = 0;

  void take(DataFile&& file) {
    if (!file.named && importer_of(file.bytes) == nullptr) {
      ++passed_over;
      return;
    }
    read_published(std::move(file.name), file.bytes, set);
  }

  void cannot(const std::string& name, const std::string& why) {
    const auto file = static_cast<std::uint32_t>(set.files.size());
    set.files.push_back({name, {}});
    set.problems.push_back({file, std::nullopt, why});
  }
};

}  // namespace

Result<PublishedSet> published_set_of(const std::vector<std::string>& files) {
  Gathered gathered;
  const OnDataFile on_file = [&](DataFile&& file) { gathered.take(std::move(file)); };
  const OnDataProblem on_problem = [&](const std::string& name, const std::string& why) {
    gathered.cannot(name, why);
  };
  const DataFileBounds bounds;
  for (const std::string& file : files)
    TRY_DO(for_each_data_file(file, bounds, on_file, on_problem));
  finish(gathered.set);
  if (gathered.passed_over > 0)
    put_error(fmt::format("tokenjoule: {} files of folders or archives are nobody's results\n",
                          gathered.passed_over));
  if (!gathered.set.rows.empty()) return std::move(gathered.set);
  tell_reading(gathered.set);
  return failure(ErrorKind::missing, "no row of published results was read",
                 "tokenjoule published --help says which files are known");
}

void tell_reading(const PublishedSet& set) {
  // One line a file: a table whose columns are shifted has a problem in every row.
  std::map<std::uint32_t, std::size_t> count;
  std::vector<const ReadProblem*> first;
  for (const ReadProblem& problem : set.problems) {
    if (++count[problem.file] == 1) first.push_back(&problem);
  }
  for (std::size_t i = 0; i < first.size() && i < kLinesTold; ++i) {
    const ReadProblem& problem = *first[i];
    const std::size_t more = count[problem.file] - 1;
    put_error(fmt::format("tokenjoule: {}{}: {}{}\n", quoted(set.files[problem.file].name, 300),
                          problem.row ? fmt::format(", row {}", *problem.row + 1) : "",
                          problem.message,
                          more > 0 ? fmt::format(" ({} more problems in this file)", more) : ""));
  }
  if (first.size() > kLinesTold)
    put_error(fmt::format("tokenjoule: {} more files with problems\n", first.size() - kLinesTold));
  if (set.duplicates > 0)
    put_error(
        fmt::format("tokenjoule: {} rows stood there twice and count once\n", set.duplicates));
}

}  // namespace tokenjoule
