// Files of data sets and traces, as any of their kinds.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "load/data/request_pool.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tokenjoule;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const auto kind :
       {DataSetKind::sharegpt, DataSetKind::jsonl, DataSetKind::mooncake, DataSetKind::azure}) {
    auto pool = request_pool_in(kind, text);
    if (!pool) continue;
    count_texts(*pool, {}, 1);
    for (const PoolEntry& entry : pool->entries) {
      if (entry.input < 1 || entry.output < 0) __builtin_trap();
    }
    if (pool->has_arrivals()) (void)arrivals_of(*pool, 2, 1);
  }
  return 0;
}
