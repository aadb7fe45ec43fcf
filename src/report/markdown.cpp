#include "report/markdown.hpp"

#include <fmt/core.h>

#include "model/metrics.hpp"
#include "report/numbers.hpp"
#include "report/safe_text.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace tokenjoule {

namespace {

using Row = std::vector<std::string>;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Cells are Markdown already. A heading that begins with ">" has its numbers aligned at their end.
void add_table(std::string& text, const Row& headings, const std::vector<Row>& rows) {
  text += "\n|";
  for (const std::string& heading : headings) {
    text += fmt::format(" {} |", heading.substr(heading[0] == '>' ? 1 : 0));
  }
  text += "\n|";
  for (const std::string& heading : headings) text += heading[0] == '>' ? " ---: |" : " --- |";
  for (const Row& row : rows) {
    text += "\n|";
    for (const std::string& cell : row) text += fmt::format(" {} |", cell);
  }
  text += "\n";
}

void add_heading(std::string& text, std::string_view heading) {
  text += fmt::format("\n## {}\n", heading);
}

void add_fields(std::string& text, const std::vector<std::pair<std::string, std::string>>& fields) {
  text += "\n";
  for (const auto& [label, value] : fields) {
    text += fmt::format("- {}: {}\n", label, markdown_text(value));
  }
}

void add_verdict(std::string& text, const Report& report) {
  text += fmt::format("# Verdict: {}{}{}\n", words_for(report.verdict.status),
                      report.simulated ? " (SIMULATED)" : "", report.modelled ? " (MODELLED)" : "");
  if (report.simulated) text += fmt::format("\n**{}**\n", kSimulatedWords);
  if (report.modelled) text += fmt::format("\n**{}**\n", kModelledWords);
  if (report.interrupted) text += "\n**The run was interrupted.**\n";
  if (report.verdict.reasons.empty()) return;
  std::vector<Row> rows;
  for (const CheckFinding& finding : report.verdict.reasons) {
    rows.push_back({std::string(name_of(finding.severity)), markdown_code(finding.code),
                    finding.boundary ? std::string(name_of(*finding.boundary)) : "the run",
                    markdown_text(finding.message), markdown_text(finding.advice)});
  }
  add_table(text, {"severity", "check", "concerns", "what was found", "what to do"}, rows);
}

std::string method_words(const Report& report, const Figure& figure) {
  const std::string method = energy_method(report, figure);
  return method == "modelled" ? "MODELLED" : method;
}

void add_figure_table(std::string& text, const Report& report, const Figures& figures) {
  std::vector<Row> rows;
  for (const auto& [key, figure] : ordered(figures)) {
    const std::string ratio = figure->denominator.empty()
                                  ? figure->numerator
                                  : figure->numerator + " / " + figure->denominator;
    rows.push_back({markdown_text(label_of(key)), markdown_text(figure_text(*figure)),
                    not_known(markdown_text(figure->interval_reason)),
                    markdown_text(method_words(report, *figure)), markdown_code(ratio)});
  }
  if (rows.empty()) {
    text += "\nn/a\n";
    return;
  }
  add_table(text, {"figure", ">value ± worst-case bound", "95 % interval", "energy by", "made of"},
            rows);
}

void add_figures(std::string& text, const Report& report) {
  add_heading(text, "Figures");
  add_figure_table(text, report, report.figures);
  for (const auto& [boundary, figures] : report.figures_by_boundary) {
    if (report.boundary == boundary) continue;
    text += fmt::format("\n### {}\n", words_for(boundary));
    add_figure_table(text, report, figures);
  }
}

std::string in_unit(const Summary& summary, std::optional<double> value) {
  if (!value) return "n/a";
  return summary.unit == "s" ? duration_text(Seconds(*value)) : significant(*value, 3);
}

void add_latency(std::string& text, const Report& report) {
  add_heading(text, "Latency per request");
  std::vector<Row> rows;
  for (const auto& [key, summary] : ordered(report.latency)) {
    const std::string label =
        summary->p50 ? std::string(label_of(key))
                     : fmt::format("{}: {}", label_of(key), not_known(summary->reason));
    rows.push_back({markdown_text(label), in_unit(*summary, summary->mean),
                    in_unit(*summary, summary->p5), in_unit(*summary, summary->p50),
                    in_unit(*summary, summary->p90), in_unit(*summary, summary->p95),
                    in_unit(*summary, summary->p99), grouped(summary->n),
                    markdown_text(summary->unit == "s" ? "" : summary->unit)});
  }
  if (rows.empty()) {
    text += "\nn/a\n";
    return;
  }
  add_table(text, {"what", ">mean", ">p5", ">p50", ">p90", ">p95", ">p99", ">n", "unit"}, rows);
  text += "\n";
  for (const auto& [key, summary] : ordered(report.latency)) {
    const Metric* const metric = metric_named(key);
    if (metric == nullptr) continue;
    text += fmt::format("- {}: {} ({})\n", markdown_text(label_of(key)),
                        markdown_text(metric->definition), metric->formula);
  }
}

void add_counted_as(std::string& text, const Report& report) {
  if (!report.counted_as) return;
  const PeerView& view = *report.counted_as;
  add_heading(text, fmt::format("As {} would count it", name_of(view.tool)));
  text +=
      fmt::format("\n{}. Not this tool's figures: those stand above.\n", markdown_text(view.rules));
  std::vector<Row> rows;
  for (const PeerMetric& metric : view.metrics) {
    const auto& summary = metric.summary;
    const auto cell = [&](std::optional<double> Summary::*member) {
      return summary ? in_unit(*summary, (*summary).*member) : std::string();
    };
    const std::string value =
        metric.value ? significant(*metric.value, 4) + " " + metric.unit : not_known(metric.reason);
    rows.push_back({markdown_text(metric.name),
                    summary ? cell(&Summary::mean) : markdown_text(value), cell(&Summary::p50),
                    cell(&Summary::p99), markdown_text(metric.definition)});
  }
  add_table(text, {"metric", ">mean or value", ">p50", ">p99", "definition"}, rows);
}

void add_measurement(std::string& text, const Report& report) {
  add_heading(text, "What was measured");
  const std::string boundary =
      report.boundary ? fmt::format("{}: {}", words_for(*report.boundary), included_words(report))
                      : not_known("no energy was measured");
  add_fields(text, {{"boundary", boundary},
                    {"left out", excluded_words(report)},
                    {"read with", instrument_words(report)},
                    {"window", window_words(report)},
                    {"engine", engine_words(report)},
                    {"load", load_words(stated_load(report))},
                    {"tokens", token_words(report.tokens)},
                    {"requests", request_words(report)},
                    {"idle power", idle_words(report.idle)},
                    {"client", client_words(report.client)},
                    {"full run, first send to last token", full_run_words(report.full_run)}});
  if (report.engine_requests) {
    add_fields(text, {{"engine's requests", engine_request_words(report)}});
  }
  if (!report.harness) return;
  add_fields(text, {{fmt::format("as {} counts it", report.harness_name),
                     full_run_words(*report.harness)}});
}

void add_devices(std::string& text, const std::vector<DeviceEnergy>& devices) {
  std::vector<Row> rows;
  for (const DeviceEnergy& device : devices) {
    rows.push_back({markdown_text(device.label), markdown_text(device.name),
                    markdown_code(device.id), watts_text(device.mean_power),
                    watts_text(device.idle_power),
                    device.share_of_limit ? percent(*device.share_of_limit) : "n/a",
                    joules_text(device.joules), joules_text(device.counter_joules),
                    joules_text(device.integrated_joules), markdown_text(device.method)});
  }
  add_table(text,
            {"device", "name", "id", ">mean", ">idle", ">of its limit", ">energy", ">by counter",
             ">by power", "method"},
            rows);
}

void add_energy(std::string& text, const Report& report) {
  add_heading(text, "Energy in the window");
  if (report.energy.empty()) text += "\nn/a (no energy was measured)\n";
  for (const BoundaryEnergy& energy : report.energy) {
    text += fmt::format("\n### {}: {}\n", words_for(energy.boundary),
                        markdown_text(energy_words(energy)));
    if (!energy.devices.empty()) add_devices(text, energy.devices);
  }
  if (report.other_gpus.empty()) return;
  text += "\n### Other GPUs of the node, not in the figures\n";
  add_devices(text, report.other_gpus);
}

/// The budget of one figure or energy; `unit` is that of all half widths.
void add_budget(std::string& text, const std::string& title, const std::string& unit,
                const std::vector<BoundItem>& items) {
  if (items.empty()) return;
  text += fmt::format("\n### {}\n", title);
  std::vector<Row> rows;
  for (const BoundItem& item : items) {
    rows.push_back({markdown_text(item.name),
                    markdown_text(or_not_known(std::optional(item.half_width), unit, 2)),
                    markdown_text(item.distribution),
                    item.shared ? "all devices" : "each by itself", markdown_text(item.source)});
  }
  add_table(text, {"effect", ">half width", "distribution", "shared by", "source"}, rows);
}

void add_uncertainty(std::string& text, const Report& report) {
  add_heading(text, "Uncertainty budget");
  text += "\nHalf widths are worst cases; none is a standard deviation.\n";
  for (const BoundaryEnergy& energy : report.energy) {
    add_budget(text, fmt::format("Energy, {}", words_for(energy.boundary)), "J", energy.components);
  }
  for (const auto& [key, figure] : ordered(report.figures)) {
    add_budget(text, markdown_text(label_of(key)), figure->unit, figure->components);
  }
}

void add_instruments(std::string& text, const Report& report) {
  add_heading(text, "Instruments");
  std::vector<Row> rows;
  for (const Instrument& item : report.instruments) {
    rows.push_back(
        {markdown_code(item.id), markdown_text(item.kind), markdown_text(item.model),
         markdown_text(item.driver), markdown_code(item.source), or_not_known(item.step),
         or_not_known(item.averaging),
         fmt::format("± {} ({}; {}): {}", percent(item.accuracy.half_width_relative),
                     markdown_text(item.accuracy.distribution), markdown_text(item.accuracy.basis),
                     markdown_text(item.accuracy.source))});
  }
  if (rows.empty()) {
    text += "\nNone.\n";
    return;
  }
  add_table(text, {"id", "kind", "device", "driver", "read", ">step", ">mean over", "accuracy"},
            rows);
}

void add_provenance(std::string& text, const Report& report) {
  const auto code = [](const std::string& value) {
    return value.empty() ? std::string("n/a") : markdown_code(value);
  };
  add_heading(text, "Provenance");
  text += fmt::format("\n- record: {}\n- sha256 of the record: {}\n- result: {}\n",
                      code(report.record_file), code(report.record_sha256), code(report.result_id));
  text += fmt::format("- tokenjoule {}, method version {}\n", code(report.tool_version),
                      code(report.method_version));
  text += fmt::format("- analysis options: window {}, strict {}\n",
                      report.window ? markdown_text(report.window->chosen_by) : "n/a",
                      report.strict ? "yes" : "no");
  text += fmt::format("- seed {}, prompt nonce {}\n", report.seed, code(report.prompt_nonce));
  if (report.engine) {
    for (const auto& [key, setting] : report.engine->configuration) {
      text += fmt::format("- engine setting {}: {} ({})\n", code(key), code(setting.json),
                          markdown_text(setting.from));
    }
  }
  text += fmt::format("- configuration: {}\n- host: {}\n", code(report.configuration_json),
                      code(report.host_json));
}

}  // namespace

std::string markdown_text(std::string_view foreign) {
  const std::string line = one_line(foreign);
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    // Inside a word, as in the names of checks and settings, an underscore means nothing.
    const bool inside =
        i > 0 && i + 1 < line.size() && is_word(line[i - 1]) && is_word(line[i + 1]);
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else {
      const bool special = std::string_view("\\`*[]|~!").find(c) != std::string_view::npos;
      if (special || (c == '_' && !inside)) text += '\\';
      text += c;
    }
  }
  return text;
}

std::string markdown_code(std::string_view foreign) {
  if (foreign.empty()) return "";
  std::string code = "`";
  for (const char c : one_line(foreign)) {
    // A bar ends a table's cell even inside a code span, unless escaped.
    if (c == '|') code += '\\';
    code += c == '`' ? '\'' : c;
  }
  return code + "`";
}

std::string report_markdown(const Report& report) {
  std::string text;
  add_verdict(text, report);
  add_figures(text, report);
  add_latency(text, report);
  add_counted_as(text, report);
  add_measurement(text, report);
  add_energy(text, report);
  add_uncertainty(text, report);
  add_instruments(text, report);
  add_provenance(text, report);
  return text;
}

}  // namespace tokenjoule
