// Zobrist keys of 128 bits (A. Zobrist, "A New Hashing Method with Application for Game Playing",
// 1970). The key after a move can be computed from the key before the move.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "core/base/result.h"
#include "core/board.h"

namespace manyply {

/// A key: the XOR of random words, one for each feature of a position (a piece on its square, a
/// castling right, an en passant capture, Black to move). The upper bits of `low` select the bucket
/// in a table. The tag of an entry is `high` and some of the lower bits of `low`.
struct ZobristKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend constexpr ZobristKey operator^(const ZobristKey& a, const ZobristKey& b) {
    return {a.low ^ b.low, a.high ^ b.high};
  }
  constexpr ZobristKey& operator^=(const ZobristKey& other) { return *this = *this ^ other; }
  friend constexpr auto operator<=>(const ZobristKey&, const ZobristKey&) = default;
};

/// Selects a set of random words. If `bits` is below 128, the keys are weak: there are at most
/// 2^bits keys. If `bits` is small, collisions are frequent enough to be measured.
struct KeySpec {
  static constexpr std::uint64_t kDefaultSeed = 0x6d616e79706c79;  // "manyply"
  static constexpr int kMinBits = 8;
  static constexpr int kMaxBits = 128;

  std::uint64_t seed = kDefaultSeed;
  int bits = kMaxBits;
  friend constexpr auto operator<=>(const KeySpec&, const KeySpec&) = default;
};

/// The kinds of pieces. The word of a queen is the XOR of the words of a bishop and a rook on the
/// same square. KeySink::captured() computes the value of a kind as a sum: 1 for a knight, 2 for a
/// piece that moves diagonally, and 3 for a piece that moves orthogonally. So a pawn has 0, and a
/// queen has 2 + 3. Kings are never captured, so kKing has the remaining value 4.
enum class KeyKind : std::uint8_t { kPawn, kKnight, kBishop, kRook, kKing, kQueen };

/// The random words that a KeySpec selects. Immutable after construction. Any thread may use them.
class KeySet {
 public:
  using Squares = std::array<ZobristKey, kSquares>;

  /// Makes the words. A word is the XXH3-128 of its serial number, with spec.seed as the seed. If
  /// spec.bits is below 128, the words of features use only spec.bits bits of the hash. A queen's
  /// word is an XOR (see KeyKind). Precondition: spec.bits is between KeySpec::kMinBits and
  /// KeySpec::kMaxBits.
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
  /// Returns the constant of a remaining depth. The key of a table entry, except in a window, is
  /// the position's key XOR this constant. So counts of the same position at different depths have
  /// different keys. The constant has 128 random bits even if keys are weak, so that two depths do
  /// not get the same key by chance.
  [[nodiscard]] const ZobristKey& depth(int depth) const {
    return depths_[static_cast<std::size_t>(depth)];
  }

  /// Returns the key of `board`, computed without the key of another position. The incremental key
  /// of the same position must be equal.
  [[nodiscard]] ZobristKey key_from_scratch(const Board& board) const;

  /// Returns a constant that is XORed into the incremental key after each castling move. It is
  /// zero, except in tests that need wrong keys.
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
