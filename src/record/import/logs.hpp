#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "record/import/foreign_log.hpp"

namespace tokenjoule {

/// A format that can be imported: of a load generator's record, or of a power log; the other reader
/// is nullptr.
struct LogFormat {
  std::string_view name;                                ///< as the command takes it
  std::string_view summary;                             ///< which program writes it, and how
  bool (*recognises)(std::string_view text) = nullptr;  ///< by content; nullptr: never by itself
  Result<LoadLog> (*read_load)(std::string_view text, const ReadOptions& options) = nullptr;
  Result<PowerLog> (*read_power)(std::string_view text, const ReadOptions& options) = nullptr;
};

/// All formats; a new one is one row in logs.cpp.
std::span<const LogFormat> log_formats();
/// nullptr where there is none of that name.
const LogFormat* log_format_named(std::string_view name);
/// The first format that recognises the text; nullptr where none does.
const LogFormat* log_format_of(std::string_view text);

}  // namespace tokenjoule
