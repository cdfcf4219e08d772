// Statistics of hashed counting for each remaining depth. They determine the expected number of
// false matches.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"

namespace manyply {

/// Counters of one worker, or their sum over all workers. Not thread-safe, so each worker has its
/// own object.
struct HashStats {
  struct PerDepth {
    std::uint64_t probes = 0;
    std::uint64_t hits = 0;
    std::uint64_t stores = 0;        ///< including replacements
    std::uint64_t replacements = 0;  ///< stores that overwrote an entry in use

    PerDepth& operator+=(const PerDepth& other) {
      probes += other.probes;
      hits += other.hits;
      stores += other.stores;
      replacements += other.replacements;
      return *this;
    }
  };

  std::array<PerDepth, Depth::kMax + 1> by_depth;  ///< by remaining depth; 0 and 1 are unused
  std::uint64_t kernel_calls = 0;  ///< positions at remaining depth 2 that two-ply kernels counted
  /// Number of positions that the search visited below its start position and above the leaves.
  /// Positions that were found in a table, and positions below them, are not visited. In counts
  /// without tables, CountStats::visited has this number.
  std::uint64_t visited = 0;

  HashStats& operator+=(const HashStats& other);
  [[nodiscard]] PerDepth total() const;
};

/// For each table, the number of key bits that select the bucket: log2 of the number of buckets.
struct IndexBits {
  double window = 0;
  double deep = 0;
  double wide = 0;
};

/// Returns the expected number of false matches. In a false match, the table returns the count of
/// another position.
///
/// A probe that does not find its key has compared the tag of the key with up to `ways` entries of
/// other keys. If keys are uniform, each of these comparisons is a false match with probability
/// 2^-tag_bits. So, to first order, the expected number is at most
///
///   sum over tables of  (probes - hits) * ways / 2^tag_bits
///
/// The function returns this bound. Unless keys have few bits, the bound does not depend on the
/// size of the table: a larger table has more entries, but each probe compares at most `ways`
/// entries.
///
/// `key_bits` is the number of random bits in a key. Entries of one bucket have the same index
/// bits, so their keys can differ in at most key_bits - index_bits bits. If this number is below
/// tag_bits, the formula uses it instead of tag_bits. This happens with keys of few bits, which
/// measurements use, and in the wide table, whose tag is the whole key.
[[nodiscard]] double expected_false_matches(const HashStats& stats, int key_bits,
                                            const IndexBits& index_bits = {});

/// The properties of a table that determine the probability of a false match.
struct TableShape {
  int ways = 1;           ///< entries per bucket
  int tag_bits = 0;       ///< bits of an entry's tag
  double index_bits = 0;  ///< log2 of the number of buckets
};

/// Returns the bound for one table, which is one term of the sum above.
[[nodiscard]] double expected_false_matches(const HashStats::PerDepth& lookups, int key_bits,
                                            const TableShape& table);

}  // namespace manyply
