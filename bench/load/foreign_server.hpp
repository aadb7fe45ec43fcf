#pragma once

#include <string>

namespace tokenjoule::bench {

struct ForeignLoad {
  std::string url;
  int streams = 1000;
  int tokens = 100;  ///< asked of each answer
  int rounds = 2;
  std::string model = "bench";
  std::string dialect = "vllm";
};

/// The load client and the bare loop in turns on a server that is not ours: CPU per event of both
/// as Markdown; without send times there is nothing to hold stamps against.
/// @returns the exit code: 1 where an answer failed.
int run_on_foreign_server(const ForeignLoad& load);

}  // namespace tokenjoule::bench
