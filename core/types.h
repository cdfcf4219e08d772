// Basic types of chess: colours, pieces, squares, depths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace manyply {

enum class Color : std::uint8_t { kWhite, kBlack };

constexpr Color operator~(Color color) {
  return color == Color::kWhite ? Color::kBlack : Color::kWhite;
}

enum class PieceType : std::uint8_t { kPawn, kKnight, kBishop, kRook, kQueen, kKing };

/// Squares by rank, then by file: a1 = 0, b1 = 1, … h8 = 63.
enum class Square : std::uint8_t {
  // clang-format off
  kA1, kB1, kC1, kD1, kE1, kF1, kG1, kH1,
  kA2, kB2, kC2, kD2, kE2, kF2, kG2, kH2,
  kA3, kB3, kC3, kD3, kE3, kF3, kG3, kH3,
  kA4, kB4, kC4, kD4, kE4, kF4, kG4, kH4,
  kA5, kB5, kC5, kD5, kE5, kF5, kG5, kH5,
  kA6, kB6, kC6, kD6, kE6, kF6, kG6, kH6,
  kA7, kB7, kC7, kD7, kE7, kF7, kG7, kH7,
  kA8, kB8, kC8, kD8, kE8, kF8, kG8, kH8,
  // clang-format on
};

inline constexpr int kSquares = 64;

constexpr int index(Square square) { return static_cast<int>(square); }
constexpr int index(Color color) { return static_cast<int>(color); }
constexpr int index(PieceType type) { return static_cast<int>(type); }
constexpr Square square_at(int index) { return static_cast<Square>(index); }
constexpr Square square_at(int file, int rank) { return square_at(rank * 8 + file); }
constexpr int file_of(Square square) { return index(square) & 7; }
constexpr int rank_of(Square square) { return index(square) >> 3; }

/// Returns text such as "e4".
inline std::string to_string(Square square) {
  return {static_cast<char>('a' + file_of(square)), static_cast<char>('1' + rank_of(square))};
}

/// A number of plies, 0 to kMax.
class Depth {
 public:
  static constexpr int kMax = 64;

  constexpr Depth() = default;
  /// Throws BugError unless 0 <= plies <= kMax.
  constexpr explicit Depth(int plies) : plies_(plies) {
    MANYPLY_CHECK(plies >= 0 && plies <= kMax);
  }

  /// Parses a number that is written in decimal digits only. Returns kInvalidInput for any other
  /// text and for numbers above kMax.
  static Result<Depth> parse(std::string_view text);

  [[nodiscard]] constexpr int plies() const { return plies_; }
  friend constexpr auto operator<=>(Depth, Depth) = default;

 private:
  int plies_ = 0;
};

}  // namespace manyply
