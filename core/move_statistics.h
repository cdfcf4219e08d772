// Move statistics: the kinds of moves in the last ply of a perft.
//
// Only moves of the last ply are counted, one move per leaf. One move may add to several
// statistics. For example, a pawn that captures on the last rank has four moves, one for each piece
// that it can become. They are four captures, four promotions and up to four mates.
//
// Each check or mate has exactly one kind. The kind depends on the pieces that attack the king
// after the move:
// - direct: only the moved piece (in castling, king and rook are both moved pieces);
// - discovered: only one piece, which has not moved;
// - direct and discovered: the moved piece and at least one other piece;
// - double discovered: two or more pieces, none of which has moved. This is possible after en
//   passant and, in Chess960, after castling.
//
// Mates are not counted as checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/node_count.h"
#include "core/board.h"
#include "core/kernel.h"

namespace manyply {

/// The move statistics. Each of them counts moves.
enum class Statistic : std::uint8_t {
  kNodes,
  kCaptures,  ///< including en passant
  kEnPassants,
  kCastles,
  kPromotions,
  kDirectChecks,  ///< checks that are not mate, one statistic for each CheckKind
  kDiscoveredChecks,
  kDirectDiscoveredChecks,
  kDoubleDiscoveredChecks,
  kDirectMates,  ///< mates, one statistic for each CheckKind
  kDiscoveredMates,
  kDirectDiscoveredMates,
  kDoubleDiscoveredMates,
};
inline constexpr std::size_t kStatistics = 13;

/// The kinds of checks, in the order of the statistics.
enum class CheckKind : std::uint8_t { kDirect, kDiscovered, kDirectDiscovered, kDoubleDiscovered };
inline constexpr std::size_t kCheckKinds = 4;

/// Names of the statistics in JSON and CSV.
inline constexpr std::array<std::string_view, kStatistics> kStatisticNames{
    "nodes",
    "captures",
    "en_passants",
    "castles",
    "promotions",
    "direct_checks",
    "discovered_checks",
    "direct_discovered_checks",
    "double_discovered_checks",
    "direct_mates",
    "discovered_mates",
    "direct_discovered_mates",
    "double_discovered_mates"};

/// One number for each statistic.
template <typename Count>
struct StatisticsOf {
  std::array<Count, kStatistics> counts{};

  [[nodiscard]] constexpr const Count& operator[](Statistic which) const {
    return counts[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] constexpr Count& operator[](Statistic which) {
    return counts[static_cast<std::size_t>(which)];
  }
  /// Returns the sum over all kinds of checks, without mates. Tables of other programs may include
  /// mates.
  [[nodiscard]] constexpr Count checks() const { return sum_of_kinds(Statistic::kDirectChecks); }
  [[nodiscard]] constexpr Count mates() const { return sum_of_kinds(Statistic::kDirectMates); }

  friend constexpr bool operator==(const StatisticsOf&, const StatisticsOf&) = default;

 private:
  [[nodiscard]] constexpr Count sum_of_kinds(Statistic first) const {
    Count sum{};
    for (std::size_t kind = 0; kind < kCheckKinds; ++kind) {
      sum += counts[static_cast<std::size_t>(first) + kind];
    }
    return sum;
  }
};

/// Statistics of one subtree.
using MoveStatistics = StatisticsOf<std::uint64_t>;
/// Statistics of a whole job.
using StatisticTotals = StatisticsOf<NodeCount>;

/// Adds `more` to `sum`. Throws CountOverflow if the number of nodes exceeds 64 bits. The other
/// statistics cannot overflow, because none can be larger than the number of nodes.
inline void add_checked(MoveStatistics& sum, const MoveStatistics& more) {
  auto& nodes = sum.counts[0];
  if (__builtin_add_overflow(nodes, more.counts[0], &nodes)) throw CountOverflow();
  for (std::size_t i = 1; i < kStatistics; ++i) sum.counts[i] += more.counts[i];
}

/// Adds `unit`, multiplied by `times`, to `sum`. Throws CountOverflow above 128 bits.
inline void add_multiple(StatisticTotals& sum, const MoveStatistics& unit, NodeCount times) {
  for (std::size_t i = 0; i < kStatistics; ++i) sum.counts[i] += times * NodeCount(unit.counts[i]);
}

/// The statistics functions of one kernel. Immutable. Any thread may call them. All boards of a
/// call must have the same side to move.
struct StatisticsKernel {
  /// For each of `count` boards, adds the statistics of its moves to the element of `sums` with the
  /// same index.
  void (*add_moves)(const Board* boards, std::size_t count, MoveStatistics* sums);
  /// For each of `count` boards, adds the statistics of all moves of its children to the element of
  /// `sums` with the same index. Returns the number of children of all boards.
  std::uint64_t (*add_two_plies)(const Board* boards, std::size_t count, MoveStatistics* sums);
};

/// Returns the statistics of a single legal move. Slow.
MoveStatistics statistics_of(const Board& board, Move move);

}  // namespace manyply
