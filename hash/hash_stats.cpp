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

double expected_false_matches(const HashStats& stats, int key_bits, const IndexBits& index_bits) {
  double expected = 0;
  for (int depth = 2; depth <= Depth::kMax; ++depth) {
    const HashStats::PerDepth& at = stats.by_depth[static_cast<std::size_t>(depth)];
    const auto add = [&](int ways, int tag_bits, double index) {
      const double compared = std::clamp<double>(key_bits - index, 0, tag_bits);
      expected += static_cast<double>(at.probes - at.hits) * ways * std::exp2(-compared);
    };
    if (depth == 2) {
      add(WindowLine::kWays, WindowLine::kTagBits, index_bits.window);
    } else if (depth < kWideDepth) {
      add(kDeepWays, DeepEntry::kTagBits, index_bits.deep);
    } else {
      add(1, KeySpec::kMaxBits, index_bits.wide);
    }
  }
  return expected;
}

}  // namespace manyply
