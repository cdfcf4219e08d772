// What hashed counting did, by remaining depth, and how far its result can be trusted.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"

namespace manyply {

/// Counters of one worker, or the sum over workers. Plain: each worker has its own.
struct HashStats {
  struct PerDepth {
    std::uint64_t probes = 0;
    std::uint64_t hits = 0;
    std::uint64_t stores = 0;        ///< stored, replacements included
    std::uint64_t replacements = 0;  ///< stores that drove another entry out

    PerDepth& operator+=(const PerDepth& other) {
      probes += other.probes;
      hits += other.hits;
      stores += other.stores;
      replacements += other.replacements;
      return *this;
    }
  };

  std::array<PerDepth, Depth::kMax + 1> by_depth;  ///< by remaining depth, from 2 on
  std::uint64_t kernel_calls = 0;  ///< two-ply counts: positions at depth 2 not found
  std::uint64_t visited = 0;       ///< positions generated

  HashStats& operator+=(const HashStats& other);
  [[nodiscard]] PerDepth total() const;
};

/// Expected number of false matches: table answers that belong to another position.
///
/// A probe that finds nothing of its own still compares its tag with up to `ways` entries of its
/// bucket; a wrong one matches with probability 2^-tag_bits if keys are uniform. So, to first order
/// and from above,
///
///   sum over tables of  (probes - hits) * ways / 2^tag_bits
///
/// independent of table size: a larger table has more entries, but each probe still sees `ways`.
/// Keys of `key_bits` < tag bits (weak on purpose) have only key_bits that can differ.
[[nodiscard]] double expected_false_matches(const HashStats& stats, int key_bits);

}  // namespace manyply
