#pragma once

#include <string_view>
#include <vector>

#include "app/command_line.hpp"
#include "published/importers.hpp"

namespace tokenjoule {

/// What can be done with published files: the word behind `tokenjoule published`. A new one is one
/// row in published_command.cpp.
struct PublishedVerb {
  std::string_view name;
  std::string_view what;                  ///< one line for the help
  std::vector<std::string_view> options;  ///< names of the options that it takes
  Result<int> (*run)(const ParsedOptions& options, const std::vector<std::string>& files);
};

Result<int> run_published_table(const ParsedOptions& options,
                                const std::vector<std::string>& files);
Result<int> run_published_ceiling(const ParsedOptions& options,
                                  const std::vector<std::string>& files);
Result<int> run_published_audit(const ParsedOptions& options,
                                const std::vector<std::string>& files);

/// Reads all files (see io/data_files) into one set, joined and without duplicates. An error where
/// a file is not there, or where no row was read from any. Problems of single files and rows are in
/// the set.
Result<PublishedSet> published_set_of(const std::vector<std::string>& files);
/// Problems, duplicates and what else there is to say about reading, to standard error.
void tell_reading(const PublishedSet& set);

/// Options of all verbs.
std::vector<OptionSpec> published_options();

}  // namespace tokenjoule
