// The geometry of castling for any king and rook on the back rank, including Chess960.
#pragma once

#include <array>

#include "core/geometry.h"

namespace manyply {

/// The squares involved in castling with one king and one rook.
struct CastlingPath {
  Bitboard empty;       ///< squares that must be empty, apart from this king and rook
  Bitboard safe;        ///< squares that the king passes or reaches; none may be attacked
  std::int8_t king_to;  ///< target square of the king
  std::int8_t rook_to;  ///< target square of the rook
};

namespace detail {

constexpr CastlingPath castling_path(int king, int rook) {
  const int rank_start = king & 56;
  const bool king_side = rook > king;
  const int king_to = rank_start + (king_side ? 6 : 2);
  const int rook_to = rank_start + (king_side ? 5 : 3);
  const auto span = [](int from, int to) {
    return kBetween[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] | bit(to);
  };
  const Bitboard king_span = span(king, king_to);
  return {.empty = (king_span | span(rook, rook_to)) & ~(bit(king) | bit(rook)),
          .safe = king_span,
          .king_to = static_cast<std::int8_t>(king_to),
          .rook_to = static_cast<std::int8_t>(rook_to)};
}

/// Returns the castling paths on rank 1, indexed by the king's file and then by the rook's file.
constexpr std::array<std::array<CastlingPath, 8>, 8> castling_table() {
  std::array<std::array<CastlingPath, 8>, 8> table{};
  for (int king = 0; king < 8; ++king) {
    for (int rook = 0; rook < 8; ++rook) {
      if (king != rook)
        table[static_cast<std::size_t>(king)][static_cast<std::size_t>(rook)] =
            castling_path(king, rook);
    }
  }
  return table;
}

inline constexpr std::array<std::array<CastlingPath, 8>, 8> kCastlingPaths = castling_table();

}  // namespace detail

/// Returns the squares for castling with `king` and `rook`. Precondition: both squares are on the
/// back rank of `Us`, and king != rook.
template <Color Us>
constexpr CastlingPath castling_path(int king, int rook) {
  CastlingPath path = detail::kCastlingPaths[static_cast<std::size_t>(king & 7)]
                                            [static_cast<std::size_t>(rook & 7)];
  if constexpr (Us == Color::kBlack) {
    path.empty <<= 56;
    path.safe <<= 56;
    path.king_to = static_cast<std::int8_t>(path.king_to + 56);
    path.rook_to = static_cast<std::int8_t>(path.rook_to + 56);
  }
  return path;
}
/// Does the same, with `Us` as an argument.
constexpr CastlingPath castling_path(Color us, int king, int rook) {
  return us == Color::kWhite ? castling_path<Color::kWhite>(king, rook)
                             : castling_path<Color::kBlack>(king, rook);
}

}  // namespace manyply
