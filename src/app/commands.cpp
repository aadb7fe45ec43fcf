#include "app/commands.hpp"

namespace tokenjoule {

const std::vector<CommandSpec>& commands() {
  static const std::vector<CommandSpec> all = {
      measure_command(),  record_command(),   analyze_command(), sensors_command(),
      simulate_command(), selftest_command(), plan_command(),    published_command(),
      import_command(),   estimate_command(),
  };
  return all;
}

}  // namespace tokenjoule
