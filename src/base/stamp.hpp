#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/quantity.hpp"
#include "base/time.hpp"

namespace tokenjoule {

/// A time as another program wrote it.
struct Stamp {
  std::int64_t ns = 0;     ///< since 1970; of a time without a zone as if it were UTC
  bool absolute = true;    ///< false: seconds since some start of the program's own
  bool zone_known = true;  ///< the text says its zone, or is a Unix time
  Seconds resolution;      ///< of the last digit written
};

/// "2026/06/10 20:34:26.165" (nvidia-smi), "2026-06-10T20:34:26.165+02:00" (ISO 8601),
/// "07-17-2024 09:44:23.305" (MLPerf), "20260610-204228" (vLLM), Unix time in s, ms, us or ns (told
/// apart by its size), or, below 10^8, seconds of a clock of its own. nullopt for anything else.
std::optional<Stamp> stamp_in(std::string_view text);

/// The same of dates only: a number is none.
std::optional<Stamp> dated_stamp_in(std::string_view text);

/// "2026-07-13": a day of the calendar, from 1970 to 2099.
bool is_calendar_day(std::string_view text);

/// Seconds since 1970 (or since the start of the program's own), to less than a microsecond.
double unix_seconds_of(const Stamp& stamp);

/// "UTC", "Z", "+02:00", "-0530" as what is to be added to UTC; nullopt for anything else.
std::optional<Nanoseconds> zone_in(std::string_view text);

}  // namespace tokenjoule
