#include "record/run_reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
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

/// Makes a run of bytes that come in pieces, so that of a long file no more is in memory than what
/// it says.
class RunBuilder {
 public:
  explicit RunBuilder(std::string_view name) : name_(name), lines_(run_) { run_.file_name = name; }

  void put(std::string_view bytes) {
    digest_.put(bytes);
    any_bytes_ = any_bytes_ || !bytes.empty();
    unread_ += bytes;
    // The last line waits: whether it is the file's last one decides what a fault in it means.
    std::size_t begin = 0;
    auto end = unread_.find('\n', searched_);
    while (end != std::string::npos && end + 1 < unread_.size()) {
      take(std::string_view(unread_).substr(begin, end - begin), false);
      begin = end + 1;
      end = unread_.find('\n', begin);
    }
    unread_.erase(0, begin);
    searched_ = end == std::string::npos ? unread_.size() : 0;
  }

  Result<Run> finish() {
    if (!any_bytes_) return unexpected(no_run_file(name_, "it is empty"));
    const bool has_end = !unread_.empty() && unread_.back() == '\n';
    if (has_end) take(std::string_view(unread_).substr(0, unread_.size() - 1), true);
    if (!header_) return unexpected(no_run_file(name_, "its first line has no end"));
    TRY_DO(*header_);
    // Without its end even a line that can be read may be a part of a longer one ("12" of "123").
    if (!has_end && !unread_.empty()) {
      ++run_.left_out.lines;
      run_.left_out.cut_last_line = true;
    }
    run_.sha256 = digest_.hex();
    sort_by_begin(run_.samples);
    sort_by_begin(run_.scrapes);
    return std::move(run_);
  }

 private:
  void take(std::string_view line, bool last) {
    if (!header_) {
      header_ = read_header(run_, line, name_);
      run_.left_out.lines = 1;
    } else if (*header_ && !line.empty()) {
      ++run_.left_out.lines;
      lines_.read(line, last);
    }
  }

  std::string name_;
  Run run_;
  LineReader lines_;
  Sha256 digest_;
  std::string unread_;
  std::size_t searched_ = 0;  ///< up to here unread_ holds no line end
  bool any_bytes_ = false;
  std::optional<Status> header_;
};

}  // namespace

Result<Run> run_in(std::string_view bytes, std::string_view name) {
  RunBuilder builder(name);
  builder.put(bytes);
  return builder.finish();
}

Result<Run> read_run(const std::filesystem::path& path) {
  std::error_code error;
  const auto file = std::filesystem::is_directory(path, error) ? path / "run.jsonl" : path;
  RunBuilder builder(file.filename().string());
  TRY_DO(for_each_piece(file, [&](std::string_view piece) { builder.put(piece); }));
  return builder.finish();
}

}  // namespace tokenjoule
