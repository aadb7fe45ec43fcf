#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/text.hpp"
#include "published/mlperf_parts.hpp"

namespace tokenjoule {

namespace {

// MLPerf's rules of power (power-dev, compliance/check.py).
constexpr double kMostClockGap = 0.8;     ///< seconds between client and server
constexpr double kLeastOfRanging = 0.95;  ///< of the ranging run's mean
constexpr double kDaylightShift = 3600;

constexpr double kSameWatts = 1e-6;  ///< summaries give ten digits behind the point

/// The logs of one run. A measured run has a ranging run beside it, which sets the meter's ranges.
struct RunLogs {
  const Sidecar* summary = nullptr;
  const Sidecar* detail = nullptr;
  const Sidecar* wall = nullptr;
};

struct RunFolder {
  RunLogs run;
  RunLogs ranging;
  std::vector<const Sidecar*> sessions;  ///< client.json, server.json
};

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("/!") + 1);
}

const Sidecar** slot_of(RunLogs& logs, std::string_view kind) {
  if (kind == kMlperfSummaryLog) return &logs.summary;
  if (kind == kMlperfDetailLog) return &logs.detail;
  if (kind == kMlperfWallLog) return &logs.wall;
  return nullptr;
}

/// run_1/, ranging/ and power/ of one run lie in one folder.
std::map<std::string, RunFolder> run_folders(PublishedSet& set) {
  std::map<std::string, RunFolder> folders;
  for (const Sidecar& sidecar : set.sidecars) {
    const std::string_view folder = folder_of(set.files[sidecar.file].name);
    const std::string root(folder_of(folder));
    if (sidecar.kind == kMlperfSession) {
      folders[root].sessions.push_back(&sidecar);
      continue;
    }
    RunLogs probe;
    if (slot_of(probe, sidecar.kind) == nullptr) continue;
    RunFolder& found = folders[root];
    const Sidecar** const slot =
        slot_of(last_part(folder) == "ranging" ? found.ranging : found.run, sidecar.kind);
    if (*slot == nullptr) {
      *slot = &sidecar;
    } else {
      set.problems.push_back({sidecar.file, std::nullopt,
                              fmt::format("the folder has another such log: {}",
                                          quoted(set.files[(*slot)->file].name, 200))});
    }
  }
  return folders;
}

/// Power of a run at the wall, and what its rules would object to.
struct WallPower {
  double mean_w = 0;
  double begin_s = 0;
  double end_s = 0;
};

struct Sessions {
  PowerSession client;
  PowerSession server;
};

Result<Sessions> sessions_of(const RunFolder& folder) {
  Sessions sessions;
  for (const Sidecar* sidecar : folder.sessions) {
    TRY(auto session, power_session_in(sidecar->bytes));
    (session.is_client ? sessions.client : sessions.server) = session;
  }
  return sessions;
}

/// Loadgen stamps by the client's clock, the meter by the server's: zones are those that the two
/// say, both 0 where their files are not there.
Result<WallPower> power_of(const RunLogs& logs, const Sessions& sessions) {
  const LoadgenDetail detail = loadgen_detail_in(logs.detail->bytes);
  if (!detail.power_begin_s || !detail.power_end_s)
    return failure(ErrorKind::missing, "loadgen's log has no power_begin and power_end");
  const double zone = sessions.client.zone_s - sessions.server.zone_s;
  const double begin = *detail.power_begin_s + zone;
  const double end = *detail.power_end_s + zone;
  TRY(const double watts, mean_wall_watts(wall_log_in(logs.wall->bytes), begin, end));
  return WallPower{watts, *detail.power_begin_s, *detail.power_end_s};
}

bool inside_of_phases(const WallPower& power, const PowerSession& client) {
  if (!client.testing_begin_s || !client.testing_end_s) return true;
  const double begin = *client.testing_begin_s;
  const double end = *client.testing_end_s;
  for (const double shift : {0.0, kDaylightShift, -kDaylightShift}) {
    if (power.begin_s + shift >= begin && power.end_s + shift <= end) return true;
  }
  return false;
}

class RunJoiner {
 public:
  RunJoiner(const RunFolder& folder, PublishedSet& set)
      : folder_(folder), set_(set), main_(main_log()) {}

  void join() {
    if (main_ == nullptr) return;
    path_ = set_.files[main_->file].name;
    if (path_.find("/TEST") != std::string::npos) return;  // compliance runs repeat others
    const LoadgenFigures figures = figures_of_run();
    if (!figures.mode.empty() && figures.mode != "PerformanceOnly") return;
    if (figures.valid == false) object("loadgen calls the run INVALID");
    take_power();
    if (figures.tokens_per_s || figures.samples_per_s || power_) give(figures);
  }

 private:
  const Sidecar* main_log() const {
    const RunLogs& run = folder_.run;
    return run.summary ? run.summary : run.detail ? run.detail : run.wall;
  }

  void object(std::string message) {
    set_.problems.push_back({main_->file, std::nullopt, std::move(message)});
  }

  LoadgenFigures figures_of_run() const {
    if (folder_.run.summary) return loadgen_summary_in(folder_.run.summary->bytes);
    return folder_.run.detail ? loadgen_detail_in(folder_.run.detail->bytes).figures
                              : LoadgenFigures{};
  }

  void take_power() {
    if (folder_.run.wall == nullptr) return;
    if (folder_.run.detail == nullptr)
      return object("the meter's log has no mlperf_log_detail.txt of its run beside it");
    const auto sessions = sessions_of(folder_);
    if (!sessions) return object("client.json or server.json: " + sessions.error().message);
    const auto power = power_of(folder_.run, *sessions);
    if (!power) return object(power.error().message);
    power_ = *power;
    check_rules(*sessions);
  }

  void check_rules(const Sessions& sessions) {
    const PowerSession& client = sessions.client;
    if (client.clock_gap_s.value_or(0) > kMostClockGap)
      object(
          fmt::format("MLPerf power: clocks of client and server are {:.3f} s apart, at most "
                      "{} s are allowed",
                      *client.clock_gap_s, kMostClockGap));
    if (!inside_of_phases(*power_, client))
      object("MLPerf power: the run is not inside of the testing phase of client.json");
    if (!folder_.ranging.wall || !folder_.ranging.detail) return;
    const auto ranging = power_of(folder_.ranging, sessions);
    if (ranging && power_->mean_w < kLeastOfRanging * ranging->mean_w)
      object(
          fmt::format("MLPerf power: {:.1f} W are more than 5 % below the ranging run's {:.1f} W",
                      power_->mean_w, ranging->mean_w));
  }

  /// Is it the name of a folder in the path, also of one that joins several by "__"?
  bool path_has(std::string_view name) const {
    const std::string_view path(path_);
    for (std::size_t at = path.find(name); at != std::string_view::npos && !name.empty();
         at = path.find(name, at + 1)) {
      const std::string_view before = path.substr(0, at);
      const std::string_view behind = path.substr(at + name.size());
      const bool starts = before.empty() || ends_with(before, "/") || ends_with(before, "!") ||
                          ends_with(before, "__");
      const bool ends = behind.empty() || starts_with(behind, "/") || starts_with(behind, "__");
      if (starts && ends) return true;
    }
    return false;
  }

  bool is_of(const PublishedResult& row) const {
    const PooledText model = row.model_path.empty() ? row.model : row.model_path;
    return row.source == PublishedSource::mlperf && path_has(row.attribution.platform) &&
           path_has(model) && path_has(row.scenario);
  }

  void give(const LoadgenFigures& figures) {
    bool named = false;
    bool given = false;
    for (PublishedResult& row : set_.rows) {
      if (!is_of(row)) continue;
      named = true;
      if (!same_throughput(row, figures)) continue;
      given = true;
      take_loadgen_figures(row, figures);
      if (power_) give_power(row);
    }
    if (named && !given) return object("its throughput is not that of the row that its path names");
    if (!named) set_.rows.push_back(row_of_its_own(figures));
  }

  void give_power(PublishedResult& row) {
    const auto published = row.energy.wall_mean_w;
    if (!published) {
      row.energy.wall_mean_w = power_->mean_w;
      row.mark(RowFlag::power_log);
      return;
    }
    if (std::abs(*published - power_->mean_w) > kSameWatts * *published)
      object(fmt::format("the meter's log gives {:.4f} W, the summary says {:.4f} W",
                         power_->mean_w, *published));
  }

  /// "…/results/PLATFORM/MODEL/SCENARIO/performance/run_1": as submissions lay their folders out.
  void name_by_path(PublishedResult& row) {
    const auto parts = split(path_, '/');
    const auto at = std::find(parts.begin(), parts.end(), "results");
    if (parts.end() - at < 4) return;
    row.attribution.platform = set_.keep(at[1]);
    row.model = set_.keep(at[2]);
    row.scenario = set_.keep(at[3]);
  }

  PublishedResult row_of_its_own(const LoadgenFigures& figures) {
    PublishedResult row;
    row.source = PublishedSource::mlperf;
    row.origin = {main_->file, 0};
    row.scenario = set_.keep(figures.scenario);
    name_by_path(row);
    row.system.output = figures.tokens_per_s;
    row.requests_per_s = figures.samples_per_s;
    take_loadgen_figures(row, figures);
    if (power_) give_power(row);
    if (!row.system.output && !row.requests_per_s) row.mark(RowFlag::no_throughput);
    return row;
  }

  const RunFolder& folder_;
  PublishedSet& set_;
  const Sidecar* main_;
  std::string path_;
  std::optional<WallPower> power_;
};

}  // namespace

void join_mlperf_runs(PublishedSet& set) {
  for (const auto& [root, folder] : run_folders(set)) RunJoiner(folder, set).join();
}

}  // namespace tokenjoule
