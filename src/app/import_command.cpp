#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "app/outputs.hpp"
#include "app/version.hpp"
#include "base/stamp.hpp"
#include "base/text.hpp"
#include "io/data_files.hpp"
#include "io/digest.hpp"
#include "io/file.hpp"
#include "record/import/imported_run.hpp"
#include "record/import/logs.hpp"

namespace tokenjoule {

namespace {

/// A log is held in memory several times over while it is read.
constexpr std::uintmax_t kLargestFile = 1ULL << 30;

/// What the files gave.
struct Logs {
  std::optional<LoadLog> load;
  std::vector<PowerLog> powers;
  std::vector<ImportedFile> files;
};

/// How files are to be read and joined.
struct ImportOptions {
  ReadOptions read;
  std::optional<Nanoseconds> power_zone, load_zone;
  std::optional<Stamp> start;
  ImportChoice choice;
};

std::string format_names() {
  std::string names;
  for (const LogFormat& format : log_formats())
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

Result<const LogFormat*> format_named(const std::string& name, const std::string& option) {
  const LogFormat* format = log_format_named(name);
  if (format != nullptr) return format;
  std::vector<std::string> names = {"auto"};
  for (const LogFormat& known : log_formats()) names.emplace_back(known.name);
  return failure(ErrorKind::usage,
                 fmt::format("{} {} is none{}", option, quoted(name), did_you_mean(name, names)),
                 "the formats are: auto, " + format_names());
}

Result<const LogFormat*> format_of(std::string_view text, const std::string& file) {
  if (const LogFormat* format = log_format_of(text)) return format;
  if (trimmed(text).empty()) {
    return failure(
        ErrorKind::missing,
        fmt::format("{}: the file is empty (InferenceX: telemetry_file_empty)", quoted(file)),
        "see whether its program ran");
  }
  return failure(ErrorKind::missing,
                 fmt::format("{} is no log that is known; it starts with {}", quoted(file),
                             quoted(trimmed(text.substr(0, 200)), 40)),
                 fmt::format("name its format ({}); a CSV needs --columns", format_names()));
}

Result<std::string> text_of(const std::filesystem::path& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  if (!none && size > kLargestFile) {
    return failure(ErrorKind::missing, fmt::format("{} has {} bytes", quoted(path.string()), size),
                   "cut it to the run: at most 1 GiB can be read");
  }
  TRY(std::string text, file_bytes(path));
  if (is_gzip(text)) {
    auto plain = unpacked_gzip(text, DataFileBounds{});
    if (!plain) return unexpected(std::move(plain).error().in(quoted(path.string())));
    text = std::move(*plain);
  }
  if (starts_with(text, "\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

void put_load(Logs& logs, LoadLog load, const ImportOptions& options) {
  if (options.load_zone && !load.zone_known && load.begin_ns) {
    *load.begin_ns -= options.load_zone->count;
    load.zone_known = true;
  }
  if (options.start) {
    load.begin_ns = options.start->ns;
    load.zone_known = options.start->zone_known;
    load.slack = Seconds();
  }
  logs.load = std::move(load);
}

void put_power(Logs& logs, PowerLog power, const ImportOptions& options) {
  if (options.power_zone && !power.zone_known && power.absolute) {
    for (LoggedRow& row : power.rows) row.at_ns -= options.power_zone->count;
    for (BadRow& row : power.bad_rows) {
      if (row.at_ns) *row.at_ns -= options.power_zone->count;
    }
    power.zone_known = true;
  }
  logs.powers.push_back(std::move(power));
}

Status read_file(Logs& logs, const std::string& file, const LogFormat* format,
                 const ImportOptions& options) {
  TRY(const std::string text, text_of(file));
  if (format == nullptr) {
    TRY(format, format_of(text, file));
  }
  std::string name = std::filesystem::path(file).filename().string();
  if (ends_with(name, ".gz")) name.resize(name.size() - std::string_view(".gz").size());
  logs.files.push_back({name, std::string(format->name), sha256_hex(text)});
  if (format->read_power != nullptr) {
    auto power = format->read_power(text, options.read);
    if (!power) return unexpected(std::move(power).error().in(quoted(file)));
    power->format = format->name;
    power->file = name;
    put_power(logs, std::move(*power), options);
    return {};
  }
  if (logs.load) {
    return failure(
        ErrorKind::usage,
        fmt::format("{} and {} both are records of a load", quoted(logs.load->file), quoted(file)),
        "import one run at a time");
  }
  auto load = format->read_load(text, options.read);
  if (!load) return unexpected(std::move(load).error().in(quoted(file)));
  load->format = format->name;
  load->file = name;
  put_load(logs, std::move(*load), options);
  return {};
}

Result<Logs> read_files(const ParsedOptions& parsed, const ImportOptions& options) {
  const auto& words = parsed.positionals();
  if (words.size() < 3) {
    return failure(ErrorKind::usage, "an import needs a format, the load's record and a power log",
                   "write: tokenjoule import auto RESULT.json gpu_metrics.csv");
  }
  const LogFormat* first = nullptr;
  if (words[0] != "auto") {
    TRY(first, format_named(words[0], "format"));
  }
  const LogFormat* power = nullptr;
  if (const auto name = parsed.text("power-format"); name && *name != "auto") {
    TRY(power, format_named(*name, "--power-format"));
    if (power->read_power == nullptr) {
      return failure(ErrorKind::usage, fmt::format("--power-format {} is of a load", quoted(*name)),
                     "give the format of a power log");
    }
  }
  Logs logs;
  TRY_DO(read_file(logs, words[1], first, options));
  for (std::size_t i = 2; i < words.size(); ++i) TRY_DO(read_file(logs, words[i], power, options));
  if (!logs.load)
    return failure(ErrorKind::missing, "none of the files is a record of a load",
                   "give the result of the load generator as well");
  if (logs.powers.empty())
    return failure(ErrorKind::missing,
                   "none of the files is a power log (InferenceX: telemetry_file_missing)",
                   "give the log of nvidia-smi, dcgmi dmon, … as well");
  return logs;
}

Result<std::map<std::string, std::string>> columns_in(const std::optional<std::string>& text) {
  std::map<std::string, std::string> columns;
  for (const std::string& item : comma_list(text.value_or(""))) {
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const bool known = key == "time" || key == "watts" || key == "joules" || key == "device";
    if (equals == std::string::npos || !known) {
      return failure(ErrorKind::usage, fmt::format("--columns {} is no column", quoted(item)),
                     "write --columns time=NAME,watts=NAME,device=NAME (or joules=NAME)");
    }
    columns[key] = item.substr(equals + 1);
  }
  return columns;
}

Result<std::optional<Nanoseconds>> zone_option(const ParsedOptions& parsed,
                                               const std::string& option) {
  const auto text = parsed.text(option);
  if (!text) return std::optional<Nanoseconds>();
  const auto zone = zone_in(*text);
  if (!zone) {
    return failure(ErrorKind::usage, fmt::format("--{} {} is no time zone", option, quoted(*text)),
                   "write UTC, +02:00 or -0530");
  }
  return zone;
}

Result<std::optional<Stamp>> stamp_option(const ParsedOptions& parsed, const std::string& option) {
  const auto text = parsed.text(option);
  if (!text) return std::optional<Stamp>();
  const auto stamp = stamp_in(*text);
  if (!stamp || !stamp->absolute) {
    return failure(ErrorKind::usage, fmt::format("--{} {} is no time", option, quoted(*text)),
                   "write 2026-06-10T20:34:26Z or Unix seconds");
  }
  return stamp;
}

/// Seconds that may be below zero: "-1.5", "0.2s".
Result<std::optional<Seconds>> signed_seconds(const ParsedOptions& parsed,
                                              const std::string& option) {
  const auto text = parsed.text(option);
  if (!text) return std::optional<Seconds>();
  const bool minus = starts_with(*text, "-");
  auto span = duration_in(minus ? std::string_view(*text).substr(1) : std::string_view(*text));
  if (!span) return unexpected(std::move(span).error().in("--" + option));
  return std::optional(minus ? -*span : *span);
}

Status read_options(const ParsedOptions& parsed, ReadOptions& read) {
  TRY(read.columns, columns_in(parsed.text("columns")));
  if (const auto name = parsed.text("power-boundary")) {
    read.boundary = boundary_named(*name);
    if (!read.boundary)
      return failure(ErrorKind::usage, fmt::format("--power-boundary {} is none", quoted(*name)),
                     "the boundaries stand in docs/methods.md");
  }
  TRY(read.run, parsed.integer("run", 1, 1'000'000));
  TRY(const auto begin, stamp_option(parsed, "power-start"));
  if (begin) read.begin_ns = begin->ns;
  TRY(const auto period, parsed.duration("power-period"));
  if (period) read.period = *period;
  if (read.period <= Seconds() || read.period > Seconds(3600))
    return failure(ErrorKind::usage, "--power-period is out of range",
                   "give it in seconds, above 0, at most an hour");
  return {};
}

Result<ImportOptions> import_options(const ParsedOptions& parsed) {
  ImportOptions options;
  TRY_DO(read_options(parsed, options.read));
  TRY(options.power_zone, zone_option(parsed, "power-timezone"));
  TRY(options.load_zone, zone_option(parsed, "load-timezone"));
  TRY(options.start, stamp_option(parsed, "start"));
  ImportChoice& choice = options.choice;
  choice.tool_version = version();
  choice.gpus = comma_list(parsed.text("gpus").value_or(""));
  TRY(choice.stated_offset, signed_seconds(parsed, "clock-offset"));
  TRY(const auto bound, parsed.duration("clock-bound"));
  if (bound && !choice.stated_offset) {
    return failure(ErrorKind::usage, "--clock-bound is of --clock-offset", "give both, or neither");
  }
  choice.stated_bound = bound.value_or(Seconds());
  TRY(choice.averaging, parsed.duration("averaging"));
  TRY(const auto skip_start, parsed.duration("skip-start"));
  TRY(const auto skip_end, parsed.duration("skip-end"));
  choice.skip_start = skip_start.value_or(Seconds());
  choice.skip_end = skip_end.value_or(Seconds());
  TRY(choice.expected_gpus, parsed.integer("expected-gpus", 1, 100'000));
  return options;
}

/// The new folder: that of --out, else one by the time. Two imports of one second get two.
Result<std::filesystem::path> folder_for(const ParsedOptions& parsed) {
  if (const auto out = parsed.text("out")) {
    TRY_DO(make_new_folder(*out));
    return std::filesystem::path(*out);
  }
  const std::string name =
      fmt::format("tokenjoule-import-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  constexpr int kMostOfASecond = 1000;
  for (int number = 1;; ++number) {
    const std::filesystem::path folder = number == 1 ? name : fmt::format("{}-{}", name, number);
    const auto made = make_new_folder(folder);
    if (made) return folder;
    std::error_code none;
    if (!std::filesystem::exists(folder, none) || number == kMostOfASecond)
      return unexpected(made.error());
  }
}

std::vector<OptionSpec> import_option_specs();

Result<int> run_import(const ParsedOptions& parsed) {
  TRY(const OutputFormat format, output_format_in(parsed.text("format")));
  TRY(const ImportOptions options, import_options(parsed));
  TRY(const Logs logs, read_files(parsed, options));
  TRY(const auto events, imported_run(*logs.load, logs.powers, logs.files, options.choice));
  TRY(const std::filesystem::path folder, folder_for(parsed));
  TRY_DO(write_new_file(folder / "run.jsonl", run_file_text(events)));
  AnalysisChoice choice;
  if (parsed.flag("strict")) choice.strict = true;
  TRY(const Report report, judged(folder / "run.jsonl", choice));
  TRY_DO(write_results(report, folder));
  put_out(printed({report}, format));
  put_error(fmt::format("tokenjoule: {} holds run.jsonl and its results\n", folder.string()));
  return exit_code_of(report);
}

std::vector<OptionSpec> import_option_specs() {
  constexpr char kFiles[] = "Files";
  constexpr char kClocks[] = "Clocks";
  constexpr char kRun[] = "Run";
  return {
      value_option("--power-format", "FORMAT", "of the files behind the first one (default: auto)",
                   kFiles),
      value_option(
          "--columns", "LIST",
          "of a CSV: time=NAME,watts=NAME (or joules=NAME), and device=NAME where several are in "
          "one file",
          kFiles),
      value_option("--power-boundary", "NAME",
                   "what the meter of a CSV sees: node_ac, gpu_board, …", kFiles),
      value_option("--run", "N", "which run of a file with several (default: the last)", kFiles),
      value_option("--gpus", "LIST",
                   "devices that count, by index or UUID (default: all in the log)", kFiles),
      value_option("--averaging", "T",
                   "what each power reading is a mean over; 0: an instant value", kFiles),
      value_option("--power-timezone", "ZONE",
                   "of stamps without a zone: UTC, +02:00 (default: found)", kClocks),
      value_option("--load-timezone", "ZONE", "likewise, of the load's record", kClocks),
      value_option("--clock-offset", "T", "add to the power log's times; 0: both clocks are one",
                   kClocks),
      value_option("--clock-bound", "T", "how far that may be off (default: 0)", kClocks),
      value_option("--start", "TIME", "when the load began, where its record does not say",
                   kClocks),
      value_option("--power-start", "TIME", "first round of a dcgmi dmon log without times",
                   kClocks),
      value_option("--power-period", "T", "between its rounds (default: 1s)", kClocks),
      value_option("--skip-start", "T", "leave out so much of the load's begin (default: 0)", kRun),
      value_option("--skip-end", "T", "and of its end (default: 0)", kRun),
      value_option("--expected-gpus", "N", "InferenceX's check: the log is to have so many", kRun),
      value_option("--out,-o", "DIR",
                   "new folder for run.jsonl and results (default: tokenjoule-import-…)", kRun),
      value_option("--format", "table|markdown|json|csv", "what is printed (default: table)", kRun),
      {"--strict", "", "what needs care counts as unusable", OptionKind::flag, "", kRun},
  };
}

}  // namespace

CommandSpec import_command() {
  std::string summary = "joins another tool's load record with a power log into a run of ours";
  CommandSpec command{"import",
                      std::move(summary),
                      "tokenjoule import FORMAT LOAD POWER… [options]\n       FORMAT: auto, or of "
                      "the first file:",
                      import_option_specs(),
                      {"tokenjoule import auto result.json gpu_metrics.csv --gpus 0,1",
                       "tokenjoule import vllm result.json power.csv --power-timezone +02:00",
                       "tokenjoule import mlperf mlperf_log_detail.txt spl.txt",
                       "tokenjoule import auto r.json meter.csv --power-format csv "
                       "--columns time=t,watts=p --power-boundary rack"},
                      32,
                      run_import};
  for (const LogFormat& format : log_formats())
    command.usage += fmt::format("\n         {:<17} {}", format.name, format.summary);
  return command;
}

}  // namespace tokenjoule
