// Splits a count into units. A unit is a distinct position some plies below the root, together with
// the number of paths to this position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/node_count.h"
#include "core/kernel.h"
#include "core/position.h"
#include "parallel/workers.h"

namespace manyply {

/// Limits that decide when splitting ends. The root is always split at ply 1. Splitting ends at the
/// latest when units have at most `min_unit_depth` plies left. Until then, splitting continues in
/// two cases: there are fewer than `enough_units` units, or units have more than `good_unit_depth`
/// plies left and the next ply is expected to have at most `most_units` units.
///
/// The measurements for the defaults are in bench/results/zen5-2-cores/notes.md. Limits must not
/// depend on the number of threads, because reports contain the numbers of units and of visited
/// positions, and must be reproducible.
struct SplitLimits {
  std::size_t enough_units = 10'000;
  int good_unit_depth = 5;
  std::size_t most_units = 1'000'000;
  int min_unit_depth = 3;
};

/// Limits for fewer and larger units than by default. Use them for jobs with a table, because the
/// table merges transpositions below the units. Do not use them for jobs with a store: a job may
/// resume without a table, and must then have the same units.
inline constexpr SplitLimits kCoarseSplit{.enough_units = 2'000, .min_unit_depth = 4};

/// The distinct positions at one ply, in ascending order. Equal boards are merged, so
///   perft(root, depth) = sum over units of (sum of its shares' paths) * perft(unit, depth - ply).
struct RootSplit {
  /// The number of paths from one root move to one unit. Each path has `ply` moves, including the
  /// root move.
  struct Share {
    std::uint32_t root_move;
    NodeCount paths;
    friend auto operator<=>(const Share&, const Share&) = default;
  };

  int ply = 0;
  std::vector<Move> root_moves;          ///< in legal_moves() order
  std::vector<Board> boards;             ///< one for each unit
  std::vector<std::size_t> share_begin;  ///< index of each unit's first share; then shares.size()
  std::vector<Share> shares;    ///< of all units in order; for each unit, sorted by root move
  std::uint64_t generated = 0;  ///< number of positions generated at all plies, before merging
  double growth = 0;            ///< number of units / number of positions one ply above
  double growth_above = 0;      ///< the same ratio for the ply above

  [[nodiscard]] std::size_t size() const { return boards.size(); }
  [[nodiscard]] std::span<const Share> shares_of(std::size_t unit) const {
    return std::span(shares).subspan(share_begin[unit], share_begin[unit + 1] - share_begin[unit]);
  }
  /// Returns the number of paths from the root to the unit. Each path has `ply` moves.
  [[nodiscard]] NodeCount paths_to(std::size_t unit) const {
    NodeCount paths;
    for (const Share& share : shares_of(unit)) paths += share.paths;
    return paths;
  }
};

/// Splits `root` ply by ply, at least to ply 1, until `limits` are met or `stop` is requested. A
/// split that was stopped early is correct, but less deep. Games that end before the ply of the
/// split have no unit. `workers` affect only the time. Any thread may call it.
///
/// The memory is proportional to the number of positions that are generated for the last ply. In
/// practice, with default limits, this number is at most a few million. Throws CountOverflow if the
/// paths to one unit exceed 128 bits. Precondition: depth >= 1.
RootSplit split_root(const Position& root, Depth depth, const Kernel& kernel,
                     const SplitLimits& limits = {}, const std::stop_token& stop = {},
                     const Workers& workers = Workers(1));

}  // namespace manyply
