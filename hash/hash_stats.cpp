#include "hash/hash_stats.h"

#include <algorithm>
#include <cmath>

#include "hash/wide_table.h"
#include "hash/window_table.h"

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

double expected_false_matches(const HashStats& stats, int key_bits) {
  double expected = 0;
  for (int d = 0; d <= Depth::kMax; ++d) {
    const HashStats::PerDepth& at = stats.by_depth[static_cast<std::size_t>(d)];
    const int ways = d == 2 ? WindowLine::kWays : d < kWideDepth ? kDeepWays : 1;
    const int tag_bits = d == 2           ? WindowLine::kTagBits
                         : d < kWideDepth ? DeepEntry::kTagBits
                                          : KeySpec::kMaxBits;
    const auto misses = static_cast<double>(at.probes - at.hits);
    expected += std::ldexp(misses * ways, -std::min(tag_bits, key_bits));
  }
  return expected;
}

}  // namespace manyply
