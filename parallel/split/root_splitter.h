// Splits a count into units: the distinct positions some plies below the root, each with the number
// of paths that lead to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/kernel.h"
#include "core/node_count.h"
#include "core/position.h"
#include "parallel/workers.h"

namespace manyply {

/// Where to stop; the figures behind it are in bench/results/zen5-2-cores/notes.md. It must not
/// depend on threads: reports say how many units there were and how many positions were visited.
struct SplitLimits {
  std::size_t enough_units = 10'000;   ///< no further ply once there are so many, unless
  int good_unit_depth = 5;             ///< they have more plies than this left
  std::size_t most_units = 1'000'000;  ///< and would not get more than this, by the last growth
  int min_unit_depth = 3;              ///< plies that a unit keeps, unless the job is shallower
};

/// Fewer and larger units: for jobs with a table, which merges what lies below them, and where
/// nobody asks for each of them. Not for those that are stored: who goes on with a job must find
/// the units that it was begun with.
inline constexpr SplitLimits kCoarseSplit{.enough_units = 2'000, .min_unit_depth = 4};

/// The distinct positions at one ply, ascending: equal boards are merged, so
///   perft(root, depth) = sum over units of (sum of its shares' paths) * perft(unit, depth - ply).
struct RootSplit {
  /// Paths of `ply` moves that start with root move `root_move` and end in the unit.
  struct Share {
    std::uint32_t root_move;
    NodeCount paths;
    friend auto operator<=>(const Share&, const Share&) = default;
  };

  int ply = 0;
  std::vector<Move> root_moves;          ///< as legal_moves() has them
  std::vector<Board> boards;             ///< one a unit
  std::vector<std::size_t> share_begin;  ///< by unit, and one past the last
  std::vector<Share> shares;             ///< of all units, one after the other, by root move
  std::uint64_t generated = 0;           ///< positions made on the way, before merging
  double growth = 0;                     ///< units here for each unit one ply above
  double growth_above = 0;               ///< the same, of that ply

  [[nodiscard]] std::size_t size() const { return boards.size(); }
  [[nodiscard]] std::span<const Share> shares_of(std::size_t unit) const {
    return std::span(shares).subspan(share_begin[unit], share_begin[unit + 1] - share_begin[unit]);
  }
  /// Paths of `ply` moves that end in the unit.
  [[nodiscard]] NodeCount paths_to(std::size_t unit) const {
    NodeCount paths;
    for (const Share& share : shares_of(unit)) paths += share.paths;
    return paths;
  }
};

/// Splits by `workers`, which change nothing but the time: at ply 1 at least, deeper until
/// `limits` say enough or `stop` is requested: a shallow split is as right as a deep one. Positions
/// without moves vanish at the next ply. Memory: at most limits.enough_units * MoveList::kCapacity
/// boards, in practice a tenth of that. Throws CountOverflow when the paths to one unit exceed 128
/// bits. Precondition: depth >= 1. Any thread.
RootSplit split_root(const Position& root, Depth depth, const Kernel& kernel,
                     const SplitLimits& limits = {}, const std::stop_token& stop = {},
                     const Workers& workers = Workers(1));

/// The same below many boards at once: the distinct positions `plies` >= 0 plies below any of them.
/// Share::root_move is the number of a board in `boards`, and there are no root moves. After `stop`
/// it means nothing. Precondition: the boards differ, and have one side to move.
RootSplit split_below(std::vector<Board> boards, int plies, const Kernel& kernel,
                      const std::stop_token& stop = {}, const Workers& workers = Workers(1));

}  // namespace manyply
