#include <fmt/core.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "app/outputs.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

Result<int> run_analyze(const ParsedOptions& parsed) {
  if (parsed.positionals().empty()) {
    return failure(ErrorKind::usage, "no run file was given",
                   "say which: tokenjoule analyze FOLDER/run.jsonl");
  }
  AnalysisChoice choice;
  if (parsed.flag("strict")) choice.strict = true;
  if (const auto name = parsed.text("boundary")) {
    choice.boundary = boundary_named(*name);
    if (!choice.boundary) {
      return failure(ErrorKind::usage, fmt::format("--boundary {} is none", quoted(*name)),
                     "the boundaries stand in docs/methods.md");
    }
  }
  TRY(choice.definitions, definitions_in(parsed.text("definitions")));
  TRY(const OutputFormat format, output_format_in(parsed.text("format")));
  TRY(const Report report, judged(parsed.positionals().front(), choice));
  put_out(printed({report}, format));
  return exit_code_of(report);
}

}  // namespace

CommandSpec analyze_command() {
  return {
      "analyze",
      "judges a recorded run again; the same record gives the same bytes",
      "tokenjoule analyze RUN [options]   (RUN: run.jsonl, or the folder it lies in)",
      {{"--format", "table|markdown|json|csv", "what is printed (default: table)",
        OptionKind::value, "", "Options"},
       {"--boundary", "NAME", "boundary of the headline figures (default: as the run was told)",
        OptionKind::value, "", "Options"},
       {"--definitions", "vllm|aiperf|sglang",
        "show the run as that tool would count it, beside ours", OptionKind::value, "", "Options"},
       {"--strict", "", "what needs care counts as unusable (default: as the run was told)",
        OptionKind::flag, "", "Options"}},
      {"tokenjoule analyze tokenjoule-20261130-120000",
       "tokenjoule analyze run.jsonl --format json"},
      1,
      run_analyze};
}

}  // namespace tokenjoule
