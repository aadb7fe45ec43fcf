#include "published/columns.hpp"

#include <fmt/core.h>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace tokenjoule {

namespace {

using Line = const TableLine&;

CellValue cell(const std::optional<double>& number) {
  CellValue made;
  if (number) made.value = *number;
  return made;
}

CellValue cell(std::string_view text) {
  CellValue made;
  if (!text.empty()) made.value = text;
  return made;
}

CellValue cell(const std::optional<bool>& truth) {
  return truth ? cell(std::string_view(*truth ? "true" : "false")) : CellValue{};
}

CellValue mean_or_median(const PublishedStatistic& statistic) {
  CellValue made = cell(statistic.mean ? statistic.mean : statistic.median);
  made.median = !statistic.mean;
  return made;
}

std::optional<double> times(const std::optional<double>& number, double factor) {
  return number ? std::optional(*number * factor) : std::nullopt;
}

CellValue rate_of_user(Line line) {
  const auto rate = user_rate(*line.row);
  if (!rate) return {};
  CellValue made = cell(std::optional(rate->tokens_per_s));
  made.median = rate->is_median;
  return made;
}

/// 1e6 tokens at 3600 J a Wh.
constexpr double kWhPerMillion = 1e6 / kJoulesPerWattHour;
constexpr double kHoursADay = 24;

std::vector<Column> what_ran() {
  return {
      {"source", "source", "whose publication it is",
       [](Line l) { return cell(name_of(l.row->source)); }},
      {"model", "model", "model, as published", [](Line l) { return cell(l.row->model); }},
      {"model_path", "model path", "its full name", [](Line l) { return cell(l.row->model_path); }},
      {"gpu", "GPU", "GPU",
       [](Line l) { return cell(l.row->gpu.empty() ? l.row->hardware : l.row->gpu); }},
      {"hardware", "hardware", "hardware, as published",
       [](Line l) { return cell(l.row->hardware); }},
      {"gpus", "GPUs", "GPUs that the throughput belongs to",
       [](Line l) { return cell(l.row->gpus); }},
      {"prefill_gpus", "prefill GPUs", "GPUs that read prompts, as published",
       [](Line l) { return cell(l.row->prefill.gpus); }},
      {"decode_gpus", "decode GPUs", "GPUs that write answers, as published",
       [](Line l) { return cell(l.row->decode.gpus); }},
      {"nodes", "nodes", "machines", [](Line l) { return cell(l.row->nodes); }},
      {"framework", "framework", "engine", [](Line l) { return cell(l.row->framework); }},
      {"precision", "prec.", "format of the weights",
       [](Line l) { return cell(l.row->precision); }},
      {"spec", "spec", "speculative decoding", [](Line l) { return cell(l.row->speculation); }},
      {"scenario", "scenario", "kind of load", [](Line l) { return cell(l.row->scenario); }},
      {"tp", "TP", "tensor parallelism", [](Line l) { return cell(l.row->whole.tensor); }},
      {"ep", "EP", "expert parallelism", [](Line l) { return cell(l.row->whole.expert); }},
      {"dp_attention", "DP attn", "data-parallel attention",
       [](Line l) { return cell(l.row->whole.dp_attention); }},
      {"disagg", "disagg", "prefill and decode on GPUs of their own",
       [](Line l) { return cell(l.row->disaggregated); }},
      {"multinode", "multinode", "more than one machine",
       [](Line l) { return cell(l.row->multinode); }},
      {"image", "image", "container image", [](Line l) { return cell(l.row->image); }},
      {"date", "date", "day, as published", [](Line l) { return cell(l.row->date); }},
  };
}

std::vector<Column> how_loaded() {
  return {
      {"isl", "ISL", "nominal input tokens per query",
       [](Line l) { return cell(l.row->nominal_input_len); }},
      {"osl", "OSL", "nominal output tokens per query",
       [](Line l) { return cell(l.row->nominal_output_len); }},
      {"mean_isl", "mean in", "input tokens per query really used, mean",
       [](Line l) { return cell(l.row->mean_input_len); }},
      {"mean_osl", "mean out", "output tokens per query really used, mean",
       [](Line l) { return cell(l.row->mean_output_len); }},
      {"conc", "conc.", "requests in flight at most",
       [](Line l) { return cell(l.row->concurrency); }},
      {"batch", "batch", "sequences that the engine runs at most",
       [](Line l) { return cell(l.row->batch_limit); }},
      {"completed", "done", "requests that succeeded",
       [](Line l) { return cell(l.row->completed); }},
      {"tok_s", "tok/s", "input and output tokens a second, all GPUs",
       [](Line l) { return cell(l.row->system.total); }},
      {"tok_s_in", "in tok/s", "input tokens a second, all GPUs",
       [](Line l) { return cell(l.row->system.input); }},
      {"tok_s_out", "out tok/s", "output tokens a second, all GPUs",
       [](Line l) { return cell(l.row->system.output); }},
      {"tok_s_gpu", "tok/s/GPU", "input and output tokens a second per GPU, as published",
       [](Line l) { return cell(l.row->per_gpu.total); }},
      {"queries_s", "q/s", "queries a second", [](Line l) { return cell(l.row->requests_per_s); }},
      {"interactivity", "tok/s/user",
       "tokens a second of one user: the mean metric, else the median, marked m", rate_of_user},
      {"ttft", "TTFT s", "seconds to the first token: mean, else the median, marked m",
       [](Line l) { return mean_or_median(l.row->ttft); }},
      {"tpot", "TPOT s",
       "seconds per output token after the first: mean, else the median, marked m",
       [](Line l) { return mean_or_median(l.row->tpot); }},
      {"e2e", "E2E s", "seconds to the last token: mean, else the median, marked m",
       [](Line l) { return mean_or_median(l.row->e2e); }},
  };
}

std::vector<Column> energies() {
  return {
      {"kind", "kind", "what kind of number the energy is",
       [](Line l) { return cell(name_of(l.figure->kind)); }},
      {"watts", "W/GPU", "watts per GPU that the energy rests on",
       [](Line l) { return cell(l.figure->gpu_w); }},
      {"system_w", "W", "watts of all GPUs, or of the whole system at the wall",
       [](Line l) { return cell(l.figure->system_w); }},
      {"gpus_used", "GPUs used", "GPUs that the model ran on",
       [](Line l) { return cell(gpus_used(*l.row)); }},
      {"gpus_charged", "GPUs charged", "GPUs whose energy is in the figures",
       [](Line l) { return cell(l.figure->gpus_charged); }},
      {"limit_source", "from", "who says the watts: option, submission or catalogue",
       [](Line l) {
         return l.figure->limit_source ? cell(name_of(*l.figure->limit_source)) : CellValue{};
       }},
      {"basis", "basis", "where the watts come from", [](Line l) { return cell(l.figure->basis); }},
      {"measured_share", "share",
       "of a ceiling: published median of mean power / limit under load on that GPU",
       [](Line l) { return cell(l.figure->measured_share); }},
      {"j_output", "J/out", "joules of all GPUs / output tokens",
       [](Line l) { return cell(l.figure->j_output); }},
      {"j_total", "J/tok", "joules of all GPUs / (input + output tokens)",
       [](Line l) { return cell(l.figure->j_total); }},
      {"j_input", "J/in", "joules of all GPUs / input tokens",
       [](Line l) { return cell(l.figure->j_input); }},
      {"wh_query", "Wh/query", "watt-hours of all GPUs per query of the nominal lengths",
       [](Line l) { return cell(l.figure->wh_query); }},
      {"j_answer", "J/answer", "joules of all GPUs per query of the lengths really used",
       [](Line l) { return cell(l.figure->j_answer); }},
      {"wh_answer", "Wh/answer", "watt-hours of all GPUs per query of the lengths really used",
       [](Line l) { return cell(times(l.figure->j_answer, 1 / kJoulesPerWattHour)); }},
      {"wh_mtok_out", "Wh/Mtok out", "watt-hours of all GPUs per million output tokens",
       [](Line l) { return cell(times(l.figure->j_output, kWhPerMillion)); }},
      {"wh_mtok", "Wh/Mtok", "watt-hours of all GPUs per million input or output tokens",
       [](Line l) { return cell(times(l.figure->j_total, kWhPerMillion)); }},
      {"kwh_day", "kWh/day", "kilowatt-hours of all GPUs in 24 hours at these watts",
       [](Line l) { return cell(times(l.figure->system_w, kHoursADay / 1000)); }},
  };
}

std::vector<Column> whose() {
  return {
      {"round", "round", "round", [](Line l) { return cell(l.row->attribution.round); }},
      {"id", "ID", "identifier in the publication",
       [](Line l) { return cell(l.row->attribution.id); }},
      {"submitter", "submitter", "who submitted it",
       [](Line l) { return cell(l.row->attribution.submitter); }},
      {"system", "system", "system, in the submitter's words",
       [](Line l) { return cell(l.row->attribution.system); }},
      {"division", "division", "closed or open",
       [](Line l) { return cell(l.row->attribution.division); }},
      {"suite", "suite", "datacenter or edge",
       [](Line l) { return cell(l.row->attribution.suite); }},
      {"availability", "availability", "available, preview or rdi",
       [](Line l) { return cell(l.row->attribution.availability); }},
      {"url", "URL", "page of the run", [](Line l) { return cell(l.row->attribution.url); }},
      {"flags", "flags", "what is to be known of the row; error:CODE is a rule of the audit",
       [](Line l) { return cell(l.flags); }},
  };
}

struct Known {
  std::string_view name;
  double watts;
  std::string_view source;
};

/// A console while it plays, as the table of a published comparison takes it.
constexpr Known kComparators[] = {
    {"ps5", 200,
     "as in Alex Bradbury, Per-query energy consumption of LLMs, muxup.com, CC BY 4.0"}};

/// Where watts of its own come from; "" for stated ones.
std::string source_of(const Comparator& comparator) {
  for (const Known& known : kComparators) {
    if (known.name == comparator.name && known.watts == comparator.watts)
      return fmt::format(" ({})", known.source);
  }
  return {};
}

}  // namespace

TableLine line_of(PublishedSet& set, const PublishedFigure& figure, PooledText errors) {
  TableLine line{&set.rows[figure.row], &figure, errors, {}};
  std::string flags;
  const auto add = [&](std::string_view flag) {
    flags += flags.empty() ? "" : ";";
    flags += flag;
  };
  for (const auto code : split(errors, ';')) {
    if (!code.empty()) add("error:" + std::string(code));
  }
  if (charges_idle_gpus(*line.row, figure)) add("idle_gpus_charged");
  for (const RowFlag flag : line.row->flags) add(name_of(flag));
  line.flags = set.keep(flags);
  return line;
}

CellValue Column::at(const TableLine& line) const {
  if (!comparator_w) return of(line);
  return cell(times(line.figure->wh_query, 60 / *comparator_w));
}

const std::vector<Column>& published_columns() {
  static const std::vector<Column> all = [] {
    std::vector<Column> columns = what_ran();
    for (auto part : {how_loaded, energies, whose}) {
      for (Column& column : part()) {
        column.about_energy = part == energies;
        columns.push_back(std::move(column));
      }
    }
    return columns;
  }();
  return all;
}

Result<Comparator> comparator_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string name = lower_case(trimmed(text.substr(0, equals)));
  if (equals == std::string_view::npos) {
    for (const Known& known : kComparators) {
      if (known.name == name) return Comparator{name, known.watts};
    }
    return failure(ErrorKind::usage,
                   fmt::format("--compare-to \"{}\" has no watts of its own", quoted(text)),
                   "give them: --compare-to kettle=2000; known without is ps5 (200 W)");
  }
  const auto watts = number_in(trimmed(text.substr(equals + 1)));
  if (name.empty() || !watts || *watts <= 0) {
    return failure(ErrorKind::usage,
                   fmt::format("--compare-to \"{}\" is no NAME=WATTS", quoted(text)),
                   "give for example --compare-to kettle=2000");
  }
  return Comparator{name, *watts};
}

Column column_of(const Comparator& comparator) {
  Column column;
  column.name = comparator.name + "_min";
  column.header = column.name;
  column.words =
      fmt::format("minutes of {} at {} W{} on the energy of one query of the nominal lengths",
                  comparator.name, comparator.watts, source_of(comparator));
  column.comparator_w = comparator.watts;
  column.about_energy = true;
  return column;
}

Result<Column> column_named(std::string_view name, const std::vector<Comparator>& comparators) {
  std::vector<std::string> names;
  for (const Comparator& comparator : comparators) {
    Column column = column_of(comparator);
    if (column.name == name) return column;
    names.push_back(std::move(column.name));
  }
  for (const Column& column : published_columns()) {
    if (column.name == name) return column;
    names.push_back(column.name);
  }
  return failure(
      ErrorKind::usage,
      fmt::format("there is no column \"{}\"{}", quoted(name), did_you_mean(name, names)),
      "docs/published.md lists all of them");
}

std::vector<std::string> default_columns() {
  return {"model",    "gpu",     "gpus",     "framework",     "precision", "spec",
          "isl",      "osl",     "conc",     "interactivity", "e2e",       "watts",
          "j_output", "j_total", "wh_query", "wh_answer",     "basis"};
}

std::vector<std::string> columns_telling(PublishedSource source) {
  switch (source) {
    case PublishedSource::mlperf: return {"round", "id", "division", "availability", "scenario"};
    case PublishedSource::mlenergy: return {"round", "scenario", "batch"};
    case PublishedSource::inferencex:
    case PublishedSource::tokenjoule:
    case PublishedSource::csv: break;
  }
  return {};
}

}  // namespace tokenjoule
