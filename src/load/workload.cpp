#include "load/workload.hpp"

#include <algorithm>
#include <utility>

namespace tokenjoule {

namespace {

// Each request has two streams of random numbers under the seed: one for its lengths, one for its
// body. The streams above 2^60 belong to none of them.
std::uint64_t stream_of_lengths(std::uint64_t id) { return 2 * id; }
std::uint64_t stream_of_body(std::uint64_t id) { return 2 * id + 1; }
std::uint64_t stream_of_model(std::uint64_t id) { return (std::uint64_t{1} << 62U) + id; }
std::uint64_t stream_of_answer(std::uint64_t id) { return (std::uint64_t{3} << 60U) + id; }
constexpr std::uint64_t kSamplingStream = (std::uint64_t{1} << 60U) + 4;
// Under the nonce: the stream `id` is a request's head.
constexpr std::uint64_t kPrefixStream = (std::uint64_t{1} << 60U) + 5;
constexpr std::uint64_t kBlockStreams = std::uint64_t{1} << 61U;
constexpr std::uint64_t kWarmupPass = std::uint64_t{1} << 40U;

bool is_warmup(std::uint64_t id) { return id >= kFirstWarmupId; }
std::uint64_t within_kind(std::uint64_t id) { return is_warmup(id) ? id - kFirstWarmupId : id; }
std::uint64_t turn_of(std::uint64_t id) { return within_kind(id) / kTurnStride; }
std::uint64_t position_of(std::uint64_t id) { return within_kind(id) % kTurnStride; }
std::uint64_t first_turn_of(std::uint64_t id) { return id - turn_of(id) * kTurnStride; }

/// Lengths of one turn's own prompt and answer; 0 for an answer as long as drawn.
RequestLengths turn_lengths(const PoolEntry& entry, std::uint64_t turn) {
  if (turn == 0) return {entry.input, entry.output};
  return {entry.later[turn - 1].input, entry.later[turn - 1].output};
}

/// All that was said up to the prompt of a turn, which stands at the end: the user's texts and the
/// assistant's in turn.
std::vector<std::string> texts_up_to(const PoolEntry& entry, std::uint64_t turn) {
  std::vector<std::string> said = {entry.prompt};
  const std::string* answer = &entry.answer;
  for (std::uint64_t next = 0; next < turn; ++next) {
    said.push_back(*answer);
    said.push_back(entry.later[next].prompt);
    answer = &entry.later[next].answer;
  }
  return said;
}

void take_texts(RequestSpec& spec, std::vector<std::string> said) {
  if (spec.endpoint == EndpointKind::chat) {
    spec.prompt.text = std::move(said.back());
    said.pop_back();
    spec.earlier = std::move(said);
    return;
  }
  for (const std::string& text : said) {
    if (!spec.prompt.text.empty()) spec.prompt.text += "\n\n";
    spec.prompt.text += text;
  }
}

bool names_models(const RequestPool* pool) {
  return pool != nullptr && std::any_of(pool->entries.begin(), pool->entries.end(),
                                        [](const auto& entry) { return !entry.model.empty(); });
}

/// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

Workload::Workload(const LoadOptions& options, WordSizes sizes)
    : input_(options.input_length),
      output_(options.output_length),
      mix_(options.mix),
      models_(options.models),
      pool_(options.pool),
      sampling_(options.sampling),
      prefix_(options.prefix_tokens),
      seed_(options.seed),
      nonce_(hash_of(options.nonce)),
      vocabulary_(options.vocabulary),
      token_ids_(options.token_id_prompts),
      several_models_(!options.models.empty() || names_models(options.pool)),
      sizes_(std::move(sizes)) {
  common_.endpoint = options.endpoint;
  common_.model = options.model;
  common_.ignore_eos = options.ignore_eos;
  common_.return_token_ids = options.return_token_ids;
  common_.extra_body_json = options.extra_body_json;
}

/// Which entry of the data set, or which pair of lengths, the request has.
std::uint64_t Workload::index_of(std::uint64_t id) const {
  const bool independent = pool_ == nullptr && sampling_ != Sampling::permute;
  if (independent) return id;
  const std::uint64_t count = pool_ == nullptr ? kPermutedLengths : pool_->entries.size();
  const std::uint64_t stream = kSamplingStream + (is_warmup(id) ? 1 : 0);
  return sampled_index(sampling_, count, position_of(id), seed_, stream);
}

const PoolEntry* Workload::entry_of(std::uint64_t id) const {
  return pool_ == nullptr ? nullptr : &pool_->entries[index_of(id)];
}

RequestLengths Workload::drawn_lengths(std::uint64_t index) const {
  Random random(seed_, stream_of_lengths(index));
  if (!mix_.empty()) {
    const LengthPair& pair = chosen_share(mix_, random.uniform());
    const std::int64_t input = pair.input.draw(random);
    return {input, pair.output.draw(random)};
  }
  const std::int64_t input = input_.draw(random);
  return {input, output_.draw(random)};
}

RequestLengths Workload::lengths(std::uint64_t id) const {
  const PoolEntry* entry = entry_of(id);
  RequestLengths asked = drawn_lengths(entry == nullptr ? index_of(id) : id);
  asked.input += prefix_;
  if (entry == nullptr) return asked;
  const RequestLengths own = turn_lengths(*entry, turn_of(id));
  asked.input = prefix_ + own.input;
  for (std::uint64_t turn = 0; turn < turn_of(id); ++turn) {
    const RequestLengths earlier = turn_lengths(*entry, turn);
    asked.input += earlier.input + earlier.output;
  }
  if (own.output > 0) asked.output = own.output;
  return asked;
}

std::vector<Workload::Stretch> Workload::stretches(std::uint64_t id, std::int64_t tokens) const {
  const std::int64_t first = std::min(tokens, kNonceTokens);
  return {{nonce_, id, first}, {seed_, stream_of_body(id), tokens - first}};
}

/// Prompts and answers before this turn, then its own prompt.
std::vector<std::vector<Workload::Stretch>> Workload::history(std::uint64_t id,
                                                              const PoolEntry& entry) const {
  std::vector<std::vector<Stretch>> said;
  const std::uint64_t last = turn_of(id);
  for (std::uint64_t turn = 0; turn <= last; ++turn) {
    const std::uint64_t turn_id = first_turn_of(id) + turn * kTurnStride;
    const RequestLengths own = turn_lengths(entry, turn);
    said.push_back(stretches(turn_id, own.input));
    if (turn < last) said.push_back({{seed_, stream_of_answer(turn_id), own.output}});
  }
  return said;
}

std::optional<Nanoseconds> Workload::think_after(std::uint64_t id) const {
  const PoolEntry* entry = entry_of(id);
  if (entry == nullptr || turn_of(id) >= entry->later.size()) return std::nullopt;
  return entry->later[turn_of(id)].think;
}

std::vector<Workload::Stretch> Workload::blocks_of(std::uint64_t id, const PoolEntry& entry) const {
  const std::uint64_t pass =
      is_warmup(id) ? kWarmupPass + position_of(id) : id / pool_->entries.size();
  const std::uint64_t seed = Random(nonce_, kBlockStreams + pass).bits();
  std::vector<Stretch> blocks;
  std::int64_t left = entry.input;
  for (const std::uint64_t block : entry.blocks) {
    const std::int64_t tokens = std::min(left, kTraceBlock);
    blocks.push_back({seed, block, tokens});
    left -= tokens;
  }
  if (left > 0) blocks.push_back({seed_, stream_of_body(id), left});
  return blocks;
}

/// @param on_top tokens that this text has beyond those of its words, as text_prompt() takes them
/// off.
void Workload::add_text(std::string& text, const Stretch& stretch, std::int64_t on_top) const {
  if (stretch.tokens == 0) return;
  Random random(stretch.seed, stretch.stream);
  if (!text.empty()) text += ' ';
  text += text_prompt(stretch.tokens + on_top, sizes_, random, random);
}

Prompt Workload::prompt_of(const std::vector<Stretch>& stretches) const {
  Prompt prompt;
  const std::int32_t low = std::min(kLowestPromptToken, vocabulary_ / 2);
  for (const Stretch& stretch : stretches) {
    if (!token_ids_) {
      // The tokens that any text has on top of its words count once, in the first stretch.
      add_text(prompt.text, stretch, prompt.text.empty() ? 0 : sizes_.overhead);
      continue;
    }
    Random random(stretch.seed, stretch.stream);
    for (std::int64_t i = 0; i < stretch.tokens; ++i) {
      prompt.token_ids.push_back(static_cast<std::int32_t>(random.integer(low, vocabulary_ - 1)));
    }
  }
  return prompt;
}

/// Each part of a conversation is a message of its own; what a template adds to each is not
/// counted.
void Workload::take_messages(RequestSpec& spec,
                             const std::vector<std::vector<Stretch>>& said) const {
  for (const std::vector<Stretch>& part : said) {
    std::string text;
    for (const Stretch& stretch : part) {
      const bool first = spec.earlier.empty() && text.empty();
      add_text(text, stretch, first ? 0 : sizes_.overhead);
    }
    spec.earlier.push_back(std::move(text));
  }
  spec.prompt.text = std::move(spec.earlier.back());
  spec.earlier.pop_back();
}

/// @param tokens of the prompt, without a shared prefix; for what no data set tells of.
void Workload::make_up(RequestSpec& spec, std::uint64_t id, std::int64_t tokens,
                       const PoolEntry* entry) const {
  std::vector<std::vector<Stretch>> said;
  if (entry == nullptr) {
    said.push_back(stretches(id, tokens));
  } else if (entry->blocks.empty()) {
    said = history(id, *entry);
  } else {
    said.push_back(blocks_of(id, *entry));
  }
  if (prefix_ > 0) said.front().insert(said.front().begin(), {nonce_, kPrefixStream, prefix_});
  if (spec.endpoint == EndpointKind::chat) return take_messages(spec, said);
  std::vector<Stretch> whole;
  for (const auto& part : said) whole.insert(whole.end(), part.begin(), part.end());
  spec.prompt = prompt_of(whole);
}

Prompt Workload::prompt(std::uint64_t id, std::int64_t tokens) const {
  return prompt_of(stretches(id, tokens));
}

RequestSpec Workload::spec(std::uint64_t id) const {
  const RequestLengths asked = lengths(id);
  const PoolEntry* entry = entry_of(id);
  RequestSpec spec = common_;
  spec.output_tokens = asked.output;
  if (!models_.empty()) {
    Random random(seed_, stream_of_model(first_turn_of(id)));
    spec.model = chosen_share(models_, random.uniform()).name;
  }
  if (entry != nullptr && !entry->model.empty()) spec.model = entry->model;
  const bool has_text = entry != nullptr && !entry->prompt.empty() && !is_warmup(id);
  if (has_text) {
    take_texts(spec, texts_up_to(*entry, turn_of(id)));
  } else {
    make_up(spec, id, asked.input - prefix_, entry);
  }
  return spec;
}

}  // namespace tokenjoule
