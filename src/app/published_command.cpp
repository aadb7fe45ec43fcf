#include "app/published_command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/output.hpp"
#include "base/text.hpp"
#include "published/headlines.hpp"

namespace tokenjoule {

namespace {

constexpr int kMostFiles = 100'000;

const std::vector<PublishedVerb>& verbs() {
  static const std::vector<PublishedVerb> all = {
      {"table",
       "energy per token and per query of every row, kind by kind",
       {"where", "sort", "columns", "pareto", "rows", "format", "kind", "mixed", "compare-to",
        "watts", "power-table", "power-as-of", "hardware-table", "achieved"},
       run_published_table},
      {"ceiling",
       "upper bounds: the GPUs' power limit / throughput",
       {"where", "sort", "columns", "pareto", "rows", "format", "compare-to", "watts",
        "hardware-table", "achieved"},
       run_published_ceiling},
      {"audit",
       "what is wrong with rows, and what they do not say: rules of docs/audit.md",
       {"where", "rule", "rows", "format", "strict"},
       run_published_audit},
  };
  return all;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const PublishedVerb& verb : verbs()) names.emplace_back(verb.name);
  return names;
}

/// An option that another verb takes is an error, not a silent nothing.
Status takes_all(const PublishedVerb& verb, const ParsedOptions& parsed) {
  for (const OptionSpec& option : published_options()) {
    const std::string name = option.names.substr(2, option.names.find(',') - 2);
    if (!parsed.has(name) ||
        std::find(verb.options.begin(), verb.options.end(), name) != verb.options.end())
      continue;
    return failure(ErrorKind::usage, fmt::format("published {} takes no --{}", verb.name, name),
                   "see tokenjoule published --help");
  }
  return {};
}

Result<int> run_headlines(const ParsedOptions& parsed) {
  for (const OptionSpec& option : published_options()) {
    const std::string name = option.names.substr(2, option.names.find(',') - 2);
    if (parsed.has(name)) {
      return failure(ErrorKind::usage, fmt::format("--{} needs files", name),
                     "name them: tokenjoule published table FILE…");
    }
  }
  TRY(const auto text, headline_table());
  put_out(text);
  return kExitUsable;
}

Result<int> run_published(const ParsedOptions& parsed) {
  const auto& words = parsed.positionals();
  if (words.empty()) return run_headlines(parsed);
  for (const PublishedVerb& verb : verbs()) {
    if (verb.name != words.front()) continue;
    if (words.size() < 2) {
      return failure(ErrorKind::usage, fmt::format("published {} needs files", verb.name),
                     fmt::format("name them: tokenjoule published {} FILE…", verb.name));
    }
    TRY_DO(takes_all(verb, parsed));
    return verb.run(parsed, {words.begin() + 1, words.end()});
  }
  const auto names = verb_names();
  return failure(ErrorKind::usage,
                 fmt::format("published knows no \"{}\"{}", quoted(words.front()),
                             did_you_mean(words.front(), names)),
                 fmt::format("what it knows: {}", fmt::join(names, ", ")));
}

}  // namespace

CommandSpec published_command() {
  std::string usage = "tokenjoule published [WHAT FILE…] [options]\n";
  for (const PublishedVerb& verb : verbs())
    usage += fmt::format("\n  {:<9}{}", verb.name, verb.what);
  usage +=
      "\n\nFILE: results of InferenceX and others, plain, .gz, .zip or folders of them; what reads "
      "them is\nchosen by content. Without a file: headline energies that others published.";
  return {"published",
          "published results of others on one footing: tables, ceilings, audit",
          usage,
          published_options(),
          {"tokenjoule published", "tokenjoule published table agg_bmk.json",
           "tokenjoule published table results/ --where 'model=dsr1 isl=8192 interactivity>=18'",
           "tokenjoule published ceiling summary_results.json --watts h200=600",
           "tokenjoule published audit results/ --strict --format csv"},
          kMostFiles,
          run_published};
}

}  // namespace tokenjoule
