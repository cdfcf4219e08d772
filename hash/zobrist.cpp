#include "hash/zobrist.h"

#include "hash/fingerprint.h"

namespace manyply {

namespace {

/// Numbers the random words; each is the hash of its own number.
class WordSource {
 public:
  explicit WordSource(std::uint64_t seed) : seed_(seed) {}

  ZobristKey full() {
    const Hash128 hash = xxh3_128(std::as_bytes(std::span(&number_, 1)), seed_);
    ++number_;
    return {hash.low, hash.high};
  }

  /// A word with `bits` random bits, spread by a linear map over what tables use: the lower 64 form
  /// `high` (the tag), and the top of `low` (the index) holds the rest, or the same bits again if
  /// there is no rest. Linear, so XORs of words stay within 2^bits values.
  ZobristKey weak(int bits) {
    const ZobristKey word = full();
    if (bits == 128) return word;
    if (bits > 64) return {word.low << (128 - bits), word.high};
    const std::uint64_t random =
        bits == 64 ? word.high : word.high & ((std::uint64_t{1} << bits) - 1);
    return {random << (64 - bits), random};
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
  for (auto& side : men_) {
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
    const Men& side = board.of(color);
    toggle_each(key, men(color, KeyKind::kPawn), side.pawns);
    toggle_each(key, men(color, KeyKind::kKnight), side.knights);
    toggle_each(key, men(color, KeyKind::kBishop), side.diagonal);
    toggle_each(key, men(color, KeyKind::kRook), side.orthogonal);
    toggle_each(key, men(color, KeyKind::kKing), side.king);
  }
  toggle_each(key, castling_, board.castling);
  if (board.en_passant != 0) key ^= en_passant(lowest(board.en_passant) & 7);
  if (board.side_to_move == Color::kBlack) key ^= black_to_move_;
  return key;
}

}  // namespace manyply
