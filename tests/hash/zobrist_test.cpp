// Tests keys, from scratch and by one move, and fingerprints.
#include "hash/zobrist.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "core/fen.h"
#include "core/position.h"
#include "hash/fingerprint.h"
#include "hash/hashed_kernel.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/position_at.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

/// Returns all words that a key can contain, except those of depths. Queens have no separate words.
std::vector<ZobristKey> independent_words(const KeySet& keys) {
  std::vector<ZobristKey> words;
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    for (const KeyKind kind :
         {KeyKind::kPawn, KeyKind::kKnight, KeyKind::kBishop, KeyKind::kRook, KeyKind::kKing}) {
      const auto& squares = keys.pieces(color, kind);
      words.insert(words.end(), squares.begin(), squares.end());
    }
  }
  for (int square = 0; square < kSquares; ++square) words.push_back(keys.castling(square));
  for (int file = 0; file < 8; ++file) words.push_back(keys.en_passant(file));
  words.push_back(keys.black_to_move());
  return words;
}

/// Returns the rank of `words` over GF(2): log2 of the number of values that XORs of them can have.
int rank_of(std::vector<ZobristKey> words) {
  int rank = 0;
  for (int column = 0; column < 128; ++column) {
    const auto has_bit = [&](const ZobristKey& word) {
      return ((column < 64 ? word.low : word.high) >> (column % 64) & 1) != 0;
    };
    const auto pivot = std::find_if(words.begin() + rank, words.end(), has_bit);
    if (pivot == words.end()) continue;
    std::iter_swap(words.begin() + rank, pivot);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i != static_cast<std::size_t>(rank) && has_bit(words[i]))
        words[i] ^= words[static_cast<std::size_t>(rank)];
    }
    ++rank;
  }
  return rank;
}

TEST(Zobrist, WordsFollowFromTheSeedAlone) {
  EXPECT_EQ(independent_words(KeySet()),
            independent_words(KeySet({.seed = KeySpec::kDefaultSeed})));
  EXPECT_NE(independent_words(KeySet()), independent_words(KeySet({.seed = 1})));
  // A seed that a user reports must give the same keys everywhere.
  EXPECT_EQ(KeySet().key_from_scratch(Position().board()),
            (ZobristKey{0x087244e58c8d9d89, 0x071402dffee6f84d}));
}

TEST(Zobrist, NoWordTwice) {
  const std::vector<ZobristKey> words = independent_words(KeySet());
  std::set<std::uint64_t> halves;
  for (const ZobristKey& word : words) {
    halves.insert(word.low);
    halves.insert(word.high);
  }
  EXPECT_EQ(halves.size(), 2 * words.size());
  EXPECT_FALSE(halves.contains(0));
}

TEST(Zobrist, DepthsHaveWordsOfTheirOwn) {
  const KeySet keys;
  std::set<ZobristKey> words;
  for (int depth = 0; depth <= Depth::kMax; ++depth) words.insert(keys.depth(depth));
  EXPECT_EQ(words.size(), Depth::kMax + 1U);
}

TEST(Zobrist, AQueenIsBishopAndRook) {
  const KeySet keys;
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    for (std::size_t s = 0; s < kSquares; ++s) {
      EXPECT_EQ(keys.pieces(color, KeyKind::kQueen)[s],
                keys.pieces(color, KeyKind::kBishop)[s] ^ keys.pieces(color, KeyKind::kRook)[s]);
    }
  }
  const auto without_kings = [&](std::string_view fen) {
    return keys.key_from_scratch(board_at(fen)) ^
           keys.key_from_scratch(board_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
  };
  EXPECT_EQ(without_kings("4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1"),
            keys.pieces(Color::kWhite, KeyKind::kQueen)[27]);
  EXPECT_EQ(without_kings("4k3/8/8/3q4/8/8/8/4K3 w - - 0 1"),
            keys.pieces(Color::kBlack, KeyKind::kQueen)[35]);
}

TEST(Zobrist, TheKeyIsTheXorOfWhatTheBoardHolds) {
  const KeySet keys;
  const auto word = [&](Color color, KeyKind kind, Square square) {
    return keys.pieces(color, kind)[static_cast<std::size_t>(index(square))];
  };
  const ZobristKey kings = word(Color::kWhite, KeyKind::kKing, Square::kE1) ^
                           word(Color::kBlack, KeyKind::kKing, Square::kE8);
  EXPECT_EQ(keys.key_from_scratch(board_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1")), kings);
  EXPECT_EQ(keys.key_from_scratch(board_at("4k3/8/8/8/8/8/8/4K3 b - - 0 1")),
            kings ^ keys.black_to_move());
  EXPECT_EQ(keys.key_from_scratch(board_at("4k2r/8/8/8/1N6/8/8/4K3 b k - 0 1")),
            kings ^ keys.black_to_move() ^ word(Color::kWhite, KeyKind::kKnight, Square::kB4) ^
                word(Color::kBlack, KeyKind::kRook, Square::kH8) ^
                keys.castling(index(Square::kH8)));
  EXPECT_EQ(keys.key_from_scratch(board_at("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")),
            kings ^ word(Color::kWhite, KeyKind::kPawn, Square::kE5) ^
                word(Color::kBlack, KeyKind::kPawn, Square::kD5) ^ keys.en_passant(3));
}

TEST(Zobrist, EnPassantCountsOnlyWhereACaptureIsLegal) {
  const KeySet keys;
  struct Case {
    std::string_view with;
    std::string_view without;
    bool differ;
  };
  const Case cases[] = {
      {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", true},
      {"4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", "4k3/8/8/8/3Pp3/8/8/4K3 b - - 0 1", true},
      // no pawn can capture
      {"4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", false},
      // the next square in the board's word is on another rank, not beside the pawn
      {"4k3/8/8/p7/7P/8/8/4K3 b - h3 0 1", "4k3/8/8/p7/7P/8/8/4K3 b - - 0 1", false},
      // capturer pinned on the file; on the diagonal that it captures along
      {"4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 1", false},
      {"6k1/1b6/8/2pP4/4K3/8/8/8 w - c6 0 1", "6k1/1b6/8/2pP4/4K3/8/8/8 w - - 0 1", true},
      // both pawns leave the king's rank
      {"4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1", "4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1", false},
      // the captured pawn gives check
      {"8/8/8/3pP3/4K3/8/8/7k w - d6 0 1", "8/8/8/3pP3/4K3/8/8/7k w - - 0 1", true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(keys.key_from_scratch(board_at(c.with)) != keys.key_from_scratch(board_at(c.without)),
              c.differ)
        << c.with;
  }
}

TEST(Zobrist, CastlingCountsOnlyWhileKingAndRookStandAtHome) {
  const KeySet keys;
  // The rook leaves and returns: the right is lost for ever, and the key must show that.
  Position position = parse_position("4k3/7p/8/8/8/8/8/4K2R w K - 0 1").value().position;
  const Position before = position;
  for (const std::string_view move : {"h1g1", "e8d8", "g1h1", "d8e8"}) {
    position =
        position.after_unchecked(parse_uci(position, move, CastlingNotation::kStandard).value());
  }
  EXPECT_EQ(keys.key_from_scratch(before.board()) ^ keys.castling(index(Square::kH1)),
            keys.key_from_scratch(position.board()));
}

TEST(Zobrist, WeakKeysSpanTwoToTheirBits) {
  for (const int bits : {8, 16, 24, 40, 63, 64, 65, 72, 100, 104, 105, 110, 127, 128}) {
    EXPECT_EQ(rank_of(independent_words(KeySet({.bits = bits}))), bits);
  }
}

TEST(Zobrist, WeakKeysTakeEveryValueThereIs) {
  const KeySet keys({.bits = 8});
  std::set<ZobristKey> seen;
  const Chooser choose = choose_by_seed(1);
  for (int i = 0; i < 100'000 && seen.size() < 256; ++i) {
    if (const auto parsed = parse_position(piece_soup(choose)))
      seen.insert(keys.key_from_scratch(parsed->position.board()));
  }
  EXPECT_EQ(seen.size(), 256U);
}

// The parts of keys that tables compare and use as indices must differ as often as whole keys.
TEST(Zobrist, WeakKeysOfUpTo64BitsAreAllTag) {
  for (const int bits : {8, 24, 40, 64}) {
    std::vector<ZobristKey> tags = independent_words(KeySet({.bits = bits}));
    for (ZobristKey& word : tags) word.low = 0;
    EXPECT_EQ(rank_of(tags), bits);
  }
}

TEST(Zobrist, WeakKeysChooseBuckets) {
  std::vector<ZobristKey> words = independent_words(KeySet({.bits = 24}));
  for (ZobristKey& word : words) word = {word.low >> 40, 0};
  EXPECT_EQ(rank_of(words), 24) << "the upper bits of low, which are the index";
}

TEST(Zobrist, BitsOutOfRangeAreABug) {
  EXPECT_THROW(KeySet({.bits = KeySpec::kMinBits - 1}), BugError);
  EXPECT_THROW(KeySet({.bits = KeySpec::kMaxBits + 1}), BugError);
}

// Compares the key that hashed counting computes for each child before it makes the move with the
// key computed from scratch from the board after the move.

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

/// Returns the number of distinct positions at `plies`; it must be the same by fingerprint and by
/// board.
std::size_t distinct_positions(const Position& root, int plies) {
  std::map<Hash128, Board> level{{fingerprint(root.board()), root.board()}};
  for (int ply = 0; ply < plies; ++ply) {
    std::map<Hash128, Board> next;
    for (const auto& [print, board] : level) {
      const Position position = position_unchecked(board);
      for (const Move move : legal_moves(position)) {
        const Board child = position.after_unchecked(move).board();
        const auto [at, is_new] = next.emplace(fingerprint(child), child);
        if (!is_new) {
          EXPECT_EQ(at->second, child) << "two boards with one fingerprint";
        }
      }
    }
    level = std::move(next);
  }
  std::set<Board> boards;
  for (const auto& [print, board] : level) boards.insert(board);
  EXPECT_EQ(boards.size(), level.size()) << "one board with two fingerprints";
  return level.size();
}

TEST(Fingerprint, XxhIsTheReferenceOne) {
  // XXH3 of an empty input, as the reference implementation publishes it.
  EXPECT_EQ(xxh3_64({}), 0x2d06800538d394c2U);
  EXPECT_EQ(xxh3_128({}), (Hash128{0x6001c324468d497f, 0x99aa06d3014798d8}));
}

TEST(Fingerprint, SeedsMatter) {
  const std::uint64_t number = 7;
  const auto bytes = std::as_bytes(std::span(&number, 1));
  EXPECT_NE(xxh3_64(bytes, 1), xxh3_64(bytes, 2));
  EXPECT_NE(xxh3_128(bytes, 1), xxh3_128(bytes, 2));
}

// The values must never change, because other builds and machines look up results by them.
TEST(Fingerprint, IsTheSameOnEveryMachine) {
  EXPECT_EQ(fingerprint(board_at(kStartFen)), (Hash128{0x00de1a0407bb1b30, 0x8d0471c1f9a4662e}));
}

TEST(Fingerprint, KnowsDistinctPositionsByPly) {
  const Position start;
  EXPECT_EQ(distinct_positions(start, 1), 20U);
  EXPECT_EQ(distinct_positions(start, 2), 400U);
  EXPECT_EQ(distinct_positions(start, 3), 5362U);
  EXPECT_EQ(distinct_positions(start, 4), 72078U);
}

TEST(Fingerprint, EachFieldCounts) {
  const std::set<Hash128> prints{
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w K - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w - - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/Q3K2Q w - - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/B3K2B w - - 0 1")),
      fingerprint(board_at("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")),
      fingerprint(board_at("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1")),
  };
  EXPECT_EQ(prints.size(), 9U);
}

TEST(Fingerprint, ClocksAndUselessEnPassantSquaresDoNot) {
  EXPECT_EQ(fingerprint(board_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1")),
            fingerprint(board_at("4k3/8/8/8/8/8/8/4K3 w - - 42 99")));
  EXPECT_EQ(fingerprint(board_at("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1")),
            fingerprint(board_at("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1")));
  // The capture would expose the king on the rank, so it is illegal.
  EXPECT_EQ(fingerprint(board_at("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1")),
            fingerprint(board_at("8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1")));
}

}  // namespace
}  // namespace manyply
