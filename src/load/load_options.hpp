#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/url.hpp"
#include "engines/dialect.hpp"
#include "io/http_client.hpp"
#include "load/data/length_mix.hpp"
#include "load/data/request_pool.hpp"
#include "load/data/sampling.hpp"
#include "load/length_spec.hpp"
#include "load/shapes/arrival_schedule.hpp"

namespace tokenjoule {

/// Token ids of random prompts are drawn from [kLowestPromptToken, vocabulary): the ids below hold
/// special tokens and single bytes in the vocabularies in use, and the smallest vocabulary that is
/// in wide use (Llama 2) ends at 32 000.
constexpr std::int32_t kLowestPromptToken = 1000;
constexpr std::int32_t kDefaultVocabulary = 30'000;

/// One operating point: what is asked of which server, how often and for how long.
struct LoadOptions {
  std::vector<Url>
      roots;  ///< API roots, without "/v1"; with several, streams are dealt out in turn
  EndpointKind endpoint = EndpointKind::completions;
  std::string path;     ///< "" for the endpoint's own path
  std::string model;    ///< the name that requests carry
  HttpHeaders headers;  ///< added to each request; values never leave this object but to the server
  std::string api_key;  ///< sent as a bearer token; "" for none
  TlsOptions tls;       ///< for roots with https
  /// Streams, 1 to 100 000. Closed loop: requests in flight; open loop: at most so many.
  std::int64_t concurrency = 1;
  std::optional<ArrivalPlan> arrivals;  ///< when requests are sent; absent: closed loop
  /// The client sends no more than so many of a kind; absent: as many as there is time for.
  std::optional<std::int64_t> most_warmup, most_measured;
  Seconds ramp_up{0};  ///< closed loop: streams begin one after another over this time
  std::optional<std::int64_t>
      num_requests;  ///< the window ends when so many measured requests were sent
  LengthSpec input_length = fixed_length(1024);
  LengthSpec output_length = fixed_length(128);
  std::vector<LengthPair> mix;        ///< instead of the two lengths, where not empty
  const RequestPool* pool = nullptr;  ///< lengths and texts of a data set; outlives the client
  Sampling sampling = Sampling::replacement;  ///< of the data set, or of drawn lengths
  std::int64_t prefix_tokens = 0;             ///< before each made-up prompt, the same in all
  std::vector<ModelShare> models;             ///< instead of `model`, where not empty
  bool token_id_prompts = true;   ///< the server takes token ids; else prompts are words
  bool return_token_ids = false;  ///< the engine is asked to list the ids of its tokens
  std::int32_t vocabulary = kDefaultVocabulary;  ///< ids of prompts stay below this
  bool ignore_eos = true;                        ///< sent only where the dialect takes it
  std::string extra_body_json;   ///< a JSON object merged into each body; "" for none
  std::uint64_t seed = 1;        ///< fixes lengths and prompt bodies
  std::string nonce;             ///< fixes the first 64 tokens of each prompt; must not be empty
  Seconds request_timeout{600};  ///< from sending to the end of the answer
  int load_threads = 1;          ///< 1 to 64, at most `concurrency`
};

}  // namespace tokenjoule
