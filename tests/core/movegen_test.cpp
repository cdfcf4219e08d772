// Compares legal_moves(), move statistics, counts of two plies, and every kernel with the oracle.
#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/move_statistics.h"
#include "core/position.h"
#include "tests/support/agreement.h"
#include "tests/support/budget.h"
#include "tests/support/emulated_avx512.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/oracle_statistics.h"
#include "tests/support/plain_vectors.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Returns the legal moves; only those of `kind` if it is given.
std::vector<std::string> moves_of(std::string_view fen, std::optional<MoveKind> kind = {}) {
  const NamedPosition named = parse_position(fen).value();
  std::vector<std::string> texts;
  for (const Move move : legal_moves(named.position)) {
    if (kind.value_or(move.kind()) == move.kind()) texts.push_back(to_uci(move, named.notation));
  }
  return texts;
}
std::vector<std::string> castling_of(std::string_view fen) {
  return moves_of(fen, MoveKind::kCastling);
}

TEST(LegalMoves, OfMatesAndStalemates) {
  EXPECT_THAT(moves_of("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), IsEmpty());
  EXPECT_THAT(moves_of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), IsEmpty());
}

TEST(LegalMoves, InCheckAreTheAnswersToIt) {
  EXPECT_THAT(moves_of("4k3/8/8/8/4r3/8/3P1N2/3QK2R w K - 0 1"),
              UnorderedElementsAre("f2e4", "e1f1", "d1e2"));
  EXPECT_THAT(moves_of("4r1k1/8/8/8/8/5n2/3P4/3QKB2 w - - 0 1"), ElementsAre("e1f2"));
}

TEST(LegalMoves, PromoteToFourPieces) {
  EXPECT_THAT(moves_of("k7/8/8/8/8/8/6p1/K7 b - - 0 1"),
              UnorderedElementsAre("g2g1q", "g2g1r", "g2g1b", "g2g1n", "a8a7", "a8b7", "a8b8"));
}

TEST(LegalMoves, CastleOnlyOverSafeAndEmptySquares) {
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
              UnorderedElementsAre("e1g1", "e1c1"));
  EXPECT_THAT(castling_of("4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1"), ElementsAre("e1c1"));  // f1
  EXPECT_THAT(castling_of("4k3/8/8/8/8/6r1/8/R3K2R w KQ - 0 1"), ElementsAre("e1c1"));  // g1
  EXPECT_THAT(castling_of("4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1"), IsEmpty());            // in check
  EXPECT_THAT(castling_of("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), ElementsAre("e1c1"));    // b1 may be
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1"), IsEmpty());            // blocked
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/R3K2R w - - 0 1"), IsEmpty());               // no right
}

TEST(LegalMoves, CastleInChess960) {
  // From the corner, the rook protects the king, so castling would leave the king in check.
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/qR1K4 w B - 0 1"), IsEmpty());
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1"), ElementsAre("d1b1"));
  // King and rook may be in each other's way. No other piece may be in the way.
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/5KR1 w G - 0 1"), ElementsAre("f1g1"));
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/4NKR1 w G - 0 1"), ElementsAre("f1g1"));
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/1KR2N2 w C - 0 1"), IsEmpty());
}

TEST(LegalMoves, FitTheList) {
  EXPECT_EQ(moves_of("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").size(), 218U);
  // No game can reach this many moves, but the rules allow the position.
  const std::string_view fourteen_queens = "1Q4Q1/4Q3/Q1Q4Q/Q4Q2/3Q4/1Q4Q1/pp2Q3/kBQ2K1Q w - - 0 1";
  EXPECT_EQ(moves_of(fourteen_queens).size(), 239U);
  EXPECT_EQ(oracle::legal_moves(oracle::parse(fourteen_queens)).size(), 239U);
}

struct Games {
  std::uint64_t seed;
  std::uint64_t count;
  int plies;
  int depth;
};

/// Plays random games. `start` returns the first position of each game.
template <typename Start>
void expect_agreement(const Games& games, Start start) {
  const Chooser choose = choose_by_seed(games.seed);
  for (std::uint64_t game = 0; game < games.count; ++game) {
    const std::string fen = start(choose);
    ASSERT_EQ(first_disagreement(fen, choose, games.plies, games.depth), "");
  }
}

std::string any_chess960_start(const Chooser& choose) {
  return chess960_start(static_cast<int>(choose(960)));
}

TEST(AgainstOracle, GamesFromTheStart) {
  expect_agreement({1, budget(64), 80, 2}, [](const Chooser&) { return std::string(kStartFen); });
}

TEST(AgainstOracle, GamesFromKiwipete) {
  expect_agreement({2, budget(64), 40, 2},
                   [](const Chooser&) { return std::string(kKiwipeteFen); });
}

TEST(AgainstOracle, GamesFromChess960Starts) {
  expect_agreement({3, budget(96), 60, 2}, any_chess960_start);
}

TEST(AgainstOracle, PiecesThrownOnTheBoard) {
  expect_agreement({4, budget(6'000), 2, 2}, piece_soup);
}

TEST(AgainstOracle, PiecesThrownOnTheBoardThreePlies) {
  expect_agreement({5, budget(600), 0, 3}, piece_soup);
}

TEST(AgainstOracleSlow, GamesFromTheStart) {
  expect_agreement({6, budget(400), 120, 3}, [](const Chooser&) { return std::string(kStartFen); });
}

TEST(AgainstOracleSlow, GamesFromChess960Starts) {
  expect_agreement({7, budget(400), 120, 3}, any_chess960_start);
}

TEST(AgainstOracleSlow, PiecesThrownOnTheBoard) {
  expect_agreement({8, budget(500'000), 2, 2}, piece_soup);
}

// The comparison must detect differences.
TEST(AgainstOracle, NoticesAnyDifference) {
  const auto disagree = [](std::string_view ours, std::string_view theirs) {
    return disagreement(parse_position(ours).value(), oracle::parse(theirs), 2);
  };
  const std::string_view fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
  EXPECT_EQ(disagree(fen, fen), "");
  EXPECT_NE(disagree(fen, "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1"), "");
  EXPECT_NE(disagree(fen, "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk d6 0 1"), "");
  EXPECT_NE(disagree(fen, "r3k2r/8/8/3pP3/8/8/8/R3K2R w HAha d6 0 1"), "");
  EXPECT_NE(disagree("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"), "");
}

/// Returns the kernels that run here, and two kernels with emulated vectors, which run on any
/// machine.
std::vector<const Kernel*> kernels() {
  std::vector<const Kernel*> list = kernels_here();
  list.push_back(&plain_vector_kernel());
  if (emulated_avx512() != nullptr) list.push_back(emulated_avx512());
  return list;
}

MoveStatistics one_ply(const Board& board) {
  MoveStatistics sum;
  best_kernel().statistics.add_moves(&board, 1, &sum);
  return sum;
}

/// Compares all kernels with the oracle, on batches of up to 40 positions.
class StatisticsComparison {
 public:
  void add(const Board& board, const oracle::Position& position) {
    const MoveStatistics expected = oracle::statistics(position, 1);
    Batch& batch = batches_[board.side_to_move == Color::kWhite ? 0 : 1];
    batch.boards.push_back(board);
    batch.expected.push_back(expected);
    for (std::size_t c = 0; c < kStatistics; ++c) kinds_ |= expected.counts[c] != 0 ? 1U << c : 0U;
    if (batch.boards.size() < batch_size_) return;
    compare(batch);
    batch_size_ = batch_size_ % 40 + 1;
  }
  void finish() {
    for (Batch& batch : batches_) compare(batch);
  }
  /// Returns one bit for each column that occurred.
  [[nodiscard]] unsigned kinds() const { return kinds_; }

 private:
  struct Batch {
    std::vector<Board> boards;
    std::vector<MoveStatistics> expected;
  };

  void compare(Batch& batch) {
    for (const Kernel* kernel : kernels_) {
      std::vector<MoveStatistics> sums(batch.boards.size());
      kernel->statistics.add_moves(batch.boards.data(), sums.size(), sums.data());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(sums[i], batch.expected[i])
            << kernel->name << ": "
            << to_fen(position_unchecked(batch.boards[i]), CastlingNotation::kChess960);
      }
    }
    batch = {};
  }

  const std::vector<const Kernel*> kernels_ = kernels();
  std::array<Batch, 2> batches_;  // by side to move
  std::size_t batch_size_ = 1;
  unsigned kinds_ = 0;
};

/// Compares the statistics of every kernel with the oracle's, for one ply and for two plies. For
/// one ply, also compares the sum over single moves.
void expect_as_oracle(const std::string& fen) {
  const Position position = parse_position(fen).value().position;
  const Board& board = position.board();
  const MoveStatistics expected = oracle::statistics(oracle::parse(fen), 1);
  MoveStatistics by_move;
  for (const Move move : legal_moves(position)) add_checked(by_move, statistics_of(board, move));
  EXPECT_EQ(by_move, expected) << fen;
  const MoveStatistics both = oracle::statistics(oracle::parse(fen), 2);
  for (const Kernel* kernel : kernels()) {
    MoveStatistics one;
    kernel->statistics.add_moves(&board, 1, &one);
    EXPECT_EQ(one, expected) << kernel->name << ' ' << fen;
    const std::array<Board, 2> twice{board, board};
    std::array<MoveStatistics, 2> sums;
    EXPECT_EQ(kernel->statistics.add_two_plies(twice.data(), 2, sums.data()),
              2 * expected[Statistic::kNodes])
        << fen;
    for (const MoveStatistics& sum : sums) EXPECT_EQ(sum, both) << kernel->name << ' ' << fen;
  }
}

/// A position and the column for which it was made. This column must not be empty.
struct Case {
  const char* fen;
  Statistic which;
  std::uint64_t count;
};

TEST(MoveStatistics, KindsThatGamesSeldomShow) {
  const Case cases[] = {
      // En passant opens the rank or a diagonal of the captured pawn.
      {"8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", Statistic::kDiscoveredChecks, 1},
      {"8/6k1/8/3pP3/8/8/1B6/4K3 w - d6 0 1", Statistic::kDiscoveredChecks, 2},
      // The capturing and the captured pawn both leave a line.
      {"8/8/2k5/2Pp4/8/8/8/K1R4B w - d6 0 1", Statistic::kDoubleDiscoveredChecks, 1},
      {"7k/8/8/3pP3/8/2B5/8/K7 w - d6 0 1", Statistic::kDiscoveredChecks, 2},
      {"k7/8/8/3pP3/8/8/6B1/K7 w - d6 0 1", Statistic::kDiscoveredChecks, 1},
      // Promotions that discover a check, check backwards along the pawn's file, or both.
      {"8/4P3/8/4k3/8/8/8/4K3 w - - 0 1", Statistic::kDirectChecks, 2},
      {"3r4/R3P2k/8/8/8/8/8/4K3 w - - 0 1", Statistic::kDiscoveredChecks, 8},
      // Castling in which the rook checks or mates.
      {"5k2/8/8/8/8/8/8/4K2R w K - 0 1", Statistic::kDirectChecks, 3},
      {"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", Statistic::kDirectChecks, 3},
      // Chess960: in castling, both pieces have moved.
      {"8/8/8/8/8/8/8/Q1RK3k w C - 0 1", Statistic::kDirectChecks, 3},
      // The king moves off the line, which discovers a check, or along the line, which does not.
      {"k7/8/8/8/K7/8/8/R7 w - - 0 1", Statistic::kDiscoveredChecks, 3},
      // A double step that would mate if there were no capture en passant.
      {"8/8/8/8/1pk5/8/P7/K7 w - - 0 1", Statistic::kNodes, 4},
      // The knight leaves the line and also gives check itself.
      {"4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", Statistic::kDirectDiscoveredChecks, 2},
  };
  for (const auto& [fen, which, count] : cases) {
    expect_as_oracle(fen);
    EXPECT_EQ(one_ply(parse_position(fen).value().position.board())[which], count) << fen;
  }
}

TEST(MoveStatistics, MatesOfEachKindAreNoChecks) {
  expect_as_oracle("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");  // on the back rank
  expect_as_oracle("6rk/6pp/7N/8/8/8/8/K7 w - - 0 1");    // smothered
  const MoveStatistics sum =
      one_ply(parse_position("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").value().position.board());
  EXPECT_EQ(sum.mates(), 1U);
  EXPECT_EQ(sum.checks(), 0U);
}

/// In each position a move mates, although the other side seems to have a defence.
TEST(MoveStatistics, MatesThatNobodyCanAnswer) {
  for (const char* fen : {
           "3r2k1/5ppp/8/8/8/8/8/3R3K w - - 0 1",      // the piece that could block was captured
           "8/p7/6R1/8/k7/8/8/1R5K w - - 0 1",         // a double push ends at the checker
           "6k1/6pp/4n1P1/8/8/8/B7/1R5K w - - 0 1",    // pinned along a diagonal: a knight,
           "6k1/6pp/4r1P1/8/8/8/B7/1R5K w - - 0 1",    // a rook,
           "1k6/pp6/1P1n4/8/8/8/7B/K5R1 w - - 0 1",    // a knight on the other diagonal
           "4k3/3p1p2/4n3/8/1B6/8/8/R3R2K w - - 0 1",  // and on a file,
           "6k1/5p2/8/8/2B5/B2Q4/8/K6R w - - 0 1",     // a pawn that would take
       }) {
    EXPECT_GT(one_ply(parse_position(fen).value().position.board()).mates(), 0U) << fen;
    expect_as_oracle(fen);
  }
}

TEST(MoveStatistics, ClassicPositions) {
  for (const char* fen :
       {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"}) {
    expect_as_oracle(fen);
  }
}

TEST(MoveStatistics, Chess960Starts) {
  for (int number = 0; number < 960; number += 97) expect_as_oracle(chess960_start(number));
}

/// Plays a random game of up to `plies` moves, and compares each position.
void play(StatisticsComparison& comparison, const std::string& fen, std::size_t plies,
          const Chooser& choose) {
  const auto start = parse_position(fen);
  if (!start) return;
  Board board = start->position.board();
  for (;; --plies) {
    const Position position = position_unchecked(board);
    comparison.add(board, oracle::parse(to_fen(position, CastlingNotation::kChess960)));
    const MoveList moves = legal_moves(position);
    if (::testing::Test::HasFatalFailure() || plies == 0 || moves.empty()) return;
    board = best_kernel().make_unchecked(board, moves[choose(moves.size())]);
  }
}

TEST(MoveStatistics, RandomGames) {
  const Chooser choose = choose_by_seed(7'204);
  StatisticsComparison comparison;
  for (std::uint64_t i = 0; i < budget(32); ++i) {
    play(comparison, chess960_start(518), 120, choose);
    play(comparison, std::string(kKiwipeteFen), 80, choose);
    play(comparison, chess960_start(static_cast<int>(choose(960))), 80, choose);
  }
  comparison.finish();
}

unsigned kinds_of_pieces_thrown_on_the_board(std::uint64_t times) {
  const Chooser choose = choose_by_seed(20'251);
  StatisticsComparison comparison;
  for (std::uint64_t i = 0; i < times; ++i) play(comparison, piece_soup(choose), choose(4), choose);
  comparison.finish();
  return comparison.kinds();
}

TEST(MoveStatistics, PiecesThrownOnTheBoard) {
  const unsigned kinds = kinds_of_pieces_thrown_on_the_board(budget(4'000));
  if (budget(4'000) == 4'000) {
    EXPECT_EQ(kinds & 0x2FFU, 0x2FFU);
  }
}

TEST(MoveStatisticsSlow, PiecesThrownOnTheBoard) {
  // All kinds except double discovered checks, which do not occur in so small a sample.
  EXPECT_EQ(kinds_of_pieces_thrown_on_the_board(100'000) & 0xEFFU, 0xEFFU);
}

/// No legal move leads to such a position, but a user may type it.
TEST(MoveStatistics, KingsInCheckFromBothSidesOfALine) {
  expect_as_oracle("2qKq3/8/5q2/8/6q1/k5q1/2Q3q1/2qq3q w - - 0 1");
  expect_as_oracle("4n1n1/6r1/1r6/1Q5Q/3nn1n1/B6R/1n1R2Q1/Rk2RRK1 b A - 0 1");
}

/// Statistics make no child positions. Still, a knight or rook that the first ply captures must not
/// move at the second.
TEST(MoveStatistics, TakenPiecesMoveNoMore) {
  expect_as_oracle("4k3/8/8/n2n2n1/8/8/8/R2RK1R1 w - - 0 1");
  expect_as_oracle("4k2r/8/8/8/3B4/8/8/4K3 w k - 0 1");
}

TEST(MoveStatistics, RooksThatShieldTheKingDoNotCastle) {
  expect_as_oracle("4k3/8/8/8/8/8/8/rRK5 w B - 0 1");
}

TEST(MoveStatistics, SumsAreChecked) {
  MoveStatistics sum;
  sum[Statistic::kNodes] = UINT64_MAX;
  MoveStatistics one;
  one[Statistic::kNodes] = 1;
  EXPECT_THROW(add_checked(sum, one), CountOverflow);
  sum[Statistic::kNodes] = UINT64_MAX;
  StatisticTotals total;
  add_multiple(total, sum, NodeCount(UINT64_MAX));
  EXPECT_THROW(add_multiple(total, sum, NodeCount::from_words(1, 0) + NodeCount(2)), CountOverflow);
}

// Compares every kernel that runs here with the oracle, at each position of random games and random
// placements: the legal moves, the boards after them, perft(1) and perft(2). Each shard is a
// separate test, so that shards run at the same time.

/// A move in a form for both the library and the oracle: squares from 0 to 63, promotion as a
/// letter or 0.
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
    // Kernels with emulated vectors, which run on any machine.
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
      return position[m.to] == (position.white_to_move ? 'R' : 'r');  // castling
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

/// In games, positions with eight moves to one square are rare.
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
