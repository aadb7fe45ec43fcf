// Prints what our reader sees in metrics pages, one JSON object a file, for comparison with another
// program. Usage: read_metrics FILE…
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "engines/prometheus_text.hpp"

using namespace tokenjoule;
using Json = nlohmann::ordered_json;

namespace {

Json json_of(const PrometheusSample& sample) {
  Json labels = Json::array();
  for (const auto& [name, value] : sample.labels) labels.push_back({name, value});
  // As text: JSON has no infinity.
  return {{"name", sample.name}, {"labels", labels}, {"value", fmt::format("{}", sample.value)}};
}

Json json_of(const PrometheusPage& page) {
  Json json = {{"lines_refused", page.lines_refused},
               {"first_refused", page.first_refused},
               {"truncated", page.truncated},
               {"families", Json::array()}};
  for (const PrometheusFamily& family : page.families) {
    Json samples = Json::array();
    for (const PrometheusSample& sample : family.samples) samples.push_back(json_of(sample));
    json["families"].push_back({{"name", family.name},
                                {"type", family.type},
                                {"help", family.help},
                                {"samples", samples}});
  }
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      fmt::print(stderr, "cannot open {}\n", argv[i]);
      return 3;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto page = prometheus_page(text);
    const Json json = page ? json_of(*page) : Json{{"error", page.error().message}};
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return argc > 1 ? 0 : 2;
}
