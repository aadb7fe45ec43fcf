#include <fmt/format.h>

#include "app/measure_options.hpp"
#include "engines/dialect.hpp"

namespace tokenjoule {

namespace {

void append(std::vector<OptionSpec>& specs, const std::vector<OptionSpec>& more) {
  specs.insert(specs.end(), more.begin(), more.end());
}

std::string dialect_names() {
  std::vector<std::string_view> names;
  for (const EngineDialect* dialect : dialects()) names.push_back(dialect->name());
  return fmt::format("{}", fmt::join(names, "|"));
}

}  // namespace

std::vector<OptionSpec> measure_option_specs() {
  using K = OptionKind;
  const std::string engine = "Engine";
  const std::string load = "Load";
  const std::string meters = "Meters";
  std::vector<OptionSpec> specs = {
      {"--url,-u", "URL[,URL…]",
       "the OpenAI-compatible server, with or without /v1; several alike get streams in turn",
       K::values, "--base-url,--target", engine},
      {"--endpoint", "completions|chat|PATH",
       "where requests go (default: completions where it takes token-id prompts, else chat)",
       K::value, "--endpoint-type", engine},
      {"--model,-m", "NAME", "a model that the server names (default: its first)", K::value, "",
       engine},
      dialect_option_spec(),
      {"--no-return-token-ids", "",
       "do not ask the engine for the ids of its tokens, which count them event by event", K::flag,
       "", engine},
  };
  append(specs, access_option_specs());
  append(
      specs,
      {
          {"--server-metrics", "URL[,URL…]|auto|off", "the engine's own counters (default: auto)",
           K::value, "", engine},
          {"--engine-config", "K=V", "a setting of the engine that it does not report; repeatable",
           K::values, "", engine},

          {"--concurrency,-c", "N[,N…]",
           "streams at a time; several are measured one after another (default: 1); beside "
           "--request-rate: the most requests in flight (default: 2048)",
           K::value, "--max-concurrency,--streams", load},
          {"--request-rate", "R[,R…]|inf",
           "open loop: requests a second, sent at their time whatever the server does; several are "
           "measured one after another; inf: closed loop",
           K::value, "--rate,--qps,--target-qps", load},
          {"--arrival", "poisson|constant|gamma",
           "gaps between requests of an open loop "
           "(default: poisson)",
           K::value, "--arrival-pattern", load},
          {"--burstiness", "B",
           "shape of gamma gaps: below 1 in bursts, 1 as poisson, above 1 more even", K::value,
           "--arrival-smoothness", load},
          {"--ramp-up", "TIME",
           "before the warm-up: let streams, or the rate, grow linearly over this time (default: "
           "0)",
           K::value, "--concurrency-ramp-duration,--request-rate-ramp-duration", load},
          {"--duration", "TIME", "length of the window: 60, 90s, 5m (default: 60s)", K::value,
           "--max-duration,--benchmark-duration,--max-seconds", load},
          {"--num-requests,-n", "N",
           "end the window when this many requests are sent, instead of --duration", K::value,
           "--num-prompts,--request-count,--max-requests", load},
          {"--warmup", "TIME",
           "warm up at least this long, and for 2 x concurrency answers (default: 10s)", K::value,
           "--warmup-duration", load},
          {"--warmup-requests", "N", "answers that the warm-up waits for", K::value,
           "--num-warmups,--warmup-request-count", load},
          {"--cooldown", "TIME", "the load goes on this long behind the window (default: 2s)",
           K::value, "", load},
          {"--drain", "TIME", "wait this long for the last answers, then cancel (default: 30s)",
           K::value, "--grace-period", load},
          {"--input-len", "SPEC",
           "prompt tokens: 1024, 512-1536, normal:1024,128, lognormal:1024,128 (default: 1024)",
           K::value, "--isl,--random-input-len,--synthetic-input-tokens-mean", load},
          {"--output-len", "SPEC", "answer tokens, likewise (default: 128)", K::value,
           "--osl,--random-output-len,--output-tokens-mean", load},
          {"--range-ratio", "R", "lengths uniform on [L(1-R), L(1+R)], R in [0, 1)", K::value,
           "--random-range-ratio", load},
          {"--mix", "P/A[:W],…",
           "kinds of requests: prompt/answer length and weight (1 where left out), as "
           "8192/1024:0.5,1024/8192:0.5",
           K::value, "", load},
          {"--prefix-len", "N",
           "the same N tokens before each made-up prompt, on top of its length (default: 0)",
           K::value, "--random-prefix-len", load},
          {"--dataset", "random|sharegpt|jsonl|mooncake|azure",
           "where requests come from; what has times is replayed by them unless --request-rate is "
           "given (default: random; formats: docs/load.md)",
           K::value, "--dataset-name", load},
          {"--dataset-path", "FILE", "the data set", K::value, "--input-file", load},
          {"--speed", "X", "replay a trace X times as fast (default: 1)", K::value, "", load},
          {"--sampling", "permute|replacement|sequential",
           "order in which a data set, or 1000 drawn lengths, are used (default: permute for a "
           "data set; drawn anew without one)",
           K::value, "", load},
          {"--lora", "NAME[=W],…", "ask for these models, each with its weight (1 where left out)",
           K::value, "", load},
          {"--goodput", "ttft:MS,tpot:MS,e2el:MS|mlperf:NAME",
           "limits that a request must keep to: adds the share and the rate of those that do",
           K::value, "--slo", load},
          {"--preset", "inferencex-1k1k|inferencex-1k8k|inferencex-8k1k",
           "the load of another harness, and its way to count beside ours", K::value, "", load},
          {"--ignore-eos", "",
           "make answers exactly as long as asked (default where the engine takes it)", K::flag, "",
           load},
          {"--no-ignore-eos", "", "let answers end where the model ends them", K::flag, "", load},
          {"--extra-body", "JSON", "members added to every request body", K::value,
           "--extra-inputs,--extra-request-body", load},
          {"--seed", "N", "fixes lengths and prompts (default: 1)", K::value, "", load},
          {"--prompt-nonce", "TEXT", "repeat the prompts of an earlier run (default: new ones)",
           K::value, "", load},
          {"--timeout", "TIME", "give a request up after this long (default: 600s)", K::value,
           "--request-timeout", load},
          {"--load-threads", "N",
           "threads that send and read; one holds about 100 000 events/s (default: 1)", K::value,
           "--workers", load},
          {"--idle", "TIME",
           "measure the idle engine this long before the load; 0: not (default: 10s)", K::value, "",
           meters},
      });
  append(specs, meter_option_specs());
  append(specs, output_option_specs());
  return specs;
}

OptionSpec dialect_option_spec() {
  return {"--dialect",       dialect_names(), "how to talk to it (default: found out)",
          OptionKind::value, "--engine",      "Engine"};
}

std::vector<OptionSpec> access_option_specs() {
  using K = OptionKind;
  const std::string engine = "Engine";
  return {
      {"--api-key-file", "FILE", "file with the API key; OPENAI_API_KEY is read first", K::value,
       "", engine},
      {"--api-key", "KEY", "the API key; overwritten in the process list, never written anywhere",
       K::value, "", engine},
      {"--header,-H", "'K: V'", "a header for every request, never written anywhere; repeatable",
       K::values, "", engine},
      {"--cacert", "FILE", "PEM file of trusted certificates for https, instead of the system's",
       K::value, "", engine},
      {"--insecure,-k", "", "do not check who answers over https; noted in the result", K::flag, "",
       engine},
  };
}

std::vector<OptionSpec> meter_option_specs() {
  using K = OptionKind;
  const std::string meters = "Meters";
  return {
      {"--sensor", "NAME[:key=value,…]",
       "a sensor to read; repeatable (default: all that work; see tokenjoule sensors)", K::values,
       "", meters},
      {"--config", "FILE",
       "named sensors, nodes and calibrations (default: ./tokenjoule.toml if it is there)",
       K::value, "", meters},
      {"--gpus", "N,…|UUID,…", "the GPUs that the engine computes on", K::value, "--devices",
       meters},
      {"--all-gpus", "", "all GPUs that the sensors list", K::flag, "", meters},
      {"--power-interval", "TIME",
       "time from one sensor read to the next, 20ms to 60s (default: 100ms)", K::value, "", meters},
      {"--expect-power-limit", "W", "warn where a GPU's enforced limit is another", K::value, "",
       meters},
      {"--boundary", "NAME",
       "boundary of the headline figures (default: gpu_board, else the widest measured)", K::value,
       "", meters},
      {"--strict", "", "what needs care counts as unusable", K::flag, "", meters},
      {"--check", "", "say what would be measured, with which rights and how long; measure nothing",
       K::flag, "", meters},
  };
}

std::vector<OptionSpec> output_option_specs() {
  using K = OptionKind;
  const std::string output = "Output";
  return {
      {"--out,-o", "DIR",
       "folder for run.jsonl, result.json, result.csv and report.md; must not exist (default: "
       "tokenjoule-DATE-TIME)",
       K::value, "--output-dir,--artifact-dir,--result-dir", output},
      {"--format", "table|markdown|json|csv", "what is printed (default: table)", K::value, "",
       output},
      {"--definitions", "vllm|aiperf|sglang",
       "also show the run as that tool would count it, beside ours", K::value, "", output},
      {"--label", "TEXT", "a name for the run, kept in the record", K::value, "", output},
      {"--metadata", "K=V", "a fact to keep in the record; repeatable", K::values, "", output},
      {"--ui", "auto|plain|none", "progress while it runs, on standard error (default: auto)",
       K::value, "", output},
      {"--quiet,-q", "", "no progress", K::flag, "", output},
  };
}

}  // namespace tokenjoule
