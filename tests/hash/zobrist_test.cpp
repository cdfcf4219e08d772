// Tests keys (computed from scratch or updated by one move), audits of keys, and fingerprints.
#include "hash/zobrist.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "core/fen.h"
#include "core/position.h"
#include "hash/fingerprint.h"
#include "hash/hashed_kernel.h"
#include "hash/key_audit.h"
#include "tests/hash/table_helpers.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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
      // capturer pinned on the file; capturer pinned on the diagonal along which it captures
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

// Tables compare the upper word of a key, and use bits of the lower word as the index. Both must
// differ as often as whole keys.
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

// Hashed counting computes the key of each child before it makes the move. This key must equal the
// key that is computed from scratch from the board after the move.

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

/// Returns random words with the names "0", "1" …; tests add relations to them.
WordList random_words(std::uint64_t count, std::uint64_t first = 0) {
  WordList list;
  for (std::uint64_t i = 0; i < count; ++i)
    list.words.push_back({std::to_string(i), key_number(first + i)});
  return list;
}

TEST(WordsOf, AreAllWordsOfAKeySet) {
  const KeySet keys;
  const WordList list = words_of(keys);
  EXPECT_EQ(list.words.size(), 2 * 6 * 64U + 64 + 8 + 1 + Depth::kMax + 1);
  EXPECT_EQ(std::ranges::count(list.words, true, &WordList::Word::derived), 2 * 64);
  const auto word = [&](std::string_view name) {
    const auto found = std::ranges::find(list.words, name, &WordList::Word::name);
    return found == list.words.end() ? ZobristKey{} : found->word;
  };
  EXPECT_EQ(word("white knight b1"), keys.pieces(Color::kWhite, KeyKind::kKnight)[1]);
  EXPECT_EQ(word("black queen h8"), keys.pieces(Color::kBlack, KeyKind::kQueen)[63]);
  EXPECT_EQ(word("castling rook h1"), keys.castling(7));
  EXPECT_EQ(word("en passant file e"), keys.en_passant(4));
  EXPECT_EQ(word("black to move"), keys.black_to_move());
  EXPECT_EQ(word("depth 3"), keys.depth(3));
  // The key of a position is the XOR of the words in its list.
  ZobristKey key;
  for (const char* name :
       {"white king e1", "black king e8", "white rook h1", "castling rook h1", "black to move"})
    key ^= word(name);
  EXPECT_EQ(key, keys.key_from_scratch(position_at("4k3/8/8/8/8/8/8/4K2R b K - 0 1").board()));
}

TEST(WordsOf, TheIntendedRelationsHold) {
  const WordList list = words_of(KeySet({.seed = 5}));
  EXPECT_EQ(list.intended.size(), 128U);
  for (const auto& [a, b, c] : list.intended)
    EXPECT_EQ(list.words[a].word ^ list.words[b].word, list.words[c].word);
}

// Most other programs have keys of 64 bits.
TEST(AuditWords, AreJudgedByTheBitsThatTheyHave) {
  WordList list = random_words(300);
  for (WordList::Word& word : list.words) word.word.high = 0;
  const WordAudit narrow = audit_words(list, 64);
  EXPECT_TRUE(narrow.passed());
  EXPECT_EQ(narrow.rank, 64);
  EXPECT_EQ(narrow.expected_rank, 64);
  EXPECT_LT(narrow.worst_bit, 64);
  EXPECT_LT(narrow.least_allowed_distance, audit_words(random_words(300)).least_allowed_distance);
  EXPECT_FALSE(audit_words(list).passed()) << "as words of 128 bits they are no good";
}

TEST(AuditWords, SoundKeySetsPass) {
  for (const std::uint64_t seed : {~std::uint64_t{0}, KeySpec::kDefaultSeed}) {
    WordList list = words_of(KeySet({.seed = seed}));
    // Only fast builds audit all words, and only those of the default seed. The other audits test
    // the code and not the seed, so few words are enough.
    if (!kIsFastBuild || budget_divisor() > 1 || seed != KeySpec::kDefaultSeed) {
      list.words.resize(300);
      list.intended.clear();
      EXPECT_TRUE(audit_words(list).passed()) << seed;
      continue;
    }
    const WordAudit audit = audit_words(list);
    EXPECT_TRUE(audit.passed()) << seed;
    EXPECT_EQ(audit.duplicates, 0U);
    EXPECT_THAT(audit.dependences, IsEmpty());
    EXPECT_EQ(audit.rank, 128);
    EXPECT_EQ(audit.derived, 128U);
    EXPECT_LT(audit.worst_sigmas, 5) << "of 128 bits";
    EXPECT_GE(audit.min_distance, audit.least_allowed_distance);
    EXPECT_LE(audit.min_distance, 40) << "4e5 pairs of random words";
  }
}

TEST(AuditWords, WeakKeysDoNot) {
  WordList list = words_of(KeySet({.bits = 30}));
  list.words.resize(300);  // so few that the test is quick
  list.intended.clear();
  const WordAudit audit = audit_words(list);
  EXPECT_FALSE(audit.passed());
  EXPECT_FALSE(audit.dependences.empty()) << "2e10 sets of five among 2^30 values";
  EXPECT_EQ(audit.rank, 30);
}

TEST(AuditWords, FindsDependentSetsOfEverySize) {
  for (std::size_t size = 1; size <= WordAudit::kLargestSubset; ++size) {
    WordList list = random_words(200);
    // The last of the words 10, 20 … becomes the XOR of the earlier ones.
    std::vector<std::string> names{"10"};
    ZobristKey sum = list.words[10].word;
    for (std::size_t i = 2; i < size; ++i) {
      sum ^= list.words[10 * i].word;
      names.push_back(std::to_string(10 * i));
    }
    if (size == 1) {
      list.words[10].word = {};
    } else {
      list.words[10 * size].word = sum;
      names.push_back(std::to_string(10 * size));
    }
    const WordAudit audit = audit_words(list);
    EXPECT_FALSE(audit.passed());
    ASSERT_EQ(audit.dependences.size(), 1U) << size;
    EXPECT_EQ(audit.dependences[0], names) << size;
    EXPECT_EQ(audit.duplicates, size == 2 ? 1U : 0U);
    EXPECT_EQ(audit.rank, 128) << "200 words, a few of them dependent";
  }
}

TEST(AuditWords, IntendedRelationsAreNoFault) {
  WordList list = random_words(100);
  list.words[3].word = list.words[1].word ^ list.words[2].word;
  EXPECT_FALSE(audit_words(list).passed());
  list.intended.push_back({1, 2, 3});
  list.words[3].derived = true;
  const WordAudit audit = audit_words(list);
  EXPECT_TRUE(audit.passed());
  EXPECT_EQ(audit.rank, 99);
  EXPECT_EQ(audit.expected_rank, 99);
}

TEST(AuditWords, FindsALowRankThatNoSmallSetShows) {
  // With words of only 100 bits, 300 words have rank 100, even if small sets of them are
  // independent.
  WordList list = random_words(300);
  for (WordList::Word& word : list.words) word.word.high >>= 28;
  const WordAudit audit = audit_words(list);
  EXPECT_THAT(audit.dependences, IsEmpty());
  EXPECT_EQ(audit.rank, 100);
  EXPECT_EQ(audit.expected_rank, 128);
  EXPECT_FALSE(audit.passed());
}

TEST(AuditWords, FindsTheNearestPair) {
  WordList list = random_words(300);
  list.words[17].word = list.words[4].word ^ ZobristKey { 0b101, std::uint64_t{1} << 63 };
  const WordAudit audit = audit_words(list);
  EXPECT_EQ(audit.min_distance, 3);
  EXPECT_THAT(audit.nearest, UnorderedElementsAre("4", "17"));
  EXPECT_GT(audit.least_allowed_distance, 20);
  EXPECT_FALSE(audit.passed());
  // A word with few ones is close to zero.
  list.words[17].word = {1, 1};
  EXPECT_THAT(audit_words(list).nearest, ElementsAre("17", "zero"));
}

TEST(AuditWords, FindsABitThatLeans) {
  WordList list = random_words(400);
  for (std::size_t i = 0; i < 400; i += 2) list.words[i].word.high |= 1U << 9;
  const WordAudit audit = audit_words(list);
  EXPECT_EQ(audit.worst_bit, 64 + 9);
  EXPECT_GT(audit.worst_bit_ones, 260U);
  EXPECT_NEAR(audit.worst_sigmas, (static_cast<double>(audit.worst_bit_ones) - 200) / 10, 1e-9);
  EXPECT_FALSE(audit.passed());
}

// Collisions.

constexpr std::array kWidths{16, 20, 24, 28, 32, 36, 40};

CollisionAudit measure(std::string_view fen, std::uint64_t seed, std::uint64_t positions) {
  return measure_collisions(position_at(fen), seed, kWidths, positions).value();
}

TEST(MeasureCollisions, ExpectsPairsOverKeys) {
  const std::uint64_t n = budget(320'000);
  const CollisionAudit audit = measure(kStartFen, 1, n);
  EXPECT_EQ(audit.positions, n);
  EXPECT_GE(audit.games, n / (CollisionAudit::kGamePlies + 1));
  EXPECT_GE(audit.clustering, 1);
  EXPECT_LT(audit.clustering, 4);
  ASSERT_EQ(audit.counts.size(), kWidths.size());
  const auto positions = static_cast<double>(n);
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    const CollisionCount& count = audit.counts[i];
    EXPECT_EQ(count.bits, kWidths[i]);
    EXPECT_DOUBLE_EQ(count.expected, positions * (positions - 1) / 2 / std::exp2(count.bits));
    EXPECT_LT(count.most, count.expected + 5 * std::sqrt(4 * count.expected) + 20);
    EXPECT_GE(count.least, 0);
  }
  EXPECT_GT(audit.counts[0].least, 0.8 * audit.counts[0].expected) << "bounds that bind";
}

TEST(MeasureCollisions, AreAsManyAsPredicted) {
  for (const std::string_view fen : {kStartFen, kKiwipeteFen}) {
    for (const CollisionCount& count : measure(fen, 1, budget(320'000)).counts)
      EXPECT_TRUE(count.within_bounds()) << count.bits << ": " << count.measured;
  }
}

// Averages over many sets of keys vary less, so the bounds are five times narrower.
TEST(MeasureCollisions, OnAverageOverSeedsTheyAreAsManyAsPredicted) {
  const int seeds = kIsFastBuild ? 25 : 3;
  constexpr std::array kNarrow{16, 20, 24, 26};
  std::array<double, kNarrow.size()> measured{};
  std::array<double, kNarrow.size()> expected{};
  double clustering = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const CollisionAudit audit =
        measure_collisions(Position(), static_cast<std::uint64_t>(seed), kNarrow, budget(64'000))
            .value();
    clustering = std::max(clustering, audit.clustering);
    for (std::size_t i = 0; i < kNarrow.size(); ++i) {
      measured[i] += static_cast<double>(audit.counts[i].measured);
      expected[i] += audit.counts[i].expected;
    }
  }
  for (std::size_t i = 0; i < kNarrow.size(); ++i)
    EXPECT_NEAR(measured[i], expected[i], 5 * std::sqrt(clustering * expected[i]) + 5)
        << kNarrow[i];
}

TEST(MeasureCollisions, SlowWithinBoundsFrom24To40Bits) {
  if (!kIsFastBuild || available_memory_bytes() < std::uint64_t{2} << 30)
    GTEST_SKIP() << "needs 2 GiB and half a minute";
  constexpr std::array kAll{24, 28, 32, 36, 40};
  for (const std::uint64_t seed : {KeySpec::kDefaultSeed, std::uint64_t{1}, std::uint64_t{2}}) {
    const CollisionAudit audit = measure_collisions(Position(), seed, kAll, 8'000'000).value();
    for (const CollisionCount& count : audit.counts) {
      EXPECT_TRUE(count.within_bounds()) << seed << ' ' << count.bits << ": " << count.measured;
      EXPECT_GT(count.least, 0) << count.bits << ": bounds that bind below, too";
    }
  }
}

TEST(MeasureCollisions, BoundsRefuseWhatIsFarOff) {
  CollisionCount count{.bits = 24, .measured = 100, .expected = 100, .least = 50, .most = 155};
  EXPECT_TRUE(count.within_bounds());
  count.measured = 49;
  EXPECT_FALSE(count.within_bounds());
  count.measured = 156;
  EXPECT_FALSE(count.within_bounds());
}

TEST(MeasureCollisions, TheSameEverywhereAndOtherForOtherSeeds) {
  const auto measured = [](std::uint64_t seed) {
    std::vector<std::uint64_t> counts;
    for (const CollisionCount& count : measure(kStartFen, seed, 20'000).counts)
      counts.push_back(count.measured);
    return counts;
  };
  EXPECT_EQ(measured(1), measured(1));
  EXPECT_NE(measured(1), measured(2));
}

// Two kings and a side to move: random games soon find no new positions.
TEST(MeasureCollisions, FewPositionsAreAllMeasured) {
  const CollisionAudit audit = measure("8/8/8/2k5/8/8/5K2/8 w - - 0 1", 1, 1'000'000);
  EXPECT_GT(audit.positions, 7'000U);
  EXPECT_LE(audit.positions, 7'224U) << "two kings not beside each other, either to move";
  EXPECT_GT(audit.clustering, 2) << "there are few words, and most pairs differ in the same words";
  for (const CollisionCount& count : audit.counts) EXPECT_TRUE(count.within_bounds()) << count.bits;
  const CollisionAudit none = measure("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1, 100);
  EXPECT_EQ(none.positions, 1U) << "stalemate";
  for (const CollisionCount& count : none.counts) EXPECT_EQ(count.measured, 0U);
}

TEST(MeasureCollisions, MorePositionsThanMemoryHoldsAreRefused) {
  const auto audit = measure_collisions(Position(), 1, kWidths, std::uint64_t{1} << 40);
  EXPECT_EQ(audit.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(audit.error().field, "positions");
}

TEST(MeasureCollisions, Stops) {
  EXPECT_EQ(measure_collisions(Position(), 1, kWidths, 1'000'000, stopped_before()).error().code,
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply
