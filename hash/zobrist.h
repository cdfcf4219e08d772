// Zobrist keys: 128 bits, seeded, incremental (A. Zobrist, "A New Hashing Method with Application
// for Game Playing", 1970).
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "core/base/result.h"
#include "core/board.h"

namespace manyply {

/// The XOR of random words, one for each feature of a position. Tables use the upper bits of `low`
/// as index. They use `high` and the lower bits of `low` as tag.
struct ZobristKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend constexpr ZobristKey operator^(const ZobristKey& a, const ZobristKey& b) {
    return {a.low ^ b.low, a.high ^ b.high};
  }
  constexpr ZobristKey& operator^=(const ZobristKey& other) { return *this = *this ^ other; }
  friend constexpr auto operator<=>(const ZobristKey&, const ZobristKey&) = default;
};

/// Selects a set of random words. If `bits` is below 128, the keys are weak: there are only 2^bits
/// different keys, so that collisions are frequent enough to be measured.
struct KeySpec {
  static constexpr std::uint64_t kDefaultSeed = 0x6d616e79706c79;  // "manyply"
  static constexpr int kMinBits = 8;
  static constexpr int kMaxBits = 128;

  std::uint64_t seed = kDefaultSeed;
  int bits = kMaxBits;
  friend constexpr auto operator<=>(const KeySpec&, const KeySpec&) = default;
};

/// The kinds of pieces. The word of a queen is the XOR of the words of a bishop and a rook on its
/// square. The value of each kind except kKing is a sum: 1 for a knight, 2 for a piece that moves
/// diagonally, and 3 for a piece that moves orthogonally. So a pawn has 0, and a queen has 2 + 3.
enum class KeyKind : std::uint8_t { kPawn, kKnight, kBishop, kRook, kKing, kQueen };

/// The random words of one seed. Immutable after construction. Any thread may use them.
class KeySet {
 public:
  using Squares = std::array<ZobristKey, kSquares>;

  /// Makes the words. A word is the XXH3-128 of its number with the seed; if spec.bits is below
  /// 128, only spec.bits bits of the hash are used. A queen's word is an XOR (see KeyKind).
  /// Precondition: spec.bits is between KeySpec::kMinBits and KeySpec::kMaxBits.
  explicit KeySet(const KeySpec& spec = {});

  [[nodiscard]] const KeySpec& spec() const { return spec_; }

  [[nodiscard]] const Squares& pieces(Color color, KeyKind kind) const {
    return pieces_[static_cast<std::size_t>(color)][static_cast<std::size_t>(kind)];
  }
  /// Returns the word of a castling right. `rook` is the square of the rook.
  [[nodiscard]] const ZobristKey& castling(int rook) const {
    return castling_[static_cast<std::size_t>(rook)];
  }
  /// Returns the word of a legal en passant capture. `file` is the file of the target square.
  [[nodiscard]] const ZobristKey& en_passant(int file) const {
    return en_passant_[static_cast<std::size_t>(file)];
  }
  [[nodiscard]] const ZobristKey& black_to_move() const { return black_to_move_; }
  /// Returns the constant of a remaining depth. The key of a table entry is the position's key XOR
  /// this constant, so that entries of different depths differ. The constant has 128 random bits
  /// even if keys are weak, so that depths are never confused by chance.
  [[nodiscard]] const ZobristKey& depth(int depth) const {
    return depths_[static_cast<std::size_t>(depth)];
  }

  /// Computes the key of a position without the key of another position. Incremental keys must
  /// equal the result.
  [[nodiscard]] ZobristKey key_from_scratch(const Board& board) const;

  /// This constant is XORed into the incremental key of each castling move. It is zero, except in
  /// tests that make these keys wrong.
  [[nodiscard]] const ZobristKey& castling_fault() const { return castling_fault_; }
  void break_castling_for_testing() { castling_fault_ = {1, 1}; }

 private:
  KeySpec spec_;
  std::array<std::array<Squares, 6>, 2> pieces_;
  Squares castling_;
  std::array<ZobristKey, 8> en_passant_;
  ZobristKey black_to_move_;
  ZobristKey castling_fault_;
  std::array<ZobristKey, Depth::kMax + 1> depths_;
};

}  // namespace manyply
