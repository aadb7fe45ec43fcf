#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.hpp"
#include "base/result.hpp"

namespace tokenjoule {

/// One sample of a power analyser, as PTDaemon tells it.
struct PtdSample {
  Seconds stamp;  ///< since 1970 on the clock, and in the time zone, of PTDaemon's machine
  std::optional<Watts> power;
  std::string why_absent;  ///< of `power`, "" where it is there
};

/// "Time,12-31-2026 23:59:59.250,Watts,412.5,Volts,230.1,Amps,1.8,PF,0.99,Mark,m,Ch1,Watts,…".
/// @param channel 0 for all of the analyser, which is their sum; else the part behind
/// "Ch<channel>". -1 is PTDaemon's word for unknown; below zero, above 1 GW (9.9e37 is an
/// analyser's overload) and what is no number is absent too. An error is a line of another kind.
Result<PtdSample> ptd_sample_in(std::string_view line, int channel);

/// The count in "Last 3 samples", the line before that many samples; 0 where there are none unread;
/// nullopt for another line.
std::optional<int> ptd_count_in(std::string_view line);

}  // namespace tokenjoule
