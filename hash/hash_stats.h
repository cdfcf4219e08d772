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
  /// Positions whose moves were generated, or counted by a kernel: every interior node below the
  /// root that no table answered for. What CountStats calls so, where nothing is found.
  std::uint64_t visited = 0;

  HashStats& operator+=(const HashStats& other);
  [[nodiscard]] PerDepth total() const;
};

/// log2 of each table's number of buckets: the key bits that choose one.
struct IndexBits {
  double window = 0;
  double deep = 0;
  double wide = 0;
};

/// Expected number of false matches: table answers that belong to another position.
///
/// A probe that finds nothing of its own still compares its tag with up to `ways` entries of its
/// bucket. If keys are uniform, a wrong one matches with probability 2^-tag_bits; so, to first
/// order and from above,
///
///   sum over tables of  (probes - hits) * ways / 2^tag_bits
///
/// independent of table size: a larger table has more entries, but each probe still sees `ways`.
/// Entries of one bucket agree in the index's bits already, so of keys that have only `key_bits`
/// (weak on purpose) at most key_bits - index bits can differ: tag_bits is no more than that. The
/// wide table compares whole keys, index included.
[[nodiscard]] double expected_false_matches(const HashStats& stats, int key_bits,
                                            const IndexBits& index_bits = {});

/// What a probe compares with.
struct TableShape {
  int ways = 1;           ///< entries of a bucket
  int tag_bits = 0;       ///< bits of an entry's tag
  double index_bits = 0;  ///< log2 of the number of buckets
};

/// One table's term of that sum.
[[nodiscard]] double expected_false_matches(const HashStats::PerDepth& lookups, int key_bits,
                                            const TableShape& table);

}  // namespace manyply
