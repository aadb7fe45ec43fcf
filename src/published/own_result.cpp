#include "published/own_result.hpp"

#include <algorithm>

#include "base/json_view.hpp"
#include "base/text.hpp"
#include "published/gpu_catalogue.hpp"

namespace tokenjoule {

namespace {

std::optional<double> figure(const JsonView& figures, std::string_view name) {
  return figures[name]["value"].number();
}

PublishedStatistic statistic(const JsonView& summary) {
  PublishedStatistic made;
  made.mean = summary["mean"].number();
  made.median = summary["p50"].number();
  made.p90 = summary["p90"].number();
  made.p99 = summary["p99"].number();
  return made;
}

/// Name and number of the boards whose energy is in the result.
void take_gpus(const JsonView& root, PublishedSet& set, PublishedResult& row) {
  const JsonView energy = root["energy"];
  for (std::size_t i = 0; i < energy.size(); ++i) {
    if (energy[i]["boundary"].string() != "gpu_board") continue;
    const JsonView devices = energy[i]["devices"];
    if (devices.size() == 0) return;
    row.gpus = static_cast<double>(devices.size());
    row.hardware = set.keep(devices[0]["name"].string().value_or(""));
    bool all_limits = true;
    for (std::size_t k = 0; k < devices.size(); ++k) {
      if (devices[k]["name"].string() != devices[0]["name"].string())
        row.mark(RowFlag::mixed_accelerators);
      const auto limit = devices[k]["power_limit_enforced_watts"].number();
      all_limits = all_limits && limit;
      // Boards with unlike limits: the highest, since a ceiling must not be too low.
      if (limit) row.stated_gpu_limit_w = std::max(*limit, row.stated_gpu_limit_w.value_or(0));
    }
    if (!all_limits) row.stated_gpu_limit_w.reset();
    const auto* const known = GpuCatalogue::embedded().find(row.hardware);
    if (known != nullptr) row.gpu = set.keep(known->gpu);
    row.stated_limit_words = set.keep("enforced limit that the driver gave");
  }
}

void take_load(const JsonView& root, PublishedSet& set, PublishedResult& row) {
  const JsonView load = root["load"];
  row.concurrency = load["concurrency"].number();
  row.request_rate = load["request_rate_per_s"].number();
  row.mean_input_len = load["input_len_mean"].number();
  row.mean_output_len = load["output_len_mean"].number();
  row.completed = root["requests"]["completed"].number();
  row.scenario = set.keep(load["mode"].string().value_or(""));
  row.start_unix_s = root["window"]["start_unix_s"].number();
  row.end_unix_s = root["window"]["end_unix_s"].number();
}

void take_figures(const JsonView& root, PublishedResult& row) {
  const JsonView figures = root["figures"];
  const auto seconds = root["window"]["duration_s"].number();
  const auto prompt = root["tokens"]["prompt_submitted"].number();
  row.system.output = figure(figures, "output_tokens_per_second");
  if (prompt && seconds && *seconds > 0) row.system.input = *prompt / *seconds;
  if (row.system.input && row.system.output)
    row.system.total = *row.system.input + *row.system.output;
  row.ttft = statistic(figures["ttft_seconds"]);
  row.tpot = statistic(figures["tpot_seconds"]);
  row.itl = statistic(figures["itl_seconds"]);
  row.e2e = statistic(figures["e2e_latency_seconds"]);
  row.interactivity = statistic(figures["interactivity_tokens_per_second"]);
  // Published rows state quantiles of rates from the fast end: their p99 is what 99 % of the users
  // exceed. Ours are ordinary ones, of which those of the slow end do not follow.
  row.interactivity.p90 = row.interactivity.p99 = std::nullopt;
}

void take_energy(const JsonView& root, PublishedResult& row) {
  const JsonView gpu = root["figures_by_boundary"]["gpu_board"];
  row.energy.all_gpus_mean_w = figure(gpu, "mean_watts");
  row.energy.j_per_output_token = figure(gpu, "joules_per_output_token");
  row.energy.j_per_total_token = figure(gpu, "joules_per_total_token");
  if (const auto wh = figure(gpu, "watt_hours_per_query")) row.energy.j_per_query = *wh * 3600;
  const JsonView node = root["figures_by_boundary"]["node_ac"];
  row.energy.wall_mean_w = figure(node, "mean_watts");
  if (const auto wh = figure(node, "watt_hours_per_query"))
    row.energy.wall_j_per_query = *wh * 3600;
}

}  // namespace

bool recognises_own_result(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return starts_with(trimmed(head), "{") &&
         head.find("\"tokenjoule.result/1\"") != std::string_view::npos;
}

void read_own_result(const FileContent& content, PublishedSet& into) {
  const auto document = JsonDocument::parse(content.bytes);
  if (!document) {
    into.problems.push_back({content.file, std::nullopt, document.error().message});
    return;
  }
  const JsonView root = document->root();
  PublishedResult row;
  row.source = PublishedSource::tokenjoule;
  row.origin = {content.file, 0};
  row.attribution.id = into.keep(root["result_id"].string().value_or(""));
  row.model = into.keep(root["model"]["name"].string().value_or(""));
  row.precision = into.keep(root["model"]["weight_format"].string().value_or(""));
  row.framework = into.keep(root["engine"]["kind"].string().value_or(""));
  row.whole.tensor = root["model"]["tensor_parallel"].number();
  if (root["simulated"].boolean().value_or(false)) row.mark(RowFlag::simulated);
  take_gpus(root, into, row);
  take_load(root, into, row);
  take_figures(root, row);
  take_energy(root, row);
  if (!row.system.output) row.mark(RowFlag::no_throughput);
  into.rows.push_back(std::move(row));
}

}  // namespace tokenjoule
