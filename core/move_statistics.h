// Move statistics: what kinds of moves the last ply of a perft consists of.
//
// They count the moves of the last ply, as perft counts its leaves. A move may count in several
// columns: a pawn that captures on the last rank and mates is a capture, four promotions (one for
// each piece) and up to four mates.
//
// A check or mate is of exactly one kind, by who attacks the king after the move: the piece that
// moved (direct; of a castling move king and rook have both moved), one piece that did not
// (discovered), both (direct and discovered), or two or more that did not (double discovered:
// possible after en passant and, in Chess960, castling). A mate is not counted among the checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/board.h"
#include "core/kernel.h"
#include "core/node_count.h"

namespace manyply {

enum class Statistic : std::uint8_t {
  kNodes,
  kCaptures,  ///< en passant included
  kEnPassants,
  kCastles,
  kPromotions,
  kDirectChecks,  ///< checks: of moves that give check but not mate, by CheckKind
  kDiscoveredChecks,
  kDirectDiscoveredChecks,
  kDoubleDiscoveredChecks,
  kDirectMates,  ///< mates: by the same kinds
  kDiscoveredMates,
  kDirectDiscoveredMates,
  kDoubleDiscoveredMates,
};
inline constexpr std::size_t kStatistics = 13;

/// In the order of the checks and mates among Statistic.
enum class CheckKind : std::uint8_t { kDirect, kDiscovered, kDirectDiscovered, kDoubleDiscovered };
inline constexpr std::size_t kCheckKinds = 4;

/// Names as in JSON and CSV: "nodes", "captures", "direct_checks".
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

template <typename Count>
struct StatisticsOf {
  std::array<Count, kStatistics> counts{};

  [[nodiscard]] constexpr const Count& operator[](Statistic which) const {
    return counts[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] constexpr Count& operator[](Statistic which) {
    return counts[static_cast<std::size_t>(which)];
  }
  /// All kinds together. Mates are no checks here; a table that counts them as such has the sum.
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

/// Throws CountOverflow when the nodes do not fit 64 bits; no other count exceeds them.
inline void add_checked(MoveStatistics& sum, const MoveStatistics& more) {
  auto& nodes = sum.counts[0];
  if (__builtin_add_overflow(nodes, more.counts[0], &nodes)) throw CountOverflow();
  for (std::size_t i = 1; i < kStatistics; ++i) sum.counts[i] += more.counts[i];
}

/// Throws CountOverflow above 128 bits.
inline void add_multiple(StatisticTotals& sum, const MoveStatistics& unit, NodeCount times) {
  for (std::size_t i = 0; i < kStatistics; ++i) sum.counts[i] += times * NodeCount(unit.counts[i]);
}

/// The functions of one kernel. Immutable; any thread. The boards of a call share one side to move.
struct StatisticsKernel {
  /// Adds the moves of each of `count` boards to the sum in the same place.
  void (*add_moves)(const Board* boards, std::size_t count, MoveStatistics* sums);
  /// Adds the moves of all children of each board, and answers how many children there are.
  std::uint64_t (*add_two_plies)(const Board* boards, std::size_t count, MoveStatistics* sums);
};

/// The one move `move`, which must be legal: for listings by move. Slow.
MoveStatistics statistics_of(const Board& board, Move move);

}  // namespace manyply
