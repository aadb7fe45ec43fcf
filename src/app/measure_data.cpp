#include "app/measure_data.hpp"

#include <algorithm>

namespace tokenjoule {

namespace {

/// A data set with times becomes a point of its own, in place of those of the command line.
Status replay(MeasureOptions& options, const RequestPool& pool) {
  if (options.points.size() > 1) {
    return failure(ErrorKind::usage, "a trace is replayed by its own times, with one -c at most",
                   "give one -c, or --request-rate inf to send its requests in a closed loop");
  }
  if (options.ramp_up > Seconds(0)) {
    return failure(ErrorKind::usage,
                   "--ramp-up is not for a trace that is replayed by its own times",
                   "leave it out");
  }
  constexpr Seconds kLongest(400.0 * 86'400);
  const Seconds last = to_seconds(*pool.entries.back().arrival) / options.speed;
  if (last > kLongest) {
    return failure(ErrorKind::usage, "at this --speed the trace would take more than 400 days",
                   "give a higher --speed");
  }
  constexpr std::int64_t kDefaultCap = 2048;
  LoadPoint& point = options.points.front();
  point.trace = true;
  if (!options.concurrency_given) point.concurrency = kDefaultCap;
  if (!options.duration_given && !options.num_requests) {
    options.num_requests = static_cast<std::int64_t>(pool.entries.size());
    options.whole_trace = true;
  }
  return {};
}

}  // namespace

Result<std::optional<RequestPool>> data_set_for(MeasureOptions& options,
                                                const ProbeQuestion& question,
                                                const ProbedEngine& engine) {
  if (!options.dataset) return std::optional<RequestPool>();
  TRY(RequestPool pool, request_pool_of(*options.dataset, options.dataset_path));
  if (pool.has_texts() && options.prefix_len > 0) {
    return failure(ErrorKind::usage,
                   "--prefix-len is for made-up prompts, and this data set has texts",
                   "leave it out");
  }
  const bool names_models =
      std::any_of(pool.entries.begin(), pool.entries.end(),
                  [](const PoolEntry& entry) { return !entry.model.empty(); });
  if (names_models && !options.models.empty()) {
    return failure(ErrorKind::usage, "both --lora and a data set that names models were given",
                   "leave --lora out, or the members \"model\" of the file");
  }
  count_texts(
      pool,
      [&](std::string_view text) -> std::optional<std::int64_t> {
        const auto counted = count_tokens(engine, question, text);
        return counted ? std::optional(*counted) : std::nullopt;
      },
      options.seed);
  if (pool.has_arrivals() && !options.rate_given) {
    TRY_DO(replay(options, pool));
    if (options.sampling && options.sampling != Sampling::sequential) {
      return failure(ErrorKind::usage, "a trace that is replayed by its own times is sequential",
                     "leave --sampling out, or give --request-rate");
    }
    options.sampling = Sampling::sequential;
  } else if (options.speed != 1) {
    return failure(ErrorKind::usage, "--speed needs a data set with times", "leave it out");
  }
  if (!options.sampling) options.sampling = Sampling::permute;
  if (!options.ignore_eos) options.ignore_eos = !pool.has_texts();
  return std::optional(std::move(pool));
}

void add_data(LoadOptions& load, const MeasureOptions& options, const LoadPoint& point,
              const RequestPool* pool) {
  load.pool = pool;
  load.mix = options.mix;
  load.sampling = options.sampling.value_or(Sampling::replacement);
  load.prefix_tokens = options.prefix_len;
  load.models = options.models;
  load.ramp_up = options.ramp_up;
  if (point.trace) {
    load.arrivals = arrivals_of(*pool, options.speed, options.seed);
  } else if (point.rate) {
    load.arrivals = ArrivalRate{.per_second = *point.rate,
                                .process = options.arrival,
                                .burstiness = options.burstiness,
                                .ramp_up = options.ramp_up,
                                .seed = options.seed};
  }
  if (options.preset.empty()) return;
  load.most_warmup = warmup_requests_of(options, point);
  load.most_measured = num_requests_of(options, point);
}

}  // namespace tokenjoule
