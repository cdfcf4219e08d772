// Compares the key that hashed counting computes for each child before it makes the move with the
// key computed from scratch from the board after the move.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/position.h"
#include "hash/hashed_kernel.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

/// Number of checks for each kind of move, and for other cases that a key must handle.
struct Seen {
  std::array<std::uint64_t, 8> kinds{};
  std::uint64_t captures = 0;
  std::uint64_t promotions_by_capture = 0;
  std::uint64_t rights_lost_by_capture = 0;
  std::uint64_t rights_lost_by_move = 0;
  std::uint64_t en_passant_made_possible = 0;
  std::uint64_t double_pushes_beside_a_pawn_in_vain = 0;
};

void note(const Board& board, Move move, const Board& child, Seen& seen) {
  const Board& b = board;
  const Pieces& them = b.of(~b.side_to_move);
  const Bitboard to = bit(move.to());
  const bool capture = move.kind() != MoveKind::kCastling && (them.all() & to) != 0;
  ++seen.kinds[static_cast<std::size_t>(move.kind())];
  seen.captures += capture;
  seen.promotions_by_capture += capture && move.is_promotion();
  seen.rights_lost_by_capture += (b.castling & to & them.all()) != 0;
  seen.rights_lost_by_move += (b.castling & ~child.castling & ~them.all()) != 0;
  seen.en_passant_made_possible += child.en_passant != 0;
  const Bitboard beside = (to & ~kFileA) >> 1 | (to & ~kFileH) << 1;
  seen.double_pushes_beside_a_pawn_in_vain +=
      move.kind() == MoveKind::kDoublePush && child.en_passant == 0 && (beside & them.pawns) != 0;
}

std::string describe(const Position& position, Move move) {
  return to_fen(position, CastlingNotation::kChess960) + " " +
         to_uci(move, CastlingNotation::kChess960);
}

/// Lists the children of `position`, whose incrementally computed key is `key`. They must be the
/// boards after the legal moves, each with its own key.
void check_node(const HashedKernel& kernel, const Position& position, const ZobristKey& key,
                const KeySet& keys, KeyedChildren& children, Seen& seen) {
  kernel.children(position.board(), key, keys, children);
  const MoveList moves = legal_moves(position);
  ASSERT_EQ(children.size, moves.size());
  for (const auto& [board, child_key, move] : children.all()) {
    ASSERT_NE(std::ranges::find(moves, move), moves.end()) << describe(position, move);
    ASSERT_EQ(board, position.after_unchecked(move).board()) << describe(position, move);
    ASSERT_EQ(child_key, keys.key_from_scratch(board)) << describe(position, move);
    note(position.board(), move, board, seen);
  }
}

void check_tree(const HashedKernel& kernel, const Position& position, const ZobristKey& key,
                int depth, const KeySet& keys, Seen& seen) {
  const auto children = std::make_unique<KeyedChildren>();
  check_node(kernel, position, key, keys, *children, seen);
  if (testing::Test::HasFatalFailure() || depth == 1) return;
  for (const auto& child : children->all()) {
    check_tree(kernel, position_unchecked(child.board), child.key, depth - 1, keys, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Plays a random game and checks the children of every position. Updates the key from move to
/// move.
void check_game(const HashedKernel& kernel, std::string_view fen, int plies, const KeySet& keys,
                const Chooser& choose, Seen& seen) {
  const auto parsed = parse_position(fen);
  if (!parsed) return;  // random pieces in which the king could be captured
  Position position = parsed->position;
  ZobristKey key = keys.key_from_scratch(position.board());
  KeyedChildren children;
  for (int ply = 0; ply < plies; ++ply) {
    check_node(kernel, position, key, keys, children, seen);
    if (testing::Test::HasFatalFailure() || children.size == 0) return;
    const KeyedChildren::Child& next = children.items[choose(children.size)];
    position = position_unchecked(next.board);
    key = next.key;
  }
}

void expect_everything_seen(const Seen& seen) {
  for (std::size_t kind = 0; kind < seen.kinds.size(); ++kind)
    EXPECT_GT(seen.kinds[kind], 0U) << "kind of move " << kind;
  EXPECT_GT(seen.captures, 0U);
  EXPECT_GT(seen.promotions_by_capture, 0U);
  EXPECT_GT(seen.rights_lost_by_capture, 0U);
  EXPECT_GT(seen.rights_lost_by_move, 0U);
  EXPECT_GT(seen.en_passant_made_possible, 0U);
  EXPECT_GT(seen.double_pushes_beside_a_pawn_in_vain, 0U);
}

/// One test for each kernel that runs on this machine.
class IncrementalKey : public testing::TestWithParam<const Kernel*> {
 protected:
  static const HashedKernel& kernel() { return hashed_kernel_for(*GetParam()); }
  Seen seen_;
};

INSTANTIATE_TEST_SUITE_P(Each, IncrementalKey, testing::ValuesIn(kernels_here()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(IncrementalKey, IsTheKeyFromScratchAtEveryNodeOfTheSuites) {
  const KeySet keys;
  for (const SuiteCase& suite : load_suites_within(budget(600'000))) {
    const Position& root = suite.record.root.position;
    check_tree(kernel(), root, keys.key_from_scratch(root.board()), suite.expected.depth.plies(),
               keys, seen_);
    ASSERT_FALSE(HasFatalFailure()) << suite.where;
  }
  if (kIsFastBuild) expect_everything_seen(seen_);
}

TEST_P(IncrementalKey, IsTheKeyFromScratchAlongRandomGames) {
  const KeySet keys({.seed = 3});
  const Chooser choose = choose_by_seed(2024);
  const std::uint64_t games = budget(320);
  for (std::uint64_t game = 0; game < games; ++game) {
    check_game(kernel(), kStartFen, 150, keys, choose, seen_);
    check_game(kernel(), chess960_start(static_cast<int>(choose(960))), 150, keys, choose, seen_);
    check_game(kernel(), piece_soup(choose), 60, keys, choose, seen_);
    ASSERT_FALSE(HasFatalFailure());
  }
  if (kIsFastBuild) expect_everything_seen(seen_);
}

TEST_P(IncrementalKey, HoldsForWeakKeysToo) {
  const KeySet keys({.bits = 16});
  const Chooser choose = choose_by_seed(7);
  for (int game = 0; game < 10; ++game) check_game(kernel(), kKiwipeteFen, 80, keys, choose, seen_);
}

TEST_P(IncrementalKey, ABrokenCastlingKeyIsNoticed) {
  KeySet keys;
  keys.break_castling_for_testing();
  const Board root =
      parse_position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").value().position.board();
  KeyedChildren children;
  kernel().children(root, keys.key_from_scratch(root), keys, children);
  int wrong = 0;
  for (const auto& [board, key, move] : children.all()) {
    const bool right = key == keys.key_from_scratch(board);
    EXPECT_EQ(right, move.kind() != MoveKind::kCastling);
    wrong += right ? 0 : 1;
  }
  EXPECT_EQ(wrong, 2);
}

}  // namespace
}  // namespace manyply
