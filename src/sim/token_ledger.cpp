#include "sim/token_ledger.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace tokenjoule {

namespace {

constexpr std::size_t kBlockStamps = 65'536;
constexpr std::size_t kBlocksKept = 320;

}  // namespace

void TokenLedger::add(MonoTime at, std::int64_t tokens) {
  if (blocks_.empty() || blocks_.back().stamps_ns.size() == kBlockStamps) {
    blocks_.emplace_back().before = total_;
    blocks_.back().stamps_ns.reserve(kBlockStamps);
    blocks_.back().tokens.reserve(kBlockStamps);
    if (blocks_.size() > kBlocksKept) {
      blocks_.pop_front();
      known_from_ = {blocks_.front().stamps_ns.front()};
    }
  }
  Block& block = blocks_.back();
  TJ_ASSERT(block.stamps_ns.empty() || at.ns >= block.stamps_ns.back());
  block.stamps_ns.push_back(at.ns);
  block.tokens.push_back(static_cast<std::int32_t>(tokens));
  total_ += tokens;
}

std::int64_t TokenLedger::before(MonoTime at) const {
  // The last block that begins before `at` holds the answer.
  const auto after = std::lower_bound(
      blocks_.begin(), blocks_.end(), at.ns,
      [](const Block& block, std::int64_t ns) { return block.stamps_ns.front() < ns; });
  if (after == blocks_.begin()) return blocks_.empty() ? 0 : blocks_.front().before;
  const Block& block = *std::prev(after);
  const auto end = std::lower_bound(block.stamps_ns.begin(), block.stamps_ns.end(), at.ns);
  const auto count = end - block.stamps_ns.begin();
  return std::accumulate(block.tokens.begin(), block.tokens.begin() + count, block.before);
}

MonoTime TokenLedger::known_from() const { return known_from_; }

}  // namespace tokenjoule
