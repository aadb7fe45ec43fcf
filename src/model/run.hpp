#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/event.hpp"

namespace tokenjoule {

/// All of a run, by kind of event, each in the order of the file (samples and scrapes in time
/// order).
struct Run {
  RunHeader header;
  std::vector<Device> devices;
  std::vector<Signal> signals;
  std::optional<EngineInfo> engine;
  std::vector<Sample> samples;
  std::vector<RequestRecord> requests;
  std::vector<CounterScrape> scrapes;
  std::vector<Mark> marks;
  std::vector<Note> notes;
  std::vector<ClockAnchor> anchors;
  std::vector<Loss> losses;
  std::vector<ClientState> client;
  std::optional<RunClose> close;  ///< absent: the run was interrupted hard, or is still going on

  /// What the reader had to leave out.
  struct LeftOut {
    std::int64_t lines = 0;
    std::int64_t unknown_kinds = 0;      ///< lines of kinds this version does not know
    std::int64_t broken_lines = 0;       ///< lines in the middle that could not be read
    std::int64_t repeated_requests = 0;  ///< records of a request that is there already
    std::int64_t behind_close = 0;       ///< other events behind the close event
    bool cut_last_line = false;
  } left_out;

  std::string file_name;  ///< "run.jsonl", without its folder; "" if never written
  std::string sha256;     ///< of the file's bytes
};

/// Adds an event to the columns. A second header is ignored.
void add_event(Run& run, Event event);

const Device* device_of(const Run& run, const std::string& id);
const Signal* signal_of(const Run& run, std::uint32_t id);
/// When the phase began (its first mark); nullopt if it never did.
std::optional<MonoTime> start_of(const Run& run, Phase phase);

}  // namespace tokenjoule
