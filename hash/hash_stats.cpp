#include "hash/hash_stats.h"

#include <algorithm>
#include <cmath>

#include "hash/count_tables.h"

namespace manyply {

HashStats& HashStats::operator+=(const HashStats& other) {
  for (std::size_t d = 0; d < by_depth.size(); ++d) by_depth[d] += other.by_depth[d];
  kernel_calls += other.kernel_calls;
  visited += other.visited;
  return *this;
}

HashStats::PerDepth HashStats::total() const {
  PerDepth sum;
  for (const PerDepth& depth : by_depth) sum += depth;
  return sum;
}

double expected_false_matches(const HashStats& stats, int key_bits, const IndexBits& index_bits) {
  double expected = 0;
  for (int depth = 2; depth <= Depth::kMax; ++depth) {
    const TableShape table =
        depth == 2 ? TableShape{WindowLine::kWays, WindowLine::kTagBits, index_bits.window}
        : depth < kWideDepth ? TableShape{kDeepWays, DeepEntry::kTagBits, index_bits.deep}
                             : TableShape{1, KeySpec::kMaxBits, index_bits.wide};
    expected +=
        expected_false_matches(stats.by_depth[static_cast<std::size_t>(depth)], key_bits, table);
  }
  return expected;
}

double expected_false_matches(const HashStats::PerDepth& lookups, int key_bits,
                              const TableShape& table) {
  const double compared = std::clamp<double>(key_bits - table.index_bits, 0, table.tag_bits);
  const auto misses = static_cast<double>(lookups.probes - lookups.hits);
  return misses * table.ways * std::exp2(-compared);
}

}  // namespace manyply
