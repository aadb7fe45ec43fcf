#include "record/run_reader.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/digest.hpp"
#include "io/file.hpp"
#include "record/event_json.hpp"

namespace tokenjoule {

namespace {

constexpr std::string_view kNoRunFileHint =
    "give the run.jsonl that measure wrote, or the folder it lies in";

Error no_run_file(std::string_view name, std::string_view why) {
  return {ErrorKind::missing, fmt::format("{} is no run file: {}", name, why),
          std::string(kNoRunFileHint)};
}

/// The header from the first line, which tells a run file from anything else.
Status read_header(Run& run, std::string_view line, std::string_view name) {
  auto event = event_in(line);
  if (!event) return unexpected(no_run_file(name, "its first line: " + event.error().message));
  if (!*event || !std::holds_alternative<RunHeader>(**event)) {
    return unexpected(no_run_file(name, "its first line is no header"));
  }
  add_event(run, std::move(**event));
  return {};
}

/// Reads the lines behind the header. One that cannot be read is left out and counted; so is a
/// second header (two runs joined), a second record of a request, and what stands behind the close
/// event: any of it would be counted twice.
class LineReader {
 public:
  explicit LineReader(Run& run) : run_(run) {}

  void read(std::string_view line, bool last) {
    auto event = event_in(line);
    if (!event && last) {
      run_.left_out.cut_last_line = true;
    } else if (!event || (*event && std::holds_alternative<RunHeader>(**event))) {
      ++run_.left_out.broken_lines;
    } else if (!*event) {
      ++run_.left_out.unknown_kinds;
    } else {
      keep(std::move(**event));
    }
  }

 private:
  void keep(Event event) {
    const auto* request = std::get_if<RequestRecord>(&event);
    if (request != nullptr && !requests_.insert(request->id).second) {
      ++run_.left_out.repeated_requests;
    } else if (run_.close) {
      ++run_.left_out.behind_close;
    } else {
      add_event(run_, std::move(event));
    }
  }

  Run& run_;
  std::unordered_set<std::uint64_t> requests_;
};

template <typename Timed>
void sort_by_begin(std::vector<Timed>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Timed& a, const Timed& b) { return a.read.begin < b.read.begin; });
}

}  // namespace

Result<Run> run_in(std::string_view bytes, std::string_view name) {
  Run run;
  run.file_name = name;
  run.sha256 = sha256_hex(bytes);
  const auto first_end = bytes.find('\n');
  if (bytes.empty()) return unexpected(no_run_file(name, "it is empty"));
  if (first_end == std::string_view::npos)
    return unexpected(no_run_file(name, "its first line has no end"));
  TRY_DO(read_header(run, bytes.substr(0, first_end), name));
  run.left_out.lines = 1;
  LineReader reader(run);
  for (std::size_t start = first_end + 1; start < bytes.size();) {
    const auto end = bytes.find('\n', start);
    const bool has_end = end != std::string_view::npos;
    const std::string_view line =
        bytes.substr(start, has_end ? end - start : std::string_view::npos);
    start = has_end ? end + 1 : bytes.size();
    if (line.empty()) continue;
    ++run.left_out.lines;
    // Without its end even a line that can be read may be a part of a longer one ("12" of "123").
    if (!has_end) {
      run.left_out.cut_last_line = true;
    } else {
      reader.read(line, start >= bytes.size());
    }
  }
  sort_by_begin(run.samples);
  sort_by_begin(run.scrapes);
  return run;
}

Result<Run> read_run(const std::filesystem::path& path) {
  std::error_code error;
  const auto file = std::filesystem::is_directory(path, error) ? path / "run.jsonl" : path;
  TRY(const std::string bytes, file_bytes(file));
  return run_in(bytes, file.filename().string());
}

}  // namespace tokenjoule
