#include "base/text.hpp"
#include "published/audit/checks.hpp"

namespace tokenjoule {

namespace {

using enum AuditSeverity;

struct ModelWord {
  std::string_view word;  ///< in a file's name
  std::string_view model;
};

constexpr ModelWord kModels[] = {
    {"gptoss", "gptoss120b"},
    {"gpt-oss", "gptoss120b"},
    {"dsr1", "dsr1"},
    {"deepseek-r1", "dsr1"},
    {"dsv4", "dsv4"},
    {"kimik2.5", "kimik2.5"},
    {"kimi-k2.5", "kimik2.5"},
    {"minimaxm2.5", "minimaxm2.5"},
    {"minimax-m2.5", "minimaxm2.5"},
    {"glm5.1", "glm5.1"},
    {"glm5", "glm5"},
    {"qwen3.5", "qwen3.5"},
    {"llama70b", "llama70b"},
};

struct LengthWord {
  std::string_view word;
  double input;
  double output;
};

constexpr LengthWord kLengths[] = {
    {"1k1k", 1024, 1024}, {"1k8k", 1024, 8192}, {"8k1k", 8192, 1024}};

/// "…_conc64_…": the number right behind the word, where a word begins.
Number number_behind(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    const bool begins = at == 0 || name[at - 1] == '_' || name[at - 1] == '-';
    const std::string_view rest = name.substr(at + word.size());
    const auto number = number_in(rest.substr(0, rest.find_first_not_of("0123456789")));
    if (begins && number) return number;
  }
  return std::nullopt;
}

void check_model(const AuditRow& row, std::string_view name, AuditReport& report) {
  bool named = false;
  bool known = false;
  for (const ModelWord& word : kModels) {
    known = known || word.model == row->model;
    if (name.find(word.word) == std::string_view::npos) continue;
    if (word.model == row->model) return;
    named = true;
  }
  if (named && known) report.add(row, warning, "the file's name names another model", {});
}

void check_number(const AuditRow& row, Number in_name, Number in_row, std::string_view words,
                  AuditReport& report) {
  if (in_name && in_row && *in_name != *in_row)
    report.add(row, warning, words, {{"in_name", *in_name}, {"in_row", *in_row}});
}

}  // namespace

void check_names(const AuditRow& row, AuditReport& report) {
  if (!row.is_inferencex()) return;
  if (row->gpu.empty()) {
    report.add(row, note, "no GPU is named: no watts can be given to it", {});
  } else if (row.gpu == nullptr) {
    report.add(row, warning, "a GPU that is not known: no watts can be given to it", {});
  }
  if (row.rows_of_file != 1) return;
  const std::string_view path = row.file_name();
  const std::string name = lower_case(path.substr(path.find_last_of("/!") + 1));
  check_model(row, name, report);
  Number streams = number_behind(name, "conc");
  if (!streams) streams = number_behind(name, "concurrency_");
  check_number(row, streams, row->concurrency, "the file's name says another concurrency", report);
  check_number(row, number_behind(name, "tp"), row->whole.tensor,
               "the file's name says another tensor parallelism", report);
  for (const LengthWord& length : kLengths) {
    if (name.find(length.word) == std::string::npos) continue;
    check_number(row, length.input, row->nominal_input_len, "the file's name says other lengths",
                 report);
    check_number(row, length.output, row->nominal_output_len, "the file's name says other lengths",
                 report);
  }
}

}  // namespace tokenjoule
