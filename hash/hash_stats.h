// Statistics of hashed counting by remaining depth, and the expected number of errors.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"

namespace manyply {

/// Counters of one worker, or their sum over workers. Not thread-safe: each worker has its own.
struct HashStats {
  struct PerDepth {
    std::uint64_t probes = 0;
    std::uint64_t hits = 0;
    std::uint64_t stores = 0;        ///< including replacements
    std::uint64_t replacements = 0;  ///< stores that replaced another entry

    PerDepth& operator+=(const PerDepth& other) {
      probes += other.probes;
      hits += other.hits;
      stores += other.stores;
      replacements += other.replacements;
      return *this;
    }
  };

  std::array<PerDepth, Depth::kMax + 1> by_depth;  ///< by remaining depth, from 2 on
  std::uint64_t kernel_calls = 0;  ///< positions at depth 2 that two-ply kernels counted
  /// Positions whose moves were generated or counted by a kernel: every inner node below the root
  /// that no table answered. Comparable with CountStats::visited, which counts without tables.
  std::uint64_t visited = 0;

  HashStats& operator+=(const HashStats& other);
  [[nodiscard]] PerDepth total() const;
};

/// log2 of the number of buckets of each table: the key bits that select the bucket.
struct IndexBits {
  double window = 0;
  double deep = 0;
  double wide = 0;
};

/// Returns the expected number of false matches: table answers that belong to another position.
///
/// A probe that finds no entry of its own key still compares its tag with up to `ways` entries of
/// its bucket. If keys are uniform, each of these entries matches falsely with probability
/// 2^-tag_bits. So an upper bound, to first order, is
///
///   sum over tables of  (probes - hits) * ways / 2^tag_bits
///
/// The size of the table has no influence: a larger table has more entries, but each probe compares
/// at most `ways` of them.
///
/// For keys of fewer bits (`key_bits`, used in measurements), tag_bits is smaller. Entries of one
/// bucket agree in the bits of the index, so their keys can differ in at most key_bits - index
/// bits. The wide table compares whole keys, including the index.
[[nodiscard]] double expected_false_matches(const HashStats& stats, int key_bits,
                                            const IndexBits& index_bits = {});

/// The properties of a table that decide how likely a false match is.
struct TableShape {
  int ways = 1;           ///< entries per bucket
  int tag_bits = 0;       ///< bits of an entry's tag
  double index_bits = 0;  ///< log2 of the number of buckets
};

/// Returns one table's term of the sum above.
[[nodiscard]] double expected_false_matches(const HashStats::PerDepth& lookups, int key_bits,
                                            const TableShape& table);

}  // namespace manyply
