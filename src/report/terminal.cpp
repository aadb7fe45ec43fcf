#include "report/terminal.hpp"

#include <fmt/core.h>

#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace tokenjoule {

namespace {

Paint paint_of(VerdictStatus status) {
  constexpr Paint paints[] = {Paint::good, Paint::warning, Paint::bad};
  return paints[static_cast<std::size_t>(status)];
}

Paint paint_of(Severity severity) {
  constexpr Paint paints[] = {Paint::faint, Paint::warning, Paint::bad};
  return paints[static_cast<std::size_t>(severity)];
}

void add_verdict(TerminalPage& page, const Report& report) {
  page.paragraph(
      fmt::format("verdict: {}{}{}", words_for(report.verdict.status),
                  report.simulated ? "  [SIMULATED]" : "", report.modelled ? "  [MODELLED]" : ""),
      paint_of(report.verdict.status));
  if (report.simulated) page.paragraph(kSimulatedWords, Paint::simulated);
  if (report.modelled) page.paragraph(kModelledWords, Paint::simulated);
  if (report.interrupted) page.paragraph("The run was interrupted.", Paint::warning);
}

constexpr std::string_view kKeyFigures[] = {
    "joules_per_output_token",  "joules_per_total_token",
    "watt_hours_per_query",     "watt_hours_per_million_output_tokens",
    "output_tokens_per_second", "output_tokens_per_second_per_user",
};

void add_figure(TerminalPage& page, const Report& report, std::string_view label,
                const Figure* figure) {
  std::string text = figure != nullptr ? figure_text(*figure) : not_known("");
  if (figure != nullptr && figure->value && energy_method(report, *figure) == "modelled") {
    text += "  MODELLED";
  }
  page.field(label, text);
}

void add_figures(TerminalPage& page, const Report& report) {
  page.heading("figures");
  for (const std::string_view key : kKeyFigures) {
    add_figure(page, report, label_of(key), figure_of(report.figures, key));
  }
  add_figure(page, report, "mean power", figure_of(report.figures, "mean_watts"));
  for (const std::string_view key : {"good_requests_per_second", "good_request_share"}) {
    if (const Figure* figure = figure_of(report.figures, key)) {
      add_figure(page, report, label_of(key), figure);
    }
  }
  for (const auto& [key, figure] : ordered(report.figures)) {
    if (!figure->systematic_bound) continue;
    page.paragraph(fmt::format("± is the worst-case systematic bound; 95 % interval: {}",
                               not_known(figure->interval_reason)),
                   Paint::faint, 2);
    return;
  }
}

/// Seconds as durations, everything else with three digits.
std::string summary_value(const Summary& summary, std::optional<double> value) {
  if (!value) return "n/a";
  return summary.unit == "s" ? duration_text(Seconds(*value)) : significant(*value, 3);
}

void add_latency(TerminalPage& page, const Report& report) {
  page.heading("latency per request");
  if (report.latency.empty()) page.field("latency", not_known(""));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, summary] : ordered(report.latency)) {
    if (!summary->p50) continue;
    rows.push_back(
        {fmt::format("{}{}", label_of(key), summary->unit == "s" ? "" : " (" + summary->unit + ")"),
         summary_value(*summary, summary->mean), summary_value(*summary, summary->p5),
         summary_value(*summary, summary->p50), summary_value(*summary, summary->p99),
         grouped(summary->n)});
  }
  if (!rows.empty()) {
    page.table({{""}, {"mean", true}, {"p5", true}, {"p50", true}, {"p99", true}, {"n", true}},
               rows);
  }
  for (const auto& [key, summary] : ordered(report.latency)) {
    if (!summary->p50) page.field(label_of(key), not_known(summary->reason));
  }
}

void add_counted_as(TerminalPage& page, const Report& report) {
  if (!report.counted_as) return;
  page.heading(fmt::format("as {} would count it", name_of(report.counted_as->tool)));
  std::vector<std::vector<std::string>> rows;
  for (const PeerMetric& metric : report.counted_as->metrics) {
    const auto& summary = metric.summary;
    const auto cell = [&](std::optional<double> Summary::*member) {
      return summary ? summary_value(*summary, (*summary).*member) : std::string();
    };
    const std::string value = metric.value ? significant(*metric.value, 4) : "n/a";
    const std::string unit = summary ? summary->unit : metric.unit;
    rows.push_back({unit == "s" ? metric.name : fmt::format("{} ({})", metric.name, unit),
                    summary ? cell(&Summary::mean) : value, cell(&Summary::p50),
                    cell(&Summary::p99)});
  }
  page.table({{""}, {"mean", true}, {"p50", true}, {"p99", true}}, rows);
  page.paragraph(report.counted_as->rules, Paint::faint, 2);
}

void add_measurement(TerminalPage& page, const Report& report) {
  page.heading("what was measured");
  page.field("boundary", report.boundary ? fmt::format("{}: {}", words_for(*report.boundary),
                                                       included_words(report))
                                         : not_known("no energy was measured"));
  page.field("left out", excluded_words(report));
  page.field("read with", instrument_words(report));
  page.field("window", window_words(report));
  page.field("engine", engine_words(report));
  page.field("load", load_words(stated_load(report)));
  page.field("tokens", token_words(report.tokens));
  page.field("requests", request_words(report));
  if (report.engine_requests) page.field("engine's requests", engine_request_words(report));
  page.field("idle power", idle_words(report.idle));
}

std::vector<std::string> device_row(const DeviceEnergy& device) {
  return {device.label.empty() ? "-" : device.label,
          device.name.empty() ? device.id : device.name,
          device.mean_power ? significant(device.mean_power->value(), 3) : "n/a",
          device.idle_power ? significant(device.idle_power->value(), 3) : "n/a",
          device.share_of_limit ? percent(*device.share_of_limit) : "n/a",
          device.joules ? significant(device.joules->value(), 4) : "n/a",
          device.method.empty() ? "n/a" : device.method};
}

void add_devices(TerminalPage& page, const std::string& title,
                 const std::vector<DeviceEnergy>& devices) {
  if (devices.empty()) return;
  page.heading(title);
  std::vector<std::vector<std::string>> rows;
  for (const DeviceEnergy& device : devices) rows.push_back(device_row(device));
  page.table({{"device"},
              {"name"},
              {"mean W", true},
              {"idle W", true},
              {"of its limit", true},
              {"J", true},
              {"method"}},
             rows);
}

void add_energy(TerminalPage& page, const Report& report) {
  page.heading("energy in the window");
  if (report.energy.empty()) page.field("energy", not_known("no energy was measured"));
  for (const BoundaryEnergy& energy : report.energy) {
    page.field(words_for(energy.boundary), energy_words(energy));
  }
  for (const BoundaryEnergy& energy : report.energy) {
    add_devices(page, fmt::format("{}, by device", words_for(energy.boundary)), energy.devices);
  }
  add_devices(page, "other GPUs of the node, not in the figures", report.other_gpus);
}

void add_reason(TerminalPage& page, const CheckFinding& finding) {
  const std::string where =
      finding.boundary ? fmt::format(" [{}]", name_of(*finding.boundary)) : std::string();
  page.paragraph(
      fmt::format("{}: {}{}: {}", name_of(finding.severity), finding.code, where, finding.message),
      paint_of(finding.severity), 2);
  if (!finding.advice.empty()) page.paragraph("→ " + finding.advice, Paint::plain, 4);
}

void add_rest(TerminalPage& page, const Report& report) {
  page.heading("instrument");
  page.field("client", client_words(report.client),
             report.client.limited ? Paint::warning : Paint::plain);
  if (!report.verdict.reasons.empty()) page.heading("reasons");
  for (const CheckFinding& finding : report.verdict.reasons) add_reason(page, finding);
  page.heading("beside it");
  page.field("full run, first send to last token", full_run_words(report.full_run));
  if (report.harness) {
    page.field(fmt::format("as {} counts it", report.harness_name),
               full_run_words(*report.harness));
  }
  page.field("record", report.record_file.empty() ? not_known("not written") : report.record_file);
}

std::string figure_cell(const Report& report, std::string_view key, bool bounded) {
  const Figure* figure = figure_of(report.figures, key);
  if (figure == nullptr || !figure->value) return "n/a";
  if (!bounded || !figure->systematic_bound) return significant(*figure->value, 3);
  return with_bound(*figure->value, *figure->systematic_bound);
}

std::string latency_cell(const Report& report, std::string_view key,
                         std::optional<double> Summary::*percentile) {
  const Summary* summary = summary_of(report, key);
  return summary == nullptr ? "n/a" : summary_value(*summary, summary->*percentile);
}

std::vector<std::string> point_row(const Report& report) {
  return {load_point(stated_load(report)),
          figure_cell(report, "joules_per_output_token", true),
          figure_cell(report, "output_tokens_per_second", false),
          figure_cell(report, "output_tokens_per_second_per_user", false),
          latency_cell(report, "ttft_seconds", &Summary::p50),
          latency_cell(report, "ttft_seconds", &Summary::p99),
          latency_cell(report, "tpot_seconds", &Summary::p50),
          latency_cell(report, "tpot_seconds", &Summary::p99),
          figure_cell(report, "mean_watts", false),
          std::string(words_for(report.verdict.status))};
}

}  // namespace

std::string terminal_table(const Report& report, const TerminalStyle& style) {
  TerminalPage page(style);
  add_verdict(page, report);
  add_figures(page, report);
  add_latency(page, report);
  add_counted_as(page, report);
  add_measurement(page, report);
  add_energy(page, report);
  add_rest(page, report);
  return page.text();
}

std::string points_table(std::span<const Report> reports, const TerminalStyle& style) {
  TerminalPage page(style);
  bool simulated = false;
  bool modelled = false;
  std::vector<std::vector<std::string>> rows;
  for (const Report& report : reports) {
    simulated = simulated || report.simulated;
    modelled = modelled || report.modelled;
    rows.push_back(point_row(report));
  }
  if (simulated) page.paragraph(kSimulatedWords, Paint::simulated);
  if (modelled) page.paragraph(kModelledWords, Paint::simulated);
  page.table({{"load", true},
              {"J/out.token", true},
              {"tok/s", true},
              {"/user", true},
              {"TTFT p50", true},
              {"p99", true},
              {"TPOT p50", true},
              {"p99", true},
              {"W", true},
              {"verdict"}},
             rows);
  for (const Report& report : reports) {
    if (report.verdict.status == VerdictStatus::usable) continue;
    page.heading(fmt::format("load {}: {}", load_point(stated_load(report)),
                             words_for(report.verdict.status)));
    for (const CheckFinding& finding : report.verdict.reasons) add_reason(page, finding);
  }
  return page.text();
}

}  // namespace tokenjoule
