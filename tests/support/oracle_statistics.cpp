#include "tests/support/oracle_statistics.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace manyply::oracle {
namespace {

bool is_piece_of(char piece, bool white) {
  return std::isalpha(piece) != 0 && (std::isupper(piece) != 0) == white;
}

std::ptrdiff_t pieces_of(const Position& position, bool white) {
  return std::ranges::count_if(position.board,
                               [=](char piece) { return is_piece_of(piece, white); });
}

/// Returns the squares of the pieces that attack the king of the side to move. Tests one enemy
/// piece at a time: all others become pawns of the king's colour, which block lines but do not
/// attack.
std::set<Square> checkers(const Position& position) {
  const bool attacker = !position.white_to_move;
  std::set<Square> found;
  for (Square square = 21; square <= 98; ++square) {
    if (!is_piece_of(position[square], attacker)) continue;
    Position alone = position;
    for (Square other = 21; other <= 98; ++other) {
      const char piece = position[other];
      if (other == square || !is_piece_of(piece, attacker) || std::tolower(piece) == 'k') continue;
      alone[other] = attacker ? 'p' : 'P';
    }
    if (in_check(alone)) found.insert(square);
  }
  return found;
}

void add_move(const Position& before, const Move& move, MoveStatistics& sum) {
  const bool white = before.white_to_move;
  const Position next = after(before, move);
  const auto count = [&](Statistic which, bool does) { sum[which] += does ? 1U : 0U; };
  const bool castles = is_piece_of(before[move.to], white);
  const bool captures = pieces_of(next, !white) < pieces_of(before, !white);
  count(Statistic::kNodes, true);
  count(Statistic::kCaptures, captures);
  count(Statistic::kEnPassants, captures && before[move.to] == kEmpty);
  count(Statistic::kCastles, castles);
  count(Statistic::kPromotions, move.promotion != 0);

  std::set<Square> moved{move.to};
  if (castles) {
    const Square a_file = move.from / 10 * 10 + 1;
    moved =
        move.to > move.from ? std::set{a_file + 6, a_file + 5} : std::set{a_file + 2, a_file + 3};
  }
  const std::set<Square> all = checkers(next);
  const auto direct = std::ranges::count_if(all, [&](Square s) { return moved.contains(s); });
  const auto discovered = static_cast<std::ptrdiff_t>(all.size()) - direct;
  const bool mate = !all.empty() && legal_moves(next).empty();
  const auto check = [&](Statistic checks, Statistic mates, bool does) {
    count(mate ? mates : checks, does);
  };
  check(Statistic::kDirectChecks, Statistic::kDirectMates, direct > 0 && discovered == 0);
  check(Statistic::kDiscoveredChecks, Statistic::kDiscoveredMates, direct == 0 && discovered == 1);
  check(Statistic::kDirectDiscoveredChecks, Statistic::kDirectDiscoveredMates,
        direct > 0 && discovered > 0);
  check(Statistic::kDoubleDiscoveredChecks, Statistic::kDoubleDiscoveredMates,
        direct == 0 && discovered > 1);
}

}  // namespace

MoveStatistics statistics(const Position& position, int depth) {
  MoveStatistics sum;
  for (const Move& move : legal_moves(position)) {
    if (depth == 1) {
      add_move(position, move, sum);
    } else {
      add_checked(sum, statistics(after(position, move), depth - 1));
    }
  }
  return sum;
}

}  // namespace manyply::oracle
