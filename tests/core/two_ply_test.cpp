// Compares every kernel that runs here with the oracle, at each position of random games and random
// placements: the legal moves, the boards after them, perft(1) and perft(2). Each shard is a
// separate test, so that shards run at the same time.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/position.h"
#include "tests/support/budget.h"
#include "tests/support/emulated_avx512.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/plain_vectors.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

/// A move in a form that both sides share: squares from 0 to 63, promotion as a letter or 0.
using PlainMove = std::tuple<int, int, char>;

PlainMove plain(const Move& move) {
  constexpr std::array<char, 5> kLetters{0, 'n', 'b', 'r', 'q'};
  return {index(move.from()), index(move.to()),
          move.is_promotion() ? kLetters.at(static_cast<std::size_t>(move.promoted_to())) : '\0'};
}

PlainMove plain(const oracle::Move& move) {
  const auto square = [](oracle::Square s) { return (s / 10 - 2) * 8 + s % 10 - 1; };
  return {square(move.from), square(move.to), move.promotion};
}

template <typename Moves>
auto sorted(const Moves& moves) {
  std::vector<PlainMove> result;
  for (const auto& move : moves) result.push_back(plain(move));
  std::ranges::sort(result);
  return result;
}

/// Returns whether a piece of the side to move is pinned, in a position without check.
bool has_pin(oracle::Position position) {
  for (char& piece : position.board) {
    const bool is_own =
        position.white_to_move ? piece >= 'A' && piece <= 'Z' : piece >= 'a' && piece <= 'z';
    if (!is_own || piece == 'k' || piece == 'K') continue;
    const char lifted = std::exchange(piece, oracle::kEmpty);
    if (oracle::in_check(position)) return true;
    piece = lifted;
  }
  return false;
}

/// Returns a hash that is equal for equal boards. A collision only means that a board is not
/// tested.
std::uint64_t fingerprint(const Board& board) {
  std::uint64_t hash = index(board.side_to_move) == 0 ? 0 : 1;
  const auto mix = [&hash](Bitboard bits) {
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  };
  for (const Pieces& pieces : board.pieces) {
    for (const Bitboard bits :
         {pieces.pawns, pieces.knights, pieces.bishops_queens, pieces.rooks_queens, pieces.king})
      mix(bits);
  }
  mix(board.castling);
  mix(board.en_passant);
  return hash;
}

/// Numbers of compared positions; `in_check` and the following members count positions of one kind.
struct Tally {
  std::uint64_t positions = 0;
  std::uint64_t leaves = 0;
  std::uint64_t in_check = 0;
  std::uint64_t pins = 0;
  std::uint64_t promotions = 0;
  std::uint64_t castling = 0;
  std::uint64_t en_passant = 0;
};

/// Compares all kernels with the oracle. Counts perft(2) in batches of each size up to 40.
class Comparison {
 public:
  Comparison() {
    kernels_.push_back(&scalar_kernel());
    // Kernels whose vectors this machine may not support: they are emulated.
    kernels_.push_back(&plain_vector_kernel());
    if (emulated_avx512() != nullptr) kernels_.push_back(emulated_avx512());
  }

  /// Compares at `board`, unless it was compared before, and plays up to `plies` moves from there.
  void play(Board board, oracle::Position position, std::size_t plies, const Chooser& choose) {
    for (;; --plies) {
      const std::vector<oracle::Move> moves = oracle::legal_moves(position);
      const MoveList ours = moves_of(board);
      ASSERT_EQ(sorted(ours), sorted(moves)) << fen(board);
      if (seen_.insert(fingerprint(board)).second) add(board, position, moves);
      if (::testing::Test::HasFatalFailure() || plies == 0 || moves.empty()) return;

      const Move move = ours[choose(ours.size())];
      position = oracle::after(position, *std::ranges::find_if(moves, [&](const auto& other) {
                                 return plain(other) == plain(move);
                               }));
      const Board before = board;
      board = kernels_.front()->make_unchecked(before, move);
      for (const Kernel* kernel : kernels_) {
        ASSERT_TRUE(kernel->make_unchecked(before, move) == board)
            << kernel->name << ": " << fen(before) << ", "
            << to_uci(move, CastlingNotation::kChess960);
      }
    }
  }

  void finish() {
    for (auto& batch : batches_) compare_two_plies(batch);
  }

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] std::string kernel_names() const {
    std::string names;
    for (const Kernel* kernel : kernels_) names += std::string(kernel->name) + " ";
    return names;
  }

 private:
  struct Batch {
    std::vector<Board> boards;
    std::vector<std::uint32_t> leaves;  ///< the oracle's counts
    std::uint64_t children = 0;         ///< the oracle's sum over all boards
  };

  static std::string fen(const Board& board) {
    return to_fen(position_unchecked(board), CastlingNotation::kChess960);
  }

  /// Returns the moves of the first kernel. Checks that all other kernels list the same moves in
  /// the same order.
  MoveList moves_of(const Board& board) const {
    MoveList first;
    kernels_.front()->generate(board, first);
    for (const Kernel* kernel : kernels_) {
      MoveList moves;
      kernel->generate(board, moves);
      EXPECT_TRUE(std::ranges::equal(moves, first)) << kernel->name << ": " << fen(board);
    }
    return first;
  }

  void add(const Board& board, const oracle::Position& position,
           const std::vector<oracle::Move>& moves) {
    CountStats stats;
    for (const Kernel* kernel : kernels_)
      ASSERT_EQ(kernel->count(board, 1, {}, stats), moves.size()) << kernel->name << fen(board);

    std::uint64_t leaves = 0;
    for (const oracle::Move& move : moves)
      leaves += oracle::count_legal_moves(oracle::after(position, move));
    take_down(position, moves, leaves);

    Batch& batch = batches_[board.side_to_move == Color::kWhite ? 0 : 1];
    batch.boards.push_back(board);
    batch.leaves.push_back(static_cast<std::uint32_t>(leaves));
    batch.children += moves.size();
    if (batch.boards.size() < batch_size_) return;
    compare_two_plies(batch);
    batch_size_ = batch_size_ % 40 + 1;
  }

  void compare_two_plies(Batch& batch) {
    std::vector<std::uint32_t> leaves(batch.boards.size());
    ASSERT_LE(leaves.size(), BoardLanes::kRoom);
    BoardLanes lanes;
    for (std::size_t i = 0; i < leaves.size(); ++i) lanes.put(i, batch.boards[i]);
    for (const Kernel* kernel : kernels_) {
      const auto compare = [&](std::uint64_t children) {
        ASSERT_EQ(children, batch.children) << kernel->name << ": " << fen(batch.boards.front());
        for (std::size_t i = 0; i < leaves.size(); ++i)
          ASSERT_EQ(leaves[i], batch.leaves[i]) << kernel->name << ": " << fen(batch.boards[i]);
      };
      compare(kernel->count_two_plies(batch.boards.data(), leaves.size(), leaves.data()));
      compare(kernel->count_two_plies_in_lanes(lanes, leaves.size(), leaves.data()));
    }
    batch = {};
  }

  void take_down(const oracle::Position& position, const std::vector<oracle::Move>& moves,
                 std::uint64_t leaves) {
    ++tally_.positions;
    tally_.leaves += leaves;
    if (oracle::in_check(position)) {
      ++tally_.in_check;
    } else if (has_pin(position)) {
      ++tally_.pins;
    }
    const auto any = [&](auto is_special) {
      return std::ranges::any_of(moves, is_special) ? 1U : 0U;
    };
    tally_.promotions += any([](const oracle::Move& m) { return m.promotion != 0; });
    tally_.castling += any([&](const oracle::Move& m) {
      return position[m.to] == (position.white_to_move ? 'R' : 'r');  // it captures its own rook
    });
    tally_.en_passant += any([&](const oracle::Move& m) {
      return m.to == position.en_passant && (position[m.from] | 0x20) == 'p';
    });
  }

  std::vector<const Kernel*> kernels_ = kernels_here();
  std::unordered_set<std::uint64_t> seen_;
  std::array<Batch, 2> batches_;  // by side to move
  std::size_t batch_size_ = 1;
  Tally tally_;
};

void compare_positions(std::uint64_t positions, std::uint64_t seed) {
  const Chooser choose = choose_by_seed(seed);
  Comparison comparison;
  const auto play_from = [&](const std::string& fen, std::size_t plies) {
    if (const auto named = parse_position(fen))
      comparison.play(named->position.board(), oracle::parse(fen), plies, choose);
  };
  while (comparison.tally().positions < positions && !::testing::Test::HasFailure()) {
    play_from(std::string(kStartFen), 150);
    play_from(std::string(kKiwipeteFen), 80);
    play_from(chess960_start(static_cast<int>(choose(960))), 80);
    // Few of these placements are legal.
    for (int i = 0; i < 80; ++i) play_from(piece_soup(choose), choose(16));
  }
  comparison.finish();

  const Tally& tally = comparison.tally();
  std::cout << tally.positions << " different positions, each by the oracle and "
            << comparison.kernel_names() << "(" << tally.leaves << " leaves at two plies; "
            << tally.in_check << " positions in check, " << tally.pins << " others with pins, "
            << tally.promotions << " with promotions, " << tally.castling << " with castling, "
            << tally.en_passant << " with en passant)\n";
  if (tally.positions < 5'000) return;  // too few to expect every kind of position
  EXPECT_GT(tally.in_check, tally.positions / 20);
  EXPECT_GT(tally.pins, tally.positions / 20);
  EXPECT_GT(tally.promotions, tally.positions / 20);
  EXPECT_GT(tally.castling, tally.positions / 50);
  EXPECT_GT(tally.en_passant, tally.positions / 500);
}

class TwoPly : public ::testing::TestWithParam<std::uint64_t> {};
class TwoPlySlow : public TwoPly {};

constexpr std::uint64_t kShards = 4;
constexpr std::uint64_t kSlowShards = 8;

TEST_P(TwoPly, AgreesWithTheOracle) { compare_positions(budget(250'000) / kShards, GetParam()); }
INSTANTIATE_TEST_SUITE_P(Shard, TwoPly, ::testing::Range(std::uint64_t{0}, kShards));

TEST_P(TwoPlySlow, AgreesWithTheOracle) {
  compare_positions(10'000'000 / kSlowShards, 100 + GetParam());
}
INSTANTIATE_TEST_SUITE_P(Shard, TwoPlySlow, ::testing::Range(std::uint64_t{0}, kSlowShards));

/// Sums of arrivals are rarely this large in games.
TEST(TwoPlyCases, EightMovesToOneSquare) {
  const std::string eight_knights = "7k/8/2N1N3/1N2pN2/8/1N3N2/2N1N3/7K w - - 0 1";
  Comparison comparison;
  comparison.play(parse_position(eight_knights)->position.board(), oracle::parse(eight_knights), 0,
                  choose_by_seed(0));
  comparison.finish();
  EXPECT_EQ(comparison.tally().positions, 1U);
}

}  // namespace
}  // namespace manyply
