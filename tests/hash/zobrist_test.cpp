#include "hash/zobrist.h"

#include <gmock/gmock.h>

#include <bit>
#include <set>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/position.h"
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

}  // namespace
}  // namespace manyply
