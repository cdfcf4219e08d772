// Decides how large the tables of a hashed job are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hash/count_tables.h"
#include "hash/zobrist.h"
#include "parallel/split/root_splitter.h"

namespace manyply {

/// The properties of hash tables that a user may choose.
struct HashSpec {
  std::uint64_t bytes = 0;  ///< bytes of all tables; 0 = chosen for the job (plan_tables())
  KeySpec keys = {};
  /// Number of locks of the deep table and of each shared window; a power of two.
  std::size_t stripes = DeepTable::kDefaultStripes;
};

/// The division of memory among the tables. The deep table gets at least three quarters of the
/// memory that the wide table leaves. Usually each worker has its own window. In two cases, a team
/// of consecutive workers shares one window: if there are more than 16 workers and more workers
/// than cores, or if each worker's own window would be smaller than 1 MiB.
struct TablePlan {
  std::uint64_t deep_bytes = 0;
  std::uint64_t wide_entries = 1;
  std::uint64_t window_bytes = 0;  ///< bytes of each window
  int windows = 0;  ///< number of windows, at most one per worker; 0 = one per worker

  [[nodiscard]] std::uint64_t total_bytes(int workers) const;
  /// Returns how many of total_bytes() are in pages that are touched before counting.
  [[nodiscard]] std::uint64_t touched_bytes(int workers) const;
  [[nodiscard]] int windows_of(int workers) const { return windows == 0 ? workers : windows; }
};

/// The smallest total size. A smaller HashSpec::bytes is increased to this size.
inline constexpr std::uint64_t kMinHashBytes = std::uint64_t{64} << 10;

/// The properties of a split that determine how large tables should be.
struct SplitShape {
  std::size_t units = 0;
  int ply = 0;              ///< ply of the units
  double growth = 0;        ///< number of units divided by the number of positions one ply above
  double growth_above = 0;  ///< the same ratio for the ply above
};

SplitShape shape_of(const RootSplit& split);

/// Estimates the number of distinct positions `plies` plies below the units, from the growth of the
/// last plies. Precondition: plies >= 0. The estimate is usually a little too high.
double expected_positions(const SplitShape& split, int plies);

/// The properties of a machine that determine how large tables should be.
struct Machine {
  std::uint64_t available_bytes;
  int cores;  ///< number of cores that this process may use
};

/// Returns the properties of this machine that a plan for `hash` and `workers` needs. A property
/// that the plan does not need has an arbitrary value, because reading the property from the system
/// would take longer than a small count.
Machine machine_for(const HashSpec& hash, int workers);

/// Divides `hash.bytes` among the tables. Each unit is counted to a depth of `unit_depth` plies
/// below it. If `hash.bytes` is 0, chooses a size that is useful for the job, but at most half of
/// the available memory.
TablePlan plan_tables(const HashSpec& hash, const SplitShape& split, int unit_depth, int workers,
                      const Machine& machine);

/// Below this depth a table costs more time than it saves.
inline constexpr int kMinHashedDepth = 5;

}  // namespace manyply
