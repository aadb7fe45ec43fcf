#include <filesystem>
#include <fstream>
#include <iostream>

#include "record/event_json.hpp"
#include "report/formats.hpp"
#include "sample_events.hpp"
#include "sample_reports.hpp"

namespace tokenjoule {
namespace {

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}

bool write_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  bool written = true;
  for (const SampleReport& sample : sample_reports()) {
    const std::string text = report_format_named("json")->render(sample.report);
    written = write_file(folder / (sample.name + ".result.json"), text) && written;
  }
  std::string lines;
  for (const Event& event : sample_events()) lines += line_of(event) + "\n";
  return write_file(folder / "sample.run.jsonl", lines) && written;
}

}  // namespace
}  // namespace tokenjoule

/// render_examples FOLDER: writes sample results and a sample run into the folder, for the test of
/// the schemas.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: render_examples FOLDER\n";
    return 2;
  }
  return tokenjoule::write_all(argv[1]) ? 0 : 1;
}
