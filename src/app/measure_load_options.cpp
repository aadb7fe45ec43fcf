#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/measure_options.hpp"
#include "base/text.hpp"
#include "engines/dialect.hpp"

// The part of measure's options that says what is asked of the engine, how often and for how long.

namespace tokenjoule {

namespace {

/// Streams of an open loop where the command line does not say: enough for 20 requests a second
/// that take 100 s each.
constexpr std::int64_t kDefaultCap = 2048;
constexpr std::int64_t kMostStreams = 100'000;
constexpr double kHighestRate = 1e6;

template <typename T>
void take(T& into, std::optional<T> value) {
  if (value) into = std::move(*value);
}

tl::unexpected<Error> usage(std::string message, std::string hint) {
  return failure(ErrorKind::usage, std::move(message), std::move(hint));
}

template <typename T>
Status check_names_once(const std::vector<T>& values, const char* option) {
  if (values.empty()) {
    return usage(fmt::format("--{} names no number", option), fmt::format("--{} 8", option));
  }
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) ==
        values.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    return usage(fmt::format("--{} names {} twice", option, values[i]), "name each once");
  }
  return {};
}

Result<std::vector<std::int64_t>> concurrencies_in(const std::string& text) {
  std::vector<std::int64_t> found;
  for (const auto item : split(text, ',')) {
    const auto streams = integer_in(trimmed(item));
    if (!streams || *streams < 1 || *streams > kMostStreams) {
      return usage(
          fmt::format("--concurrency \"{}\" is no number from 1 to {}", quoted(item), kMostStreams),
          "write -c 8 or -c 8,64,256");
    }
    found.push_back(*streams);
  }
  TRY_DO(check_names_once(found, "concurrency"));
  return found;
}

/// Empty for "inf": as fast as streams become free.
Result<std::vector<double>> rates_in(const std::string& text) {
  std::vector<double> found;
  if (lower_case(trimmed(text)) == "inf") return found;
  for (const auto item : split(text, ',')) {
    const auto rate = number_in(trimmed(item));
    if (!rate || !(*rate > 0) || *rate > kHighestRate) {
      return usage(fmt::format("--request-rate \"{}\" is no number of requests a second above 0, "
                               "up to 1000000",
                               quoted(item)),
                   "write --request-rate 4, --request-rate 2,4,8 or --request-rate inf");
    }
    found.push_back(*rate);
  }
  TRY_DO(check_names_once(found, "request-rate"));
  return found;
}

Status take_arrival(MeasureOptions& options, const ParsedOptions& parsed, bool has_rate) {
  const std::string name =
      parsed.text("arrival").value_or(parsed.has("burstiness") ? "gamma" : "poisson");
  const std::string names[] = {"poisson", "constant", "gamma"};
  if (name == names[0]) options.arrival = ArrivalProcess::poisson;
  if (name == names[1]) options.arrival = ArrivalProcess::constant;
  if (name == names[2]) options.arrival = ArrivalProcess::gamma;
  if (std::find(std::begin(names), std::end(names), name) == std::end(names)) {
    return usage(fmt::format("--arrival {} is none{}", quoted(name), did_you_mean(name, names)),
                 "say poisson, constant or gamma");
  }
  TRY(const auto burstiness, parsed.number("burstiness", 1e-3, 1e6));
  take(options.burstiness, burstiness);
  if (burstiness && options.arrival != ArrivalProcess::gamma) {
    return usage("--burstiness is for --arrival gamma", "leave one of them out");
  }
  if (!has_rate && (parsed.has("arrival") || parsed.has("burstiness"))) {
    return usage("--arrival and --burstiness are for an open loop", "add --request-rate 4");
  }
  return {};
}

Status take_points(MeasureOptions& options, const ParsedOptions& parsed) {
  std::vector<std::int64_t> streams;
  if (const auto given = parsed.text("concurrency")) {
    TRY(streams, concurrencies_in(*given));
  }
  std::vector<double> rates;
  const auto given_rate = parsed.text("request-rate");
  options.rate_given = given_rate.has_value();
  options.concurrency_given = !streams.empty();
  if (given_rate) {
    TRY(rates, rates_in(*given_rate));
  }
  TRY_DO(take_arrival(options, parsed, !rates.empty()));
  if (given_rate && rates.empty() && streams.empty()) {
    return usage(
        "--request-rate inf needs a number of streams: it sends the next request as soon "
        "as one is free",
        "add -c 64");
  }
  if (rates.size() >= 1 && streams.size() > 1) {
    return usage("a --request-rate and several values of -c were given",
                 "give one -c, which is then the most requests in flight");
  }
  options.points.clear();
  for (const double rate : rates) {
    options.points.push_back({rate, streams.empty() ? kDefaultCap : streams.front()});
  }
  if (!rates.empty()) return {};
  if (streams.empty()) streams.push_back(1);
  for (const std::int64_t count : streams) options.points.push_back({std::nullopt, count});
  return {};
}

Status take_times(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY(const auto duration, parsed.duration("duration"));
  TRY(const auto ramp_up, parsed.duration("ramp-up"));
  TRY(const auto warmup, parsed.duration("warmup"));
  TRY(const auto cooldown, parsed.duration("cooldown"));
  TRY(const auto drain, parsed.duration("drain"));
  TRY(const auto timeout, parsed.duration("timeout"));
  TRY(const auto idle, parsed.duration("idle"));
  TRY(options.warmup_requests, parsed.integer("warmup-requests", 0, 1'000'000'000));
  options.duration_given = duration.has_value();
  take(options.duration, duration);
  take(options.ramp_up, ramp_up);
  take(options.warmup, warmup);
  take(options.cooldown, cooldown);
  take(options.drain, drain);
  take(options.request_timeout, timeout);
  take(options.idle, idle);
  if (options.duration < Seconds(1))
    return usage("--duration is below one second", "give 20s or more for a usable result");
  if (options.request_timeout <= Seconds(0)) return usage("--timeout is 0", "give --timeout 600s");
  return {};
}

Result<LengthSpec> length_in(const std::string& text, std::optional<double> ratio,
                             const std::string& option) {
  auto spec = length_spec_in(text);
  if (spec && ratio) spec = with_range_ratio(*spec, *ratio);
  if (!spec) return unexpected(std::move(spec).error().in(option));
  return spec;
}

Status take_lengths(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY(const auto ratio, parsed.number("range-ratio", 0.0, 0.999999));
  const auto input = parsed.text("input-len").value_or("1024");
  const auto output = parsed.text("output-len").value_or("128");
  TRY(options.input_len, length_in(input, ratio, "--input-len"));
  TRY(options.output_len, length_in(output, ratio, "--output-len"));
  return {};
}

Status take_requests(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY(options.num_requests, parsed.integer("num-requests", 1, 1'000'000'000));
  if (options.num_requests && parsed.has("duration")) {
    return usage("both --duration and --num-requests were given", "give one of them");
  }
  if (parsed.flag("ignore-eos") && parsed.flag("no-ignore-eos")) {
    return usage("both --ignore-eos and --no-ignore-eos were given", "give one of them");
  }
  if (parsed.flag("ignore-eos")) options.ignore_eos = true;
  if (parsed.flag("no-ignore-eos")) options.ignore_eos = false;
  options.extra_body = parsed.text("extra-body").value_or("");
  if (!options.extra_body.empty()) TRY_DO(check_extra_body(options.extra_body));
  TRY(const auto threads, parsed.integer("load-threads", 1, 64));
  if (threads) options.load_threads = static_cast<int>(*threads);
  TRY(const auto seed, parsed.integer("seed", 0, INT64_MAX));
  if (seed) options.seed = static_cast<std::uint64_t>(*seed);
  options.prompt_nonce = parsed.text("prompt-nonce");
  if (options.prompt_nonce && options.prompt_nonce->empty()) {
    return usage("--prompt-nonce is empty", "give the one of the earlier run's record");
  }
  return {};
}

/// A window needs requests, and the warm-up two of them.
Status check_rates(const MeasureOptions& options) {
  for (const LoadPoint& point : options.points) {
    if (!point.rate || options.num_requests) continue;
    if (*point.rate * options.duration.value() >= 1) continue;
    return usage(
        fmt::format("--request-rate {:g} sends less than one request in a window of {:g} s",
                    *point.rate, options.duration.value()),
        "give a higher rate or a longer --duration");
  }
  return {};
}

}  // namespace

std::string LoadPoint::name() const {
  if (trace) return "trace";
  return rate ? fmt::format("r{:g}", *rate) : fmt::format("c{}", concurrency);
}

Status take_load_options(MeasureOptions& options, const ParsedOptions& parsed) {
  TRY_DO(take_points(options, parsed));
  TRY_DO(take_times(options, parsed));
  TRY_DO(take_lengths(options, parsed));
  TRY_DO(take_requests(options, parsed));
  return check_rates(options);
}

std::string load_configuration_json(const MeasureOptions& options, const LoadPoint& point) {
  nlohmann::ordered_json json;
  json["mode"] = point.is_open() ? "open" : "closed";
  json[point.is_open() ? "concurrency_cap" : "concurrency"] = point.concurrency;
  if (point.is_open()) json["arrival"] = point.trace ? "trace" : name_of(options.arrival);
  if (point.rate) json["request_rate_per_s"] = *point.rate;
  if (point.rate && options.arrival == ArrivalProcess::gamma) {
    json["burstiness"] = options.burstiness;
  }
  if (const auto requests = num_requests_of(options, point)) {
    json["num_requests"] = *requests;
  } else {
    json["duration_s"] = options.duration.value();
  }
  if (options.ramp_up > Seconds(0)) json["ramp_up_s"] = options.ramp_up.value();
  json["warmup_s"] = options.warmup.value();
  if (const auto requests = warmup_requests_of(options, point)) json["warmup_requests"] = *requests;
  json["cooldown_s"] = options.cooldown.value();
  json["drain_s"] = options.drain.value();
  json["idle_s"] = options.idle.value();
  return json.dump();
}

}  // namespace tokenjoule
