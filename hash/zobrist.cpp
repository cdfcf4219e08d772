// Makes the random words of a key set, and computes keys from scratch.
#include "hash/zobrist.h"

#include <algorithm>

#include "hash/fingerprint.h"

namespace manyply {

namespace {

/// Returns a mask of the lowest `bits` bits. Precondition: 1 <= bits <= 64.
constexpr std::uint64_t low_mask(int bits) { return ~std::uint64_t{0} >> (64 - bits); }

/// Makes the random words. Each word is the hash of its serial number.
class WordSource {
 public:
  explicit WordSource(std::uint64_t seed) : seed_(seed) {}

  ZobristKey full() {
    const Hash128 hash = xxh3_128(std::as_bytes(std::span(&number_, 1)), seed_);
    ++number_;
    return {hash.low, hash.high};
  }

  /// Returns a word with only `bits` random bits. Every other bit is zero or repeats a random bit,
  /// so XORs of words have at most 2^bits values. Tables use three parts of a word: `high` (the
  /// tag), the top of `low` (the index of the bucket), and the lowest 24 bits of `low` (also tag).
  ///
  /// If `bits` is at most 64, `high` contains all random bits, and the top of `low` repeats them.
  ///
  /// If `bits` is larger, `high` contains 64 random bits, and the top of `low` contains the others.
  /// If some of the lowest 24 bits of `low` are not random, they repeat random bits of `low`.
  ZobristKey weak(int bits) {
    const ZobristKey word = full();
    if (bits == 128) return word;
    if (bits <= 64) {
      const std::uint64_t random = word.high & low_mask(bits);
      return {random << (64 - bits), random};
    }
    constexpr int kTagPart = 24;
    const int shift = 128 - bits;
    const std::uint64_t rest = word.low & low_mask(bits - 64);
    const std::uint64_t repeated = rest >> std::max(0, kTagPart - shift);
    return {rest << shift | (repeated & low_mask(std::min(shift, kTagPart))), word.high};
  }

 private:
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
};

void toggle_each(ZobristKey& key, const KeySet::Squares& words, Bitboard set) {
  while (set != 0) key ^= words[static_cast<std::size_t>(pop_lowest(set))];
}

}  // namespace

KeySet::KeySet(const KeySpec& spec) : spec_(spec) {
  MANYPLY_CHECK(spec.bits >= KeySpec::kMinBits && spec.bits <= KeySpec::kMaxBits);
  WordSource source(spec.seed);
  const auto kind = [](KeyKind k) { return static_cast<std::size_t>(k); };
  for (auto& side : pieces_) {
    for (const KeyKind k :
         {KeyKind::kPawn, KeyKind::kKnight, KeyKind::kBishop, KeyKind::kRook, KeyKind::kKing}) {
      for (ZobristKey& word : side[kind(k)]) word = source.weak(spec.bits);
    }
    for (std::size_t s = 0; s < kSquares; ++s) {
      side[kind(KeyKind::kQueen)][s] =
          side[kind(KeyKind::kBishop)][s] ^ side[kind(KeyKind::kRook)][s];
    }
  }
  for (ZobristKey& word : castling_) word = source.weak(spec.bits);
  for (ZobristKey& word : en_passant_) word = source.weak(spec.bits);
  black_to_move_ = source.weak(spec.bits);
  for (ZobristKey& word : depths_) word = source.full();
}

ZobristKey KeySet::key_from_scratch(const Board& board) const {
  ZobristKey key;
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    const Pieces& side = board.of(color);
    toggle_each(key, pieces(color, KeyKind::kPawn), side.pawns);
    toggle_each(key, pieces(color, KeyKind::kKnight), side.knights);
    toggle_each(key, pieces(color, KeyKind::kBishop), side.bishops_queens);
    toggle_each(key, pieces(color, KeyKind::kRook), side.rooks_queens);
    toggle_each(key, pieces(color, KeyKind::kKing), side.king);
  }
  toggle_each(key, castling_, board.castling);
  if (board.en_passant != 0) key ^= en_passant(lowest(board.en_passant) & 7);
  if (board.side_to_move == Color::kBlack) key ^= black_to_move_;
  return key;
}

}  // namespace manyply
